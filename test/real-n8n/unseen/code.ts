/** Code that fails, and thrown texts that imitate n8n and services. */
import { code, node } from "../workflow-parts.ts";
import { failsIn, PRIVATE, stop } from "./parts.ts";
import type { UnseenKind, UnseenParts } from "./unseen-kind.ts";

const THREW = /its own code|thr(ew|own)/;
/** What a thrown text imitates, and claims that would be wrong. */
const IMITATED = /answered \d|refused the connection|needs a number|credential|sub-workflow/i;

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
    {
      says: [/return/, /object|one item|single|list|items/],
      causes: ["code_return"],
      neverSays: [/a list of objects/],
    },
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

export const codeUnseen = (parts: UnseenParts): readonly UnseenKind[] => [...imitations, ...codes(parts)];
