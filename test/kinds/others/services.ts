/** Services that refuse, are away, or are not who they were; credentials. */
import { AI, apiError, failing, made, nodeError, type OtherCase, ownError, WEBHOOK } from "./case.ts";

const HTTP = "httpRequest";
const ORDER = made("Take order", { id: 7, city: "Bern" });
const PRIVATE = /planted/i;

/** A node after two others, which have no part in it. */
const one = (
  kind: string,
  source: string,
  [node, type, error, parameters]: readonly [string, string, Readonly<Record<string, unknown>>, object?],
  ...says: readonly RegExp[]
): OtherCase => ({
  kind,
  source,
  steps: [WEBHOOK, ORDER, failing(node, type, error, { ...parameters })],
  roots: [node],
  says,
  neverSays: [PRIVATE, /Take order.*sent|"id"|"city"/],
});

const BAD = "Bad request - please check your parameters";
const UNAUTHORIZED = "Authorization failed - please check your credentials";
const FORBIDDEN = "Forbidden - perhaps check your credentials?";
const MISSING = "The resource you are requesting could not be found";
const TOO_MANY = "The service is receiving too many requests from you";

const http: readonly OtherCase[] = [
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

const credentials: readonly OtherCase[] = [
  one(
    "no-access-token",
    "#18413",
    ["Ask API", HTTP, apiError(null, "Unable to sign without access token")],
    /credential/,
    /token|connect/,
  ),
  one(
    "reconnect",
    "pull request 30460",
    [
      "List files",
      "googleDrive",
      nodeError('The credential "planted" needs to be reconnected.', {
        description:
          "Access could not be refreshed because the connected account has revoked access, the refresh token expired, or the account password or permissions changed.",
      }),
    ],
    /credential/,
    /connect/,
  ),
  one(
    "grant-expired",
    "pull request 30460, what n8n said before",
    [
      "Get many messages",
      "gmail",
      apiError(
        null,
        "The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.",
      ),
    ],
    /credential/,
    /expired|connect/,
  ),
  one(
    "grant-code",
    "RFC 6749, as googleapis say it",
    [
      "Get many messages",
      "gmail",
      apiError("400", BAD, { messages: ["invalid_grant"], description: "invalid_grant" }),
    ],
    /credential/,
  ),
  one(
    "smtp-login",
    "nodemailer",
    [
      "Send email",
      "emailSend",
      {
        name: "NodeApiError",
        code: "EAUTH",
        message: "Invalid login: 535-5.7.8 Username and Password not accepted",
        messages: [],
      },
    ],
    /credential/,
  ),
  one(
    "ssh-login",
    "ssh2",
    [
      "Run script",
      "ssh",
      ownError("All configured authentication methods failed", { level: "client-authentication" }),
    ],
    /credential/,
  ),
  one(
    "no-credentials",
    "n8n-core credentials helper",
    ["Send a message", "slack", nodeError("Node does not have any credentials set")],
    /no credential/,
  ),
  one(
    "no-credentials-of-type",
    "n8n-core credentials helper",
    [
      "Send a message",
      "slack",
      nodeError('Node type "n8n-nodes-base.slack" does not have any credentials of type "slackApi" defined'),
    ],
    /credential/,
  ),
  one(
    "other-key",
    "n8n-core credentials",
    [
      "Send a message",
      "slack",
      ownError(
        'Credentials could not be decrypted. The likely reason is that a different "encryptionKey" was used to encrypt the data.',
      ),
    ],
    /credential/,
    /key/,
  ),
];

const databases: readonly OtherCase[] = [
  one(
    "postgres-terminated",
    "#13047",
    ["Read rows", "postgres", nodeError("Connection terminated unexpectedly")],
    /connection/i,
  ),
  one(
    "postgres-timeout",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    ["Read rows", "postgres", nodeError("Connection timed out", { description: "10.0.0.9:5432" })],
    /answer in time|timed out/,
  ),
  one(
    "postgres-host",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    ["Read rows", "postgres", nodeError("Host not found", { description: "planted.example" })],
    /host/,
  ),
  one(
    "postgres-table",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    [
      "Read rows",
      "postgres",
      nodeError('relation "planted" does not exist', { description: "Failed query: SELECT * FROM planted" }),
    ],
    /table or column|does not exist/,
  ),
  one(
    "postgres-column",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    ["Insert rows", "postgres", nodeError('column "planted" of relation "orders" does not exist')],
    /table or column|does not exist/,
  ),
  one(
    "postgres-syntax",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    ["Execute a SQL query", "postgres", nodeError('Syntax error at line 3 near "planted"')],
    /SQL|query/,
  ),
  one(
    "postgres-duplicate",
    "PostgreSQL",
    [
      "Insert rows",
      "postgres",
      nodeError('duplicate key value violates unique constraint "planted_pkey"', {
        description: "Key (id)=(7) already exists.",
      }),
    ],
    /already|unique/,
  ),
  one(
    "postgres-null",
    "#32475",
    [
      "Insert rows",
      "postgres",
      nodeError('null value in column "planted" of relation "orders" violates not-null constraint'),
    ],
    /constraint|must be there/,
  ),
  one(
    "postgres-type",
    "PostgreSQL",
    ["Insert rows", "postgres", nodeError('invalid input syntax for type integer: "planted"')],
    /kind|type/,
  ),
  one(
    "mysql-duplicate",
    "mysql2",
    [
      "Insert rows",
      "mySql",
      { ...nodeError("Duplicate entry 'planted' for key 'PRIMARY'"), code: "ER_DUP_ENTRY" },
    ],
    /already|unique/,
  ),
  one(
    "redis-away",
    "n8n-nodes-base Redis",
    ["Get key", "redis", { ...nodeError("connect ECONNREFUSED 127.0.0.1:6379") }],
    /refus/,
  ),
  one(
    "mongo-login",
    "mongodb driver",
    ["Find documents", "mongoDb", { name: "MongoServerError", message: "Authentication failed.", code: 18 }],
    /credential/,
  ),
];

const models: readonly OtherCase[] = [
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

export const services: readonly OtherCase[] = [...http, ...credentials, ...databases, ...models];
