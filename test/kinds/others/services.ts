/** Services that reject requests, are unreachable, or have changed; models. */
import { AI, apiError, nodeError, one, ownError, type ReportedCase } from "./case.ts";

const HTTP = "httpRequest";
const BAD = "Bad request - please check your parameters";
const UNAUTHORIZED = "Authorization failed - please check your credentials";
const FORBIDDEN = "Forbidden - perhaps check your credentials?";
const MISSING = "The resource you are requesting could not be found";
const TOO_MANY = "The service is receiving too many requests from you";

export const http: readonly ReportedCase[] = [
  one(
    "service-fails",
    "oriondesign2015/n8n-nodes-evolution-api#3",
    [
      "HTTP Request",
      HTTP,
      apiError("500", "The service was not able to process your request", {
        messages: ['500 - "planted"'],
        description: "planted",
      }),
    ],
    /500/,
  ),
  one(
    "aborted-by-time-limit",
    "#19336",
    [
      "HTTP Request1",
      HTTP,
      apiError("ECONNABORTED", "The connection was aborted, perhaps the server is offline", {
        messages: ["timeout of 300000ms exceeded"],
      }),
    ],
    /300000 ms|did not answer/,
  ),
  one(
    "name-not-looked-up",
    "#16350",
    [
      "Post status",
      HTTP,
      apiError("EAI_AGAIN", "The DNS server returned an error, perhaps the server is offline", {
        messages: ["getaddrinfo EAI_AGAIN planted.example"],
      }),
    ],
    /name.*looked up|DNS/,
  ),
  one(
    "closed-half-way",
    "#18074",
    [
      "Fetch list",
      HTTP,
      apiError(
        "ECONNRESET",
        "The connection to the server was closed unexpectedly, perhaps it is offline. You can retry the request immediately or wait and retry later.",
        { messages: ["aborted"] },
      ),
    ],
    /broke off|closed|reset/i,
  ),
  one(
    "stale-address",
    "#33613",
    [
      "Upload",
      HTTP,
      apiError(
        "ETIMEDOUT",
        "The connection timed out, consider setting the 'Retry on Fail' option in the node settings",
        { messages: ["connect ETIMEDOUT 10.0.0.7:443"] },
      ),
    ],
    /answer in time|timed out/,
  ),
  one(
    "host-unreachable",
    "n8n-workflow errors/abstract/node.error (1.x)",
    [
      "Ping shop",
      HTTP,
      apiError(null, "The host is unreachable, perhaps the server is offline", {
        messages: ["connect EHOSTUNREACH 10.1.1.1:443"],
      }),
    ],
    /reach/,
  ),
  one(
    "token-expired-403",
    "#17450",
    ["Ask Fabric", HTTP, apiError("403", FORBIDDEN, { messages: ['403 - ""'] })],
    /403/,
  ),
  one(
    "graphql-unauthorized",
    "#13413",
    ["Ask GraphQL", "graphql", apiError("401", UNAUTHORIZED, { messages: ["planted"] })],
    /401/,
    /credential/,
  ),
  one(
    "no-unique-constraint",
    "#22571",
    [
      "Create row",
      "supabase",
      apiError("400", BAD, {
        description: "there is no unique or exclusion constraint matching the ON CONFLICT specification",
      }),
    ],
    /400/,
  ),
  one(
    "sheets-quota",
    "https://automatelab.tech/n8n-google-sheets-quota-exceeded-fix/",
    [
      "Append row",
      "googleSheets",
      apiError("429", TOO_MANY, { description: "Quota exceeded for quota metric 'Read requests'" }),
    ],
    /429|too many/,
  ),
  one(
    "unknown-issue",
    "#34935",
    [
      "Create a lead",
      "zohoCrm",
      apiError(null, "There was an unknown issue while executing the node", {
        description: "Double-check the node configuration and the service it connects to.",
      }),
    ],
    /service.*error|unknown|does not say/i,
  ),
  one(
    "telegram-chat",
    "telegram node, forum",
    ["Send a text message", "telegram", apiError("400", BAD, { description: "Bad Request: chat not found" })],
    /400/,
  ),
  one(
    "notion-not-shared",
    "notion node docs, common issues",
    [
      "Get database",
      "notion",
      apiError("404", MISSING, {
        description:
          "Could not find database with ID: planted. Make sure the relevant pages and databases are shared with your integration.",
      }),
    ],
    /404/,
  ),
  one(
    "airtable-permission",
    "airtable node docs, common issues",
    [
      "Search records",
      "airtable",
      apiError("403", FORBIDDEN, {
        description: "Invalid permissions, or the requested model was not found.",
      }),
    ],
    /403/,
  ),
  one(
    "payment",
    "n8n-workflow errors/node-api.error",
    ["Ask API", HTTP, apiError("402", "Payment required - perhaps check your payment details?")],
    /402/,
    /pay/i,
  ),
  one(
    "gateway",
    "n8n-workflow errors/node-api.error",
    ["Ask API", HTTP, apiError("502", "Bad gateway - the service failed to handle your request")],
    /502/,
  ),
  one(
    "gateway-in-words",
    "n8n-workflow errors/node-api.error: its own sentence, and no code kept",
    ["Ask API", HTTP, apiError(null, "Gateway timed out - perhaps try again later?")],
    /time/,
  ),
  one(
    "unauthorized-in-words",
    "n8n-workflow errors/node-api.error: its own sentence, and no code kept",
    ["Ask API", HTTP, apiError(null, UNAUTHORIZED)],
    /credential/,
  ),
  one(
    "answer-no-json",
    "n8n-nodes-base HttpRequestV3",
    ["Get rates", HTTP, nodeError('Response body is not valid JSON. Change "Response Format" to "Text"')],
    /JSON/,
    /answer/i,
  ),
  one(
    "slack-channel",
    "n8n-nodes-base Slack/V2/GenericFunctions",
    ["Send a message", "slack", nodeError('Slack error response: "channel_not_found"')],
    /service|Slack/,
    /answered|refus|error/,
  ),
  one(
    "slack-scopes",
    "n8n-nodes-base Slack/V2/GenericFunctions",
    [
      "Send a message",
      "slack",
      nodeError("Your Slack credential is missing required Oauth Scopes", {
        description: "Add the following scope(s) to your Slack App: planted",
      }),
    ],
    /credential/,
    /right|scope|allow/i,
  ),
];

export const models: readonly ReportedCase[] = [
  one(
    "openai-quota",
    "openai node docs, common issues",
    [
      "Message a model",
      `${AI}openAi`,
      apiError("429", TOO_MANY, {
        description: "You exceeded your current quota, please check your plan and billing details.",
      }),
    ],
    /429|too many/,
  ),
  one(
    "openai-arguments",
    "#20943",
    ["Message a model", `${AI}openAi`, ownError("Received tool input did not match expected schema")],
    /argument|schema/,
  ),
];
