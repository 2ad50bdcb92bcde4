/** Successes in which an error was swallowed, or that did less than their author believes. */
import { BASE, failing, made, nodeError, type ReportedCase, WEBHOOK } from "./case.ts";

const PEOPLE = [1, 2, 3, 4, 5].map((id) => ({ id, city: "Bern" }));
const node = (type: string, parameters: object = {}) => ({ type: BASE + type, parameters });
const condition = (leftValue: string) => ({
  conditions: { conditions: [{ leftValue, operator: { type: "string", operation: "exists" } }] },
});
const SEND = { name: "Send", ...node("httpRequest") };

export const silent: readonly ReportedCase[] = [
  {
    kind: "error-output-not-taken",
    source: "#8791, #11265, #21223",
    steps: [
      WEBHOOK,
      {
        ...failing("Insert rows", "postgres", nodeError("planted")),
        settings: { onError: "continueErrorOutput" },
        sent: [[{ id: 1 }]],
      },
      made("Next", { id: 1 }),
    ],
    roots: ["Insert rows"],
    symptoms: ["Next"],
    says: [/failed/, /as if nothing had happened/],
    neverSays: [/planted|error branch/],
  },
  {
    kind: "sheet-gives-no-rows",
    source: "#31425, #16521",
    steps: [WEBHOOK, { name: "Get row(s) in sheet", ...node("googleSheets"), sent: [[]] }, SEND],
    roots: ["Get row(s) in sheet"],
    symptoms: ["Send"],
    says: [/no items/],
  },
  {
    kind: "loop-not-led-back",
    source: "hold-out f06",
    steps: [
      WEBHOOK,
      made("List", ...PEOPLE),
      { name: "Loop", ...node("splitInBatches", { batchSize: 1 }), sent: [[], [PEOPLE[0]]] },
      { ...made("Fetch", { ok: true }), after: [["Loop", 1]] },
      { name: "Done", after: ["Loop"] },
    ],
    roots: ["Loop"],
    symptoms: ["Done"],
    says: [/back/, /1 item of 5/],
  },
  {
    kind: "join-without-a-match",
    source: "hold-out f07",
    steps: [
      WEBHOOK,
      made("List", ...PEOPLE),
      { ...made("Table", { key: "a" }, { key: "b" }), after: ["Webhook"] },
      { name: "Join", ...node("merge", { mode: "combine" }), after: ["List", "Table"], sent: [[]] },
      SEND,
    ],
    roots: ["Join"],
    symptoms: ["Send"],
    says: [/5 and 2/, /none/],
  },
  {
    kind: "shorter-input",
    source: "hold-out f38",
    steps: [
      WEBHOOK,
      made("List", ...PEOPLE),
      { ...made("Rate", { rate: 2 }), after: ["Webhook"] },
      {
        name: "Zip",
        ...node("merge", { mode: "combine", combineBy: "combineByPosition" }),
        after: ["List", "Rate"],
        sent: [[{ id: 1, rate: 2 }]],
      },
      made("Next", { ok: true }),
    ],
    roots: ["Zip"],
    symptoms: ["Next"],
    says: [/5 and 1/, /4 items/],
  },
  {
    kind: "forgotten-body",
    source: "hold-out f12; contextqmd.com n8n-code-javascript ERROR_PATTERNS",
    steps: [
      WEBHOOK,
      { name: "Has mail", ...node("if", condition("={{ $json.email }}")), sent: [[], [{ body: {} }]] },
      SEND,
    ],
    roots: ["Has mail"],
    symptoms: ["Send", "Webhook"],
    says: [/"email"/, /Webhook/],
  },
  {
    kind: "sub-workflow-filters-all",
    source: "hold-out f16",
    steps: [WEBHOOK, { name: "Call", ...node("executeWorkflow"), sent: [[], [{ id: 1 }]] }, SEND],
    roots: ["Call"],
    symptoms: ["Send"],
    says: [/no items/],
    neverSays: [/output 2/],
  },
  {
    kind: "method-of-nothing",
    source: "hold-out f20",
    steps: [
      WEBHOOK,
      {
        ...made("Shout", { n: null }),
        type: `${BASE}set`,
        parameters: { n: "={{ $json.body.nick.toUpperCase() }}" },
      },
    ],
    roots: ["Shout", "Webhook"],
    says: [/"body\.nick"/],
    neverSays: [/toUpperCase/],
  },
  {
    kind: "sum-of-nothing",
    source: "hold-out f24, f39",
    steps: [
      WEBHOOK,
      made("List", ...PEOPLE),
      {
        ...made("Names", { fullName: [] }),
        ...node("aggregate", {
          fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: "fullName" }] },
        }),
        hints: ["planted"],
      },
    ],
    roots: ["List", "Names"],
    says: [/"fullName"/],
    neverSays: [/planted/],
  },
];
