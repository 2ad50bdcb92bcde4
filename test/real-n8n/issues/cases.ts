/**
 * What people asked in n8n's issues, each rebuilt as a workflow, with what a good colleague would have told them.
 * Promises: the truths were written from the threads before the tool was asked once, and are never changed after.
 */
import { randomUUID } from "node:crypto";
import type { Definition } from "../seed.ts";
import {
  branch,
  callSubWorkflow,
  chain,
  code,
  node,
  subWorkflowStart,
  type WorkflowNode,
} from "../workflow-parts.ts";

export interface Truth {
  /** `failed`: n8n says so. `wrong`: n8n calls it a success, and it is none. `healthy`: nothing is to be said. */
  readonly is: "failed" | "wrong" | "healthy";
  readonly cause: string;
  readonly place?: string;
  readonly next?: string;
}

export interface Case {
  readonly name: string;
  /** Number of the thread in n8n-io/n8n. */
  readonly thread: number;
  readonly truth: Truth;
  readonly nodes: readonly WorkflowNode[];
  readonly connections?: Definition["connections"];
  readonly settings?: Record<string, unknown>;
  readonly body?: unknown;
  /** How often it is sent; the last one counts. */
  readonly times?: number;
  readonly form?: true;
}

export interface Outside {
  readonly url: string;
  readonly deadUrl: string;
  readonly credential: (type: string) => { id: string; name: string };
  readonly model: (script: string) => { id: string; name: string };
  readonly emptySubWorkflow: string;
  readonly goodSubWorkflow: string;
}

const get = (
  name: string,
  url: string,
  options: object = {},
  more: Partial<WorkflowNode> = {},
): WorkflowNode => ({
  ...node(name, "n8n-nodes-base.httpRequest", 4.2, { url, options }),
  ...more,
});
const post = (name: string, url: string, jsonBody: string, options: object = {}): WorkflowNode =>
  node(name, "n8n-nodes-base.httpRequest", 4.2, {
    ...{ method: "POST", url, sendBody: true, specifyBody: "json", jsonBody, options },
  });
const set = (name: string, values: Record<string, [type: string, value: unknown]>): WorkflowNode =>
  node(name, "n8n-nodes-base.set", 3.4, {
    assignments: {
      assignments: Object.entries(values).map(([key, [type, value]]) => ({
        id: key,
        name: key,
        type,
        value,
      })),
    },
    options: {},
  });
const given = (name: string, items: unknown): WorkflowNode =>
  code(name, `return ${JSON.stringify(items)}.map((json) => ({ json }))`);
const iff = (
  name: string,
  leftValue: string,
  operator: object,
  rightValue: unknown,
  { validation = "strict", version = 2.2, options = 2 } = {},
): WorkflowNode =>
  node(name, "n8n-nodes-base.if", version, {
    conditions: {
      options: { caseSensitive: true, leftValue: "", typeValidation: validation, version: options },
      combinator: "and",
      conditions: [{ id: randomUUID(), leftValue, rightValue, operator }],
    },
    ...(validation === "loose" ? { looseTypeValidation: true } : {}),
    options: {},
  });
const pages = (parameter: string, complete: object): object => ({
  pagination: {
    pagination: {
      paginationMode: "updateAParameterInEachRequest",
      parameters: { parameters: [{ type: "qs", name: "page", value: parameter }] },
      ...complete,
      limitPagesFetched: true,
      maxRequests: 20,
    },
  },
});
const to = (name: string, index = 0) => ({ node: name, type: "main", index });
const sub = (from: string, type: string, target = "Agent") => ({
  [from]: { [type]: [[{ node: target, type, index: 0 }]] },
});

export function casesOf({
  url,
  deadUrl,
  credential,
  model,
  emptySubWorkflow,
  goodSubWorkflow,
}: Outside): Case[] {
  const chat = (script: string): WorkflowNode => ({
    ...node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.2, {
      model: { __rl: true, mode: "id", value: "gpt-4o-mini" },
      options: { maxRetries: 0 },
    }),
    credentials: { openAiApi: model(script) },
  });
  const agent = (version: number, more: object = {}, options: object = {}): WorkflowNode =>
    node("Agent", "@n8n/n8n-nodes-langchain.agent", version, {
      promptType: "define",
      text: "={{ $json.body.question }}",
      ...more,
      options,
    });
  const quoteTool = node("get_quotes", "n8n-nodes-base.httpRequestTool", 4.2, {
    toolDescription: "Lists the open quotes of a customer",
    url: `=${url}/api/quotes?customer={{ $fromAI('customer', 'whose', 'string') }}`,
    options: {},
  });
  const goodTool = node("get_stock", "n8n-nodes-base.httpRequestTool", 4.2, {
    toolDescription: "Says how many are in stock",
    url: `=${url}/api/stock?item={{ $fromAI('item', 'which', 'string') }}`,
    options: {},
  });
  const parser = node("Structured Output Parser", "@n8n/n8n-nodes-langchain.outputParserStructured", 1.3, {
    schemaType: "manual",
    inputSchema: JSON.stringify({
      type: "object",
      properties: { invoice: { type: "string" }, total: { type: "number" } },
      required: ["invoice", "total"],
    }),
  });
  const question = { requestId: "t", question: "How much is invoice 8812?" };
  const orders = [
    { order: "A-1", total: 12 },
    { order: "A-2", total: 7 },
    { order: "A-3", total: 31 },
  ];
  return [
    {
      name: "pagination-never-advances",
      thread: 12272,
      nodes: [
        get(
          "Fetch devices",
          `${url}/v1/devices?pageSize=2`,
          pages("1", { paginationCompleteWhen: "responseIsEmpty" }),
        ),
      ],
      truth: {
        is: "failed",
        cause:
          "Every page was the same: the page parameter is fixed at 1, so n8n saw five identical answers and stopped.",
        place: "Fetch devices",
        next: "Let the page parameter grow ($pageCount + 1), or state when pagination is complete.",
      },
    },
    {
      name: "oauth2-token-expired-403",
      thread: 17450,
      nodes: [
        {
          ...get("Query Fabric", `${url}/fabric/graphql`, {}),
          parameters: {
            url: `${url}/fabric/graphql`,
            authentication: "genericCredentialType",
            genericAuthType: "oAuth2Api",
            options: {},
          },
          credentials: { oAuth2Api: credential("oAuth2Api") },
        },
      ],
      truth: {
        is: "failed",
        cause:
          "The API refused the credential with 403 and an empty body; the access token has expired or lacks the right, and n8n renews it on 401 only.",
        place: "Query Fabric",
        next: "Check the OAuth2 credential: its rights, or reconnect it (token-expired status code 403).",
      },
    },
    {
      name: "marketo-expired-in-200",
      thread: 32423,
      nodes: [
        get("Fetch leads", `${url}/rest/v1/leads.json`),
        code("Count", "return [{ json: { leads: ($json.result ?? []).length } }]"),
      ],
      truth: {
        is: "wrong",
        cause:
          "Marketo answered 200 with success false and error 602, access token expired; n8n took it for an answer, so 0 leads were counted.",
        place: "Fetch leads",
        next: "Renew the credential, and check success in the answer.",
      },
    },
    {
      name: "only-the-first-page",
      thread: 34618,
      nodes: [
        get("Fetch contacts", `${url}/crm/v3/objects/contacts`),
        node("Split", "n8n-nodes-base.splitOut", 1, { fieldToSplitOut: "results", options: {} }),
        code("Report", "return [{ json: { contacts: $input.all().length } }]"),
      ],
      truth: {
        is: "wrong",
        cause:
          "Only the first page was fetched: the answer has paging.next, and no second request was made, so the report counts 10 contacts.",
        place: "Fetch contacts",
        next: "Turn pagination on with the next page's link.",
      },
    },
    {
      name: "item-of-an-aggregated-branch",
      thread: 15832,
      nodes: [
        given("Branch 1", [{ a: 1 }, { a: 2 }]),
        given("Branch 2", [{ b: 1 }, { b: 2 }]),
        node("Merge", "n8n-nodes-base.merge", 3.1, {}),
        node("Aggregate", "n8n-nodes-base.aggregate", 1, { aggregate: "aggregateAllItemData", options: {} }),
        set("Combine", { value: ["number", "={{ $('Branch 1').item.json.a }}"] }),
      ],
      connections: {
        Webhook: { main: [[to("Branch 1"), to("Branch 2")]] },
        "Branch 1": { main: [[to("Merge", 0)]] },
        "Branch 2": { main: [[to("Merge", 1)]] },
        Merge: { main: [[to("Aggregate")]] },
        Aggregate: { main: [[to("Combine")]] },
      },
      truth: {
        is: "failed",
        cause:
          "n8n cannot tell which item of Branch 1 belongs to the one aggregated item: several match, so .item is ambiguous (or its link is lost).",
        place: "Combine",
        next: "Use $('Branch 1').first(), .last() or .all()[index] instead of .item.",
      },
    },
    {
      name: "merge-of-text-and-number",
      thread: 19001,
      nodes: [
        given("Orders", [
          { customerId: "17", order: "A-1" },
          { customerId: "18", order: "A-2" },
        ]),
        given("Customers", [
          { customerId: 17, name: "Ana" },
          { customerId: 18, name: "Bo" },
        ]),
        node("Merge", "n8n-nodes-base.merge", 3.1, {
          ...{
            mode: "combine",
            combineBy: "combineByFields",
            fieldsToMatchString: "customerId",
            options: {},
          },
        }),
        code("Notify", "return $input.all()"),
      ],
      connections: {
        Webhook: { main: [[to("Orders"), to("Customers")]] },
        Orders: { main: [[to("Merge", 0)]] },
        Customers: { main: [[to("Merge", 1)]] },
        Merge: { main: [[to("Notify")]] },
      },
      truth: {
        is: "wrong",
        cause:
          'Merge found no match: customerId is text in Orders ("17") and a number in Customers (17), so it put out nothing and Notify never ran.',
        place: "Merge",
        next: "Make both the same type, or turn on Fuzzy Compare.",
      },
    },
    {
      name: "loop-that-is-not-closed",
      thread: 19167,
      nodes: [
        given(
          "Sites",
          [1, 2, 3, 4, 5].map((site) => ({ site, active: site !== 3 })),
        ),
        node("Loop", "n8n-nodes-base.splitInBatches", 3, { options: {} }),
        iff("Active?", "={{ $json.active }}", { type: "boolean", operation: "true", singleValue: true }, ""),
        code("Check site", "return $input.all()"),
        code("Summary", "return [{ json: { sites: $input.all().length } }]"),
      ],
      connections: {
        ...chain("Webhook", "Sites", "Loop"),
        Loop: { main: [[to("Summary")], [to("Active?")]] },
        "Active?": { main: [[to("Check site")], []] },
        "Check site": { main: [[to("Loop")]] },
      },
      truth: {
        is: "wrong",
        cause:
          "The loop ended after 3 of 5 items: the third took the false output of Active?, which leads nowhere and not back to the loop, so Summary (done) never ran.",
        place: "Active?",
        next: "Connect the false output back to Loop.",
      },
    },
    {
      name: "if-text-for-number",
      thread: 9493,
      nodes: [
        set("Case", { total: ["string", "={{ ' 12' }}"] }),
        iff("More than one?", "={{ $json.total }}", { type: "number", operation: "gt" }, 1),
      ],
      truth: {
        is: "failed",
        cause: "total is text (' 12', with a space), and the strict comparison wants a number.",
        place: "More than one?",
        next: "Convert the value to a number, or turn on Convert types where required.",
      },
    },
    {
      name: "text-false-counts-as-true",
      thread: 10702,
      nodes: [
        set("Subscriber", { unsubscribed: ["string", "false"], email: ["string", "ana@example.com"] }),
        iff(
          "Unsubscribed?",
          "={{ $json.unsubscribed }}",
          { type: "boolean", operation: "true", singleValue: true },
          "",
          { validation: "loose", version: 2, options: 1 },
        ),
        set("Skip", { skipped: ["boolean", true] }),
        set("Send newsletter", { sent: ["boolean", true] }),
      ],
      connections: {
        ...chain("Webhook", "Subscriber", "Unsubscribed?"),
        ...branch("Unsubscribed?", "Skip", "Send newsletter"),
      },
      truth: {
        is: "wrong",
        cause:
          'unsubscribed is the text "false", which this loose comparison counts as true, so the item took the true output.',
        place: "Unsubscribed?",
        next: "Give it a real boolean, or use the newer IF node's conversion.",
      },
    },
    {
      name: "file-lost-before-upload",
      thread: 21070,
      nodes: [
        code(
          "Render",
          "return [{ json: { id: 7 }, binary: { VideoFile: { data: 'AAAA', mimeType: 'video/mp4', fileName: 'v.mp4' } } }]",
        ),
        post("Create upload", `${url}/v1/uploads`, "={{ JSON.stringify({ id: $json.id }) }}"),
        node("Upload file", "n8n-nodes-base.httpRequest", 4.2, {
          ...{ method: "PUT", url: `${url}/v1/uploads/7`, sendBody: true, contentType: "binaryData" },
          ...{ inputDataFieldName: "VideoFile", options: {} },
        }),
      ],
      truth: {
        is: "failed",
        cause:
          "The item that Upload file was given has no file VideoFile: Render had it, and Create upload answers with its own item and drops it.",
        place: "Upload file",
        next: "Merge the file back in after Create upload, or refer to Render's file.",
      },
    },
    {
      name: "hours-in-the-servers-zone",
      thread: 20330,
      settings: { timezone: "Asia/Beirut" },
      body: { requestId: "t", start: "2026-10-02T14:00:00+03:00" },
      nodes: [
        code(
          "Slot",
          "const start = new Date($json.body.start); return [{ json: { hour: start.getHours(), text: start.getHours() + ':00' } }]",
        ),
      ],
      truth: {
        is: "wrong",
        cause:
          "JavaScript's Date gives the hour of the server's zone (UTC): 14:00 in Beirut became 11:00; the workflow's timezone counts for Luxon only.",
        place: "Slot",
        next: "Use DateTime.fromISO(...).setZone($workflow timezone) instead of Date.",
      },
    },
    {
      name: "unused-respond-node",
      thread: 22220,
      nodes: [
        code("Work", "return $input.all()"),
        node("Respond to Webhook", "n8n-nodes-base.respondToWebhook", 1.4, {
          respondWith: "json",
          responseBody: "{}",
          options: {},
        }),
      ],
      truth: {
        is: "failed",
        cause:
          "The Webhook node does not answer through the Respond to Webhook node that follows it, so n8n refuses to start.",
        place: "Webhook",
        next: "Set the Webhook's Respond to 'Using Respond to Webhook node', or remove that node.",
      },
    },
    {
      name: "answer-does-not-fit-the-schema",
      thread: 18765,
      body: question,
      nodes: [agent(2.2, { hasOutputParser: true }), chat("misfit"), parser],
      connections: {
        ...chain("Webhook", "Agent"),
        ...sub("Model", "ai_languageModel"),
        ...sub("Structured Output Parser", "ai_outputParser"),
      },
      truth: {
        is: "failed",
        cause:
          'The model\'s answer does not fit the schema of the Structured Output Parser: total is text ("four hundred") or missing, where a number is required.',
        place: "Structured Output Parser, of Agent",
        next: "Loosen the schema, instruct the model, or use auto-fix.",
      },
    },
    {
      name: "memory-without-session",
      thread: 19778,
      body: question,
      nodes: [
        agent(2.2),
        chat("plain"),
        node("Simple Memory", "@n8n/n8n-nodes-langchain.memoryBufferWindow", 1.3, {}),
      ],
      connections: {
        ...chain("Webhook", "Agent"),
        ...sub("Model", "ai_languageModel"),
        ...sub("Simple Memory", "ai_memory"),
      },
      truth: {
        is: "failed",
        cause:
          "Simple Memory found no session id: it looks for sessionId of a Chat Trigger, and the workflow starts with a webhook.",
        place: "Simple Memory, of Agent",
        next: "Set its Session ID to 'Define below' with a key of your own.",
      },
    },
    {
      name: "comma-in-a-query-parameter",
      thread: 16354,
      body: { requestId: "t", text: "Hello, how are you?", at: "2026-01-01T12:00:00Z" },
      nodes: [
        {
          ...node("Insert", "n8n-nodes-base.postgres", 2.6, {
            operation: "executeQuery",
            query: "INSERT INTO notes (note, written_at) VALUES ($1, $2)",
            options: { queryReplacement: "={{ $json.body.text }},{{ $json.body.at }}" },
          }),
          credentials: { postgres: credential("postgres") },
        },
      ],
      truth: {
        is: "failed",
        cause:
          "The query parameters are split at every comma, and the text has one: ' how are you?' became the timestamp $2.",
        place: "Insert",
        next: "Give the parameters as an array: {{ [ $json.body.text, $json.body.at ] }}.",
      },
    },
    {
      name: "sheet-columns-renamed",
      thread: 28286,
      nodes: [
        set("Lead", { Name: ["string", "Ana"], Email: ["string", "ana@example.com"] }),
        {
          ...node("Append row", "n8n-nodes-base.googleSheets", 4.6, {
            authentication: "serviceAccount",
            operation: "append",
            documentId: { __rl: true, mode: "id", value: "1Z0QRfnpa0re-lRORzyQyEHlsaz-uKG-2JRhG" },
            sheetName: { __rl: true, mode: "list", value: 0, cachedResultName: "Leads" },
            columns: {
              mappingMode: "defineBelow",
              value: { Name: "={{ $json.Name }}", Email: "={{ $json.Email }}" },
              matchingColumns: [],
              schema: ["Name", "Email"].map((id) => ({ id, displayName: id, type: "string", display: true })),
            },
            options: {},
          }),
          credentials: { googleApi: credential("googleApi") },
        },
      ],
      truth: {
        is: "failed",
        cause:
          "The sheet's columns were renamed after the node was set up: it has Name, E-mail, Phone, and the node writes Email.",
        place: "Append row",
        next: "Refresh the column list in the node and map again, or rename the column back.",
      },
    },
    {
      name: "telegram-markdown",
      thread: 13815,
      nodes: [
        {
          ...node("Send message", "n8n-nodes-base.telegram", 1.2, {
            chatId: "4711",
            text: "Build of feature_login done",
            additionalFields: { parse_mode: "Markdown" },
          }),
          credentials: { telegramApi: credential("telegramApi") },
        },
      ],
      truth: {
        is: "failed",
        cause: "Telegram cannot read the text as Markdown: an underscore opens an entity that never ends.",
        place: "Send message",
        next: "Escape the character, or set another parse mode (HTML or none).",
      },
    },
    {
      name: "python-runner-missing",
      thread: 24520,
      nodes: [
        node("Parse mail", "n8n-nodes-base.code", 2, {
          language: "pythonNative",
          pythonCode: "import email\nreturn [{'json': {'ok': True}}]",
        }),
      ],
      truth: {
        is: "failed",
        cause:
          "Python does not run on this n8n as the code wants it: its Python task runner is not there (or refuses the import).",
        place: "Parse mail",
        next: "Set up external task runners with Python (and allow the module), or write it in JavaScript.",
      },
    },
    {
      name: "sub-workflow-gives-nothing",
      thread: 19163,
      nodes: [callSubWorkflow("Price order", emptySubWorkflow), code("Notify", "return $input.all()")],
      truth: {
        is: "wrong",
        cause:
          "The sub-workflow ended without an item: its Filter let nothing through, so Price order put out nothing and Notify never ran.",
        place: "Price order (Filter in the sub-workflow)",
        next: "Look at the Filter's condition in the sub-workflow, or always output data.",
      },
    },
    {
      name: "slack-scope",
      thread: 17694,
      nodes: [
        {
          ...node("Post", "n8n-nodes-base.slack", 2.3, {
            select: "channel",
            channelId: { __rl: true, mode: "id", value: "C024BE91L" },
            text: "Deployed",
            otherOptions: {},
          }),
          credentials: { slackApi: credential("slackApi") },
        },
      ],
      truth: {
        is: "failed",
        cause:
          "The Slack credential lacks a scope: chat:write is needed, and it has identify and channels:read.",
        place: "Post",
        next: "Add the scope to the Slack app and reinstall it, then renew the token.",
      },
    },
    {
      name: "smtp-ssl-on-a-plain-port",
      thread: 12809,
      nodes: [
        {
          ...node("Send Email", "n8n-nodes-base.emailSend", 2.1, {
            ...{
              fromEmail: "a@example.com",
              toEmail: "b@example.com",
              subject: "Hi",
              emailFormat: "text",
              text: "Hi",
            },
            options: {},
          }),
          credentials: { smtp: credential("smtp") },
        },
      ],
      truth: {
        is: "failed",
        cause:
          "n8n speaks TLS from the first byte, and the mail server's port speaks plain SMTP (STARTTLS): wrong version number.",
        place: "Send Email",
        next: "Turn SSL/TLS off in the SMTP credential for that port (587), or use 465.",
      },
    },
    {
      name: "agent-out-of-iterations",
      thread: 20890,
      body: question,
      nodes: [agent(2.2, {}, { maxIterations: 2 }), chat("endless"), goodTool],
      connections: {
        ...chain("Webhook", "Agent"),
        ...sub("Model", "ai_languageModel"),
        ...sub("get_stock", "ai_tool"),
      },
      truth: {
        is: "wrong",
        cause: "The agent used up its iterations (2) while still calling get_stock, and has no answer.",
        place: "Agent",
        next: "Raise Max Iterations, or see why the model calls the tool again and again.",
      },
    },
    {
      name: "tool-called-with-nothing",
      thread: 37916,
      body: question,
      nodes: [agent(1.9), chat("empty-input"), goodTool],
      connections: {
        ...chain("Webhook", "Agent"),
        ...sub("Model", "ai_languageModel"),
        ...sub("get_stock", "ai_tool"),
      },
      truth: {
        is: "failed",
        cause:
          "The model called get_stock without the required input item, which does not fit the tool's schema.",
        place: "Agent (tool get_stock)",
        next: "Describe the input better or give it a default; a newer agent version gives the model the error back.",
      },
    },
    {
      name: "mcp-server-unreachable",
      thread: 15079,
      body: question,
      nodes: [
        agent(2.2),
        chat("plain"),
        node("MCP Client", "@n8n/n8n-nodes-langchain.mcpClientTool", 1.2, {
          ...{
            endpointUrl: `${deadUrl}/mcp`,
            serverTransport: "httpStreamable",
            authentication: "none",
            include: "all",
            options: {},
          },
        }),
      ],
      connections: {
        ...chain("Webhook", "Agent"),
        ...sub("Model", "ai_languageModel"),
        ...sub("MCP Client", "ai_tool"),
      },
      truth: {
        is: "failed",
        cause: "The MCP Client could not connect to its MCP server: nothing listens at its address.",
        place: "MCP Client, of Agent",
        next: "Check the endpoint, its transport and that the server runs and can be reached from n8n.",
      },
    },
    {
      name: "body-broken-by-quotes",
      thread: 13955,
      body: { requestId: "t", prompt: 'a sign that says "open"\nat night' },
      nodes: [
        post("Generate", `${url}/v1/images`, '={ "model": "flux", "prompt": "{{ $json.body.prompt }}" }'),
      ],
      truth: {
        is: "failed",
        cause:
          "The JSON body is not valid once the prompt is put in: the prompt has quotes and a line break that are not escaped.",
        place: "Generate",
        next: "Use {{ JSON.stringify($json.body.prompt) }} in the body, or fields instead of JSON.",
      },
    },
    {
      name: "expression-sent-as-text",
      thread: 18181,
      body: { requestId: "t", request: "execute the protocol" },
      nodes: [
        post("Send on", `${url}/v1/echo`, '{ "request": "{{ $json.body.request }}" }'),
        code("Done", "return $input.all()"),
      ],
      truth: {
        is: "wrong",
        cause:
          "The body was sent with the template itself, {{ $json.body.request }}: the field is not an expression (no =).",
        place: "Send on",
        next: "Switch the body to Expression.",
      },
    },
    {
      name: "dotted-name-is-one-key",
      thread: 34053,
      nodes: [
        given("Order", [{ data: { lines: [{ sku: "X1" }, { sku: "X2" }] } }]),
        node("Split Out", "n8n-nodes-base.splitOut", 1, {
          fieldToSplitOut: "data.lines",
          options: { destinationFieldName: "data.line" },
        }),
        set("Line", { sku: ["string", "={{ $json.data.line.sku }}"] }),
      ],
      truth: {
        is: "wrong",
        cause: "Split Out wrote one key named 'data.line', no object data, so $json.data is undefined.",
        place: "Line",
        next: "Read $json['data.line'].sku, or use a name without a dot.",
      },
    },
    {
      name: "tool-failed-inside-a-green-run",
      thread: 22893,
      body: question,
      nodes: [agent(2.2), chat("gives-up"), quoteTool],
      connections: {
        ...chain("Webhook", "Agent"),
        ...sub("Model", "ai_languageModel"),
        ...sub("get_quotes", "ai_tool"),
      },
      truth: {
        is: "wrong",
        cause:
          "The tool get_quotes failed: its API answered 400 'Token not found'; the agent answered without it, so the run is green.",
        place: "get_quotes, of Agent",
        next: "Renew the credential or token of the tool.",
      },
    },
    {
      name: "form-without-respond-node",
      thread: 9641,
      form: true,
      nodes: [
        {
          ...node("Webhook", "n8n-nodes-base.formTrigger", 2.2, {
            formTitle: "Contact",
            formFields: { values: [{ fieldLabel: "Name" }] },
            responseMode: "responseNode",
            path: "form-without-respond-node",
            options: {},
          }),
          webhookId: "form-without-respond-node",
        },
        code("Work", "return $input.all()"),
      ],
      truth: {
        is: "failed",
        cause: "The form answers through a Respond to Webhook node, and the workflow has none.",
        place: "Webhook (the form trigger)",
        next: "Add a Respond to Webhook node, or let the form respond when the workflow finishes.",
      },
    },
    {
      name: "environment-refused",
      thread: 29603,
      nodes: [set("Base", { url: ["string", "={{ $env.API_BASE_URL }}"] })],
      truth: {
        is: "failed",
        cause: "n8n refuses expressions access to environment variables (N8N_BLOCK_ENV_ACCESS_IN_NODE).",
        place: "Base",
        next: "Set N8N_BLOCK_ENV_ACCESS_IN_NODE=false, or use n8n's variables or a credential.",
      },
    },
    {
      name: "credential-placeholder",
      thread: 14228,
      nodes: [
        {
          ...node("Load", "n8n-nodes-base.postgres", 2.6, {
            operation: "executeQuery",
            query: "SELECT 1",
            options: {},
          }),
          credentials: { postgres: { id: "GoneCredential01", name: "Old warehouse" } },
        },
      ],
      truth: {
        is: "failed",
        cause: "The node's credential (Old warehouse) does not exist on this n8n any more.",
        place: "Load",
        next: "Choose or create the credential in the node.",
      },
    },
    {
      name: "code-never-ends",
      thread: 27029,
      nodes: [
        code(
          "Total",
          "let total = 0; let page = 1; while (page) { total += 1; } return [{ json: { total } }]",
        ),
      ],
      truth: {
        is: "failed",
        cause: "The code did not end within the task runner's time limit: its loop never ends.",
        place: "Total",
        next: "Mend the loop (or do less at a time; N8N_RUNNERS_TASK_TIMEOUT).",
      },
    },
    // Nothing is wrong with these.
    {
      name: "redirect-that-is-followed",
      thread: 2046,
      nodes: [
        post("Append by script", `${url}/macros/exec`, "={{ JSON.stringify($json.body) }}"),
        code("Done", "return $input.all()"),
      ],
      truth: {
        is: "healthy",
        cause: "The redirect was followed, and the script answered that the row was written.",
      },
    },
    {
      name: "pages-until-empty",
      thread: 8355,
      nodes: [
        get(
          "Fetch orders",
          `${url}/v1/orders`,
          pages("={{ $pageCount + 1 }}", { paginationCompleteWhen: "responseIsEmpty" }),
        ),
        code("Count", "return [{ json: { orders: $input.all().length } }]"),
      ],
      truth: { is: "healthy", cause: "Three pages, then an empty one, as it should be." },
    },
    {
      name: "waits-for-approval",
      thread: 32739,
      nodes: [
        {
          ...node("Wait", "n8n-nodes-base.wait", 1.1, {
            resume: "webhook",
            responseMode: "responseNode",
            options: {},
          }),
          webhookId: randomUUID(),
        },
        node("Respond to Webhook", "n8n-nodes-base.respondToWebhook", 1.4, {
          respondWith: "json",
          responseBody: "{}",
          options: {},
        }),
      ],
      truth: { is: "healthy", cause: "It waits for the call that resumes it." },
    },
    {
      name: "nothing-new-to-do",
      thread: 18453,
      times: 2,
      nodes: [
        given("Feed", [{ id: 1 }, { id: 2 }]),
        node("Remove Duplicates", "n8n-nodes-base.removeDuplicates", 2, {
          operation: "removeItemsSeenInPreviousExecutions",
          dedupeValue: "={{ $json.id }}",
          options: {},
        }),
        code("Publish", "return $input.all()"),
      ],
      truth: { is: "healthy", cause: "Both items were seen in an earlier run; nothing was left to publish." },
    },
    {
      name: "loop-that-ends",
      thread: 16106,
      nodes: [
        given("Lines", orders),
        node("Loop", "n8n-nodes-base.splitInBatches", 3, { options: {} }),
        code("Handle", "return $input.all()"),
        code("Summary", "return [{ json: { lines: $input.all().length } }]"),
      ],
      connections: {
        ...chain("Webhook", "Lines", "Loop"),
        Loop: { main: [[to("Summary")], [to("Handle")]] },
        Handle: { main: [[to("Loop")]] },
      },
      truth: { is: "healthy", cause: "All three were handled, and the summary was made." },
    },
    {
      name: "second-try-worked",
      thread: 1695,
      nodes: [
        get("Fetch rate", `${url}/flaky`, {}, { retryOnFail: true, maxTries: 3, waitBetweenTries: 200 }),
        code("Done", "return $input.all()"),
      ],
      truth: {
        is: "healthy",
        cause: "The first try was answered 503; the second worked, and the rate is there.",
      },
    },
    {
      name: "agent-that-answers",
      thread: 20029,
      body: question,
      nodes: [agent(2.2, { hasOutputParser: true }), chat("good"), goodTool, parser],
      connections: {
        ...chain("Webhook", "Agent"),
        ...sub("Model", "ai_languageModel"),
        ...sub("get_stock", "ai_tool"),
        ...sub("Structured Output Parser", "ai_outputParser"),
      },
      truth: { is: "healthy", cause: "The tool was called, and the answer fits the schema." },
    },
    {
      name: "filtered-on-purpose",
      thread: 2616,
      body: { requestId: "t", from: "guest" },
      nodes: [
        iff("From an admin?", "={{ $json.body.from }}", { type: "string", operation: "equals" }, "admin"),
        code("Restart server", "return $input.all()"),
      ],
      truth: { is: "healthy", cause: "The sender is no admin, so nothing is restarted." },
    },
    {
      name: "report-with-no-errors",
      thread: 22990,
      nodes: [get("Import", `${url}/v1/import`), code("Done", "return $input.all()")],
      truth: { is: "healthy", cause: "The import says 3 created and no errors." },
    },
    {
      name: "insert-by-array",
      thread: 14955,
      body: { requestId: "t", text: "The error is back, please help", at: "2026-01-01T12:00:00Z" },
      nodes: [
        {
          ...node("Insert", "n8n-nodes-base.postgres", 2.6, {
            operation: "executeQuery",
            query: "INSERT INTO notes (note, written_at) VALUES ($1, $2) RETURNING *",
            options: { queryReplacement: "={{ [ $json.body.text, $json.body.at ] }}" },
          }),
          credentials: { postgres: credential("postgres") },
        },
        code("Done", "return $input.all()"),
      ],
      truth: {
        is: "healthy",
        cause: "The note was written; its text speaks of an error, which is a customer's.",
      },
    },
    {
      name: "sub-workflow-that-answers",
      thread: 16475,
      nodes: [callSubWorkflow("Price order", goodSubWorkflow), code("Notify", "return $input.all()")],
      truth: { is: "healthy", cause: "The sub-workflow answered, and its price was passed on." },
    },
  ];
}

export const subWorkflowNodes = {
  empty: [
    subWorkflowStart(),
    given("Prices", [{ sku: "X1", price: 0 }]),
    node("Filter", "n8n-nodes-base.filter", 2.2, {
      conditions: {
        options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
        combinator: "and",
        conditions: [
          {
            id: "f",
            leftValue: "={{ $json.price }}",
            rightValue: 0,
            operator: { type: "number", operation: "gt" },
          },
        ],
      },
      options: {},
    }),
  ],
  good: [subWorkflowStart(), given("Prices", [{ sku: "X1", price: 12 }])],
} as const;
