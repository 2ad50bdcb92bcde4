/** Code that fails or imitates others, and services that misbehave. */

import { get, list, noOp, set } from "../kinds/parts.ts";
import { wire } from "../kinds/stage.ts";
import { code, node, type WorkflowNode, webhook } from "../workflow-parts.ts";
import type { Expected, UnseenKind, UnseenParts } from "./unseen-kind.ts";

const PRIVATE = /planted/i;
const THREW = /its own code|thr(ew|own)/;
/** What a text that was thrown by a workflow imitates, and what is not so. */
const IMITATED = /answered \d|refused the connection|needs a number|credential|sub-workflow/i;

const failsIn = (
  name: string,
  made: WorkflowNode,
  expected: Omit<Expected, "roots"> & Partial<Pick<Expected, "roots">>,
  body: unknown = { order: 4711 },
): UnseenKind => ({
  name,
  family: "failed",
  draft: { nodes: [made, noOp("Done")] },
  sent: [body],
  expected: { roots: [made.name], ...expected },
});

const stop = (name: string, parameters: Readonly<Record<string, unknown>>): WorkflowNode =>
  node(name, "n8n-nodes-base.stopAndError", 1, parameters);

const imitations: readonly UnseenKind[] = [
  failsIn(
    "code-throws-a-refusal",
    code("Ask stock", "throw new Error('connect ECONNREFUSED 10.0.0.1:5432')"),
    {
      says: [THREW],
      neverSays: [IMITATED],
      causes: ["code_threw"],
    },
  ),
  failsIn(
    "code-throws-a-wrong-type",
    code(
      "Check",
      `throw new Error("Wrong type: 'planted' is a string but was expecting a number [condition 0, item 0]")`,
    ),
    { says: [THREW], neverSays: [IMITATED, PRIVATE], causes: ["code_threw"] },
  ),
  failsIn(
    "code-throws-an-object",
    code(
      "Check",
      "throw { status: 404, statusCode: 404, message: 'The resource you are requesting could not be found' }",
    ),
    { says: [THREW], neverSays: [IMITATED], causes: ["code_threw"] },
  ),
  failsIn(
    "code-throws-a-sub-workflow",
    code(
      "Check",
      "const error = new Error('Workflow is not active'); error.executionId = '1'; error.workflowId = 'planted'; throw error",
    ),
    { says: [THREW], neverSays: [IMITATED, PRIVATE], causes: ["code_threw"] },
  ),
  failsIn(
    "stop-like-http",
    stop("Refuse", { errorMessage: "404 - The resource you are requesting could not be found" }),
    {
      says: [/on purpose|Stop And Error|was told to|stops/i],
      neverSays: [IMITATED],
      causes: ["stopped_on_purpose"],
    },
  ),
  failsIn(
    "stop-like-a-sub-workflow",
    stop("Refuse", {
      errorType: "errorObject",
      errorObject: '{ "message": "planted", "executionId": "1", "workflowId": "planted", "httpCode": "503" }',
    }),
    {
      says: [/on purpose|Stop And Error|was told to|stops/i],
      neverSays: [IMITATED, PRIVATE],
      causes: ["stopped_on_purpose"],
    },
  ),
];

const codes = ({ odd }: UnseenParts): readonly UnseenKind[] => [
  failsIn(
    "code-calls-http-404",
    code(
      "Look up",
      `return [{ json: await this.helpers.httpRequest({ url: "${odd.url}/lookup/7", json: true }) }]`,
    ),
    { says: [/404/], causes: ["http_status", "code_threw"] },
  ),
  failsIn(
    "code-parses-half-json",
    code("Read raw", "return [{ json: JSON.parse($json.body.raw) }]"),
    {
      roots: ["Read raw", "Webhook"],
      says: [/JSON/],
      neverSays: [/code is not valid|fault in its syntax/, PRIVATE],
      causes: ["not_json", "code_threw"],
    },
    { raw: '{ "a": "planted' },
  ),
  failsIn(
    "code-takes-apart-nothing",
    code("Label", "const { city, street } = $json.body.address; return [{ json: { city, street } }]"),
    {
      roots: ["Webhook", "Label"],
      says: [/address/],
      neverSays: [PRIVATE],
      causes: ["field_missing"],
    },
    { name: "planted" },
  ),
  failsIn(
    "code-goes-over-no-list",
    code(
      "List lines",
      "const all = []; for (const line of $json.body.lines) all.push({ json: line }); return all",
    ),
    {
      roots: ["Webhook", "List lines"],
      says: [/lines/, /list|iterable|object/],
      causes: ["wrong_type", "code_threw"],
      neverSays: [PRIVATE],
    },
    { lines: { planted: 1 } },
  ),
  failsIn(
    "code-makes-no-date",
    code("Take day", "return [{ json: { day: new Date($json.body.when).toISOString() } }]"),
    {
      roots: ["Webhook", "Take day"],
      says: [/date|time/i],
      causes: ["wrong_type", "code_threw", "invalid_request"],
      neverSays: [PRIVATE],
    },
    { when: "planted morning" },
  ),
  failsIn(
    "code-for-each-returns-a-list",
    node("Split", "n8n-nodes-base.code", 2, {
      mode: "runOnceForEachItem",
      jsCode: "return [{ json: { a: 1 } }, { json: { a: 2 } }]",
    }),
    { says: [/return/, /object|one item|single|list|items/], causes: ["code_return"] },
  ),
  failsIn("code-never-ends", code("Spin", "while (true) {}"), {
    says: [/time|long|seconds/i],
    causes: ["timeout", "runner"],
  }),
  failsIn(
    "code-in-python",
    node("Count", "n8n-nodes-base.code", 2, {
      language: "pythonNative",
      pythonCode: "return [{'json': {'n': len(_items)}}]",
    }),
    { says: [/Python/i], causes: ["runner", "not_set_up"] },
  ),
];

const fetch = (name: string, url: string, more: Readonly<Record<string, unknown>> = {}): WorkflowNode =>
  get(name, url, more);

const services = ({ odd }: UnseenParts): readonly UnseenKind[] => [
  failsIn("redirects-without-end", fetch("Fetch page", `${odd.url}/round`), {
    says: [/redirect/i],
    causes: ["connection", "http_status"],
  }),
  failsIn("html-502", fetch("Fetch orders", `${odd.url}/html/502`), {
    says: [/502/],
    causes: ["http_status"],
    neverSays: [/nginx/],
  }),
  failsIn("html-504", fetch("Fetch orders", `${odd.url}/html/504`), {
    says: [/504/],
    causes: ["http_status"],
  }),
  failsIn("empty-500", fetch("Fetch orders", `${odd.url}/empty/500`), {
    says: [/500/],
    causes: ["http_status"],
  }),
  failsIn("payload-too-large", fetch("Upload", `${odd.url}/empty/413`), {
    says: [/413/, /large|big|too much/],
    causes: ["http_status"],
  }),
  failsIn("gone-410", fetch("Fetch offer", `${odd.url}/problem/410`), {
    says: [/410/],
    causes: ["http_status"],
    neverSays: [PRIVATE],
  }),
  failsIn("connection-cut", fetch("Fetch orders", `${odd.url}/cut`), {
    says: [/broke off|closed|reset|ECONNRESET|hang up/i],
    causes: ["connection"],
  }),
  failsIn(
    "half-json",
    fetch("Fetch orders", `${odd.url}/half`, {
      options: { response: { response: { responseFormat: "json" } } },
    }),
    { says: [/JSON/], causes: ["not_json"] },
  ),
  failsIn(
    "url-without-protocol",
    fetch("Fetch orders", "={{ $json.body.host }}/orders"),
    {
      roots: ["Fetch orders", "Webhook"],
      says: [/URL|address/i, /http|valid/i],
      causes: ["invalid_request"],
      neverSays: [PRIVATE],
    },
    { host: "planted.example" },
  ),
  failsIn(
    "line-break-in-header",
    fetch("Fetch orders", `${odd.url}/ok`, {
      sendHeaders: true,
      headerParameters: { parameters: [{ name: "X-Customer", value: "={{ $json.body.name }}" }] },
    }),
    {
      roots: ["Fetch orders", "Webhook"],
      says: [/header/i],
      causes: ["invalid_request"],
      neverSays: [PRIVATE],
    },
    { name: "planted\nname" },
  ),
  failsIn(
    "pages-without-end",
    fetch("Fetch all", `${odd.url}/same-page`, {
      options: {
        pagination: {
          pagination: {
            paginationMode: "updateAParameterInEachRequest",
            parameters: { parameters: [{ type: "qs", name: "page", value: "={{ $pageCount + 1 }}" }] },
            paginationCompleteWhen: "other",
            completeExpression: "={{ $response.body.more === false }}",
            limitPagesFetched: false,
            requestInterval: 0,
          },
        },
      },
    }),
    {
      says: [/same|identical|page|pagination/i],
      causes: ["invalid_request", "http_status", "node_failed", "loop"],
    },
  ),
  {
    name: "failed-lookup-stops-on-purpose",
    family: "failed",
    draft: {
      nodes: [
        { ...fetch("Fetch customer", `${odd.url}/lookup/9`), onError: "continueErrorOutput" },
        noOp("Ship"),
        stop("Give up", { errorMessage: "planted: no customer" }),
      ],
      connections: wire("Webhook > Fetch customer", "Fetch customer > Ship", "Fetch customer.1 > Give up"),
    },
    expected: {
      roots: ["Give up", "Fetch customer"],
      says: [/on purpose|Stop And Error|was told to|stops|404/i],
      alsoSays: [/404/],
      causes: ["stopped_on_purpose", "http_status"],
      neverSays: [PRIVATE],
    },
  },
];

const systems = ({ odd }: UnseenParts): readonly UnseenKind[] => [
  {
    name: "telegram-chat-not-found",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCredential("telegramApi", {
        accessToken: "only-for-tests",
        baseUrl: `${odd.url}/telegram`,
      });
      return {
        nodes: [
          {
            ...node("Tell boss", "n8n-nodes-base.telegram", 1.2, {
              chatId: "1",
              text: "planted",
              additionalFields: {},
            }),
            credentials: { telegramApi: { id, name: "Bot" } },
          },
        ],
      };
    },
    expected: { roots: ["Tell boss"], says: [/400/], causes: ["http_status"], neverSays: [PRIVATE] },
  },
  {
    name: "gitlab-token-refused",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCredential("gitlabApi", {
        server: `${odd.url}/gitlab`,
        accessToken: "only-for-tests",
      });
      return {
        nodes: [
          {
            ...node("Open issue", "n8n-nodes-base.gitlab", 1, {
              owner: "shop",
              repository: "site",
              title: "planted",
              body: "planted",
              labels: [],
              assignee_ids: [],
            }),
            credentials: { gitlabApi: { id, name: "Lab" } },
          },
        ],
      };
    },
    expected: {
      roots: ["Open issue"],
      says: [/401/, /credential/],
      causes: ["http_status", "credential"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "ssh-refused",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCredential("sshPassword", {
        host: "127.0.0.1",
        port: stage.services.deadPort,
        username: "ana",
        password: "only-for-tests",
      });
      return {
        nodes: [
          {
            ...node("Restart shop", "n8n-nodes-base.ssh", 1, {
              command: "uptime",
              authentication: "password",
            }),
            credentials: { sshPassword: { id, name: "Server" } },
          },
        ],
      };
    },
    expected: {
      roots: ["Restart shop"],
      says: [/refused the connection|ECONNREFUSED/],
      causes: ["connection"],
    },
  },
  {
    name: "token-is-none",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCredential("jwtAuth", {
        keyType: "passphrase",
        secret: "only-for-tests",
        algorithm: "HS256",
      });
      return {
        nodes: [
          {
            ...node("Check token", "n8n-nodes-base.jwt", 1, {
              operation: "verify",
              token: "={{ $json.body.token }}",
              options: {},
            }),
            credentials: { jwtAuth: { id, name: "Tokens" } },
          },
        ],
      };
    },
    sent: [{ token: "planted" }],
    expected: {
      roots: ["Check token", "Webhook"],
      says: [/token|JWT/i],
      causes: ["invalid_request", "node_failed", "credential"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "table-is-gone",
    family: "failed",
    draft: {
      nodes: [
        node("Read stock", "n8n-nodes-base.dataTable", 1, {
          resource: "row",
          operation: "get",
          dataTableId: { __rl: true, mode: "id", value: "plantedTable0001" },
          matchType: "anyCondition",
          filters: { conditions: [] },
        }),
      ],
    },
    expected: {
      roots: ["Read stock"],
      says: [/table/i],
      causes: ["node_failed", "not_set_up", "invalid_request", "database"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "answers-where-nobody-waits",
    family: "failed",
    draft: {
      nodes: [
        set("Take order", { order: 5 }),
        node("Answer", "n8n-nodes-base.respondToWebhook", 1.4, {
          respondWith: "allIncomingItems",
          options: {},
        }),
      ],
    },
    expected: {
      roots: ["Answer", "Webhook"],
      says: [/Webhook|respond/i],
      causes: ["invalid_request", "not_set_up", "node_failed"],
    },
  },
  {
    name: "answers-twice",
    family: "ordinary",
    draft: {
      nodes: [
        {
          ...webhook("answers-twice", "lastNode"),
          parameters: {
            path: "answers-twice",
            httpMethod: "POST",
            responseMode: "responseNode",
            options: {},
          },
        },
        node("Answer at once", "n8n-nodes-base.respondToWebhook", 1.4, {
          respondWith: "text",
          responseBody: "Got it",
          options: { responseCode: 202 },
        }),
        set("Take order", { order: 5 }),
      ],
    },
  },
  {
    name: "schedule-meets-503",
    family: "failed",
    draft: async (stage) => {
      const trigger = node("Every morning", "n8n-nodes-base.scheduleTrigger", 1.2, {
        rule: { interval: [{ field: "seconds", secondsInterval: 3 }] },
      });
      await stage.addCalled("Nightly prices", {
        nodes: [trigger, fetch("Fetch prices", `${odd.url}/html/503`)],
      });
      return { nodes: [list("Nothing", [{ a: 1 }])] };
    },
    judged: "Nightly prices",
    judgesFirst: true,
    executions: 2,
    meanwhile: async (stage) => await endSchedule(stage.api),
    expected: { roots: ["Fetch prices"], says: [/503/], causes: ["http_status"] },
  },
];

/** Lets it run once. */
async function endSchedule(api: (method: "GET" | "POST", path: string) => Promise<unknown>): Promise<void> {
  const id = await idOf(api, "Nightly prices");
  for (let left = 200; left > 0; left -= 1) {
    const runs = JSON.stringify(await api("GET", `/executions?workflowId=${id}`));
    if (runs.includes('"id"')) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await api("POST", `/workflows/${id}/deactivate`);
}

async function idOf(api: (method: "GET", path: string) => Promise<unknown>, name: string): Promise<string> {
  const listed = JSON.stringify(await api("GET", `/workflows?name=${encodeURIComponent(name)}`));
  const [, id = ""] =
    /"id":"([A-Za-z0-9]{16,21})","name":"Nightly prices"/.exec(listed) ??
    /"id":"([A-Za-z0-9]{16,21})"/.exec(listed) ??
    [];
  return id;
}

export const codeAndHttpUnseen = (parts: UnseenParts): readonly UnseenKind[] => [
  ...imitations,
  ...codes(parts),
  ...services(parts),
  ...systems(parts),
];
