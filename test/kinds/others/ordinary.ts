/**
 * Ordinary successes, in which nothing may be called wrong: the shapes of the hold-out, and what n8n's core nodes send
 * when all is well. All data is made up.
 */
import type { Step } from "../../support/stepped-execution.ts";
import { AI, BASE, made, WEBHOOK } from "./case.ts";

export interface OrdinarySuccess {
  readonly kind: string;
  readonly steps: readonly Step[];
}

const PEOPLE = [1, 2, 3].map((id) => ({ id, mail: `a${id}@shop.example`, amount: id * 10, tags: ["a"] }));
const LIST = made("List", ...PEOPLE);
const ran = (name: string, type: string, items: readonly unknown[], more: Partial<Step> = {}): Step => ({
  name,
  type: type.startsWith("@") ? type : BASE + type,
  sent: [items],
  ...more,
});
const outputs = (
  name: string,
  type: string,
  sent: readonly (readonly unknown[])[],
  more: Partial<Step> = {},
): Step => ({
  ...ran(name, type, []),
  sent,
  ...more,
});
const NEXT = made("Next", { ok: true });
const left = (leftValue: string) => ({ conditions: { conditions: [{ leftValue, operator: {} }] } });
const hasErrorOutput = { settings: { onError: "continueErrorOutput" } };
const continuesOnError = { settings: { onError: "continueRegularOutput" } };

const one = (kind: string, ...steps: readonly Step[]): OrdinarySuccess => ({
  kind,
  steps: [WEBHOOK, ...steps],
});

const flow: readonly OrdinarySuccess[] = [
  one(
    "if-true",
    outputs("Is", "if", [[{ id: 1 }], []], { parameters: left("={{ $json.body.city }}") }),
    NEXT,
  ),
  one("if-false", outputs("Is", "if", [[], [{ id: 1 }]]), { ...NEXT, after: [["Is", 1]] }),
  one("if-guarded", outputs("Is", "if", [[], [{ id: 1 }], []], hasErrorOutput), {
    ...NEXT,
    after: [["Is", 1]],
  }),
  one("switch-last", outputs("By", "switch", [[], [], [{ id: 1 }]]), { ...NEXT, after: [["By", 2]] }),
  one("switch-guarded", outputs("By", "switch", [[], [{ id: 1 }], []], hasErrorOutput), {
    ...NEXT,
    after: [["By", 1]],
  }),
  one(
    "filter-some",
    LIST,
    outputs("Only", "filter", [[PEOPLE[0]], [PEOPLE[1], PEOPLE[2]]], {
      parameters: left("={{ $json.amount }}"),
    }),
    NEXT,
  ),
  one(
    "merge-append",
    LIST,
    { ...made("Other", { a: 1 }), after: ["Webhook"] },
    ran("Merge", "merge", [...PEOPLE, { a: 1 }], { after: ["List", "Other"] }),
    NEXT,
  ),
  one(
    "merge-one-side",
    outputs("Is", "if", [[{ id: 1 }], []]),
    made("Yes", { a: 1 }),
    { name: "Otherwise", after: [["Is", 1]] },
    ran("Merge", "merge", [{ a: 1 }], { after: ["Yes"] }),
    NEXT,
  ),
  one(
    "join-some",
    LIST,
    { ...made("Stock", { id: 1 }), after: ["Webhook"] },
    ran("Join", "merge", [PEOPLE[0]], { parameters: { mode: "combine" }, after: ["List", "Stock"] }),
    NEXT,
  ),
  one(
    "zip-even",
    LIST,
    { ...made("Rates", { r: 1 }, { r: 2 }, { r: 3 }), after: ["Webhook"] },
    ran("Zip", "merge", PEOPLE, {
      parameters: { mode: "combine", combineBy: "combineByPosition" },
      after: ["List", "Rates"],
    }),
    NEXT,
  ),
  one(
    "choose-branch",
    LIST,
    { ...made("Gate data", { a: 1 }), after: ["Webhook"] },
    ran("Gate", "merge", [{ a: 1 }], { parameters: { mode: "chooseBranch" }, after: ["List", "Gate data"] }),
    NEXT,
  ),
  one(
    "loop-led-back",
    LIST,
    outputs("Loop", "splitInBatches", [[], PEOPLE]),
    { ...made("Fetch", { ok: true }), after: [["Loop", 1]] },
    { ...NEXT, after: ["Loop"] },
  ),
  one(
    "split-out",
    ran("Split", "splitOut", [{ a: 1 }, { a: 2 }], { parameters: { fieldToSplitOut: "body" } }),
    NEXT,
  ),
  one(
    "aggregate",
    LIST,
    ran("All", "aggregate", [{ mail: [] }], {
      parameters: { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: "mail" }] } },
    }),
  ),
  one(
    "summarize",
    LIST,
    ran("Sum", "summarize", [{ sum_amount: 60 }], {
      parameters: {
        fieldsToSummarize: { values: [{ aggregation: "sum", field: "amount" }] },
        fieldsToSplitBy: "",
      },
    }),
  ),
  one("sort-limit", LIST, ran("Sort", "sort", PEOPLE), ran("Limit", "limit", [PEOPLE[0]])),
  one("duplicates", LIST, outputs("New", "removeDuplicates", [[PEOPLE[0]], [PEOPLE[1], PEOPLE[2]]]), NEXT),
  one("compare", LIST, outputs("Compare", "compareDatasets", [[{ a: 1 }], [], [], []]), NEXT),
  one("disabled-leaf", LIST, { ...NEXT, settings: { disabled: true } }),
  one("once", LIST, made("Tell", { text: "3" })),
];

const nodes: readonly OrdinarySuccess[] = [
  one("set", ran("Set", "set", [{ a: "Bern" }], { parameters: { a: "={{ $json.body.city }}" } })),
  one(
    "set-with-care",
    ran("Set", "set", [{ a: "" }], {
      parameters: {
        a: "={{ $json.body.nick ?? '' }}",
        b: "={{ $json.body.nick || 'x' }}",
        c: "={{ $json.body.nick?.length }}",
      },
    }),
  ),
  one(
    "set-calculated",
    ran("Set", "set", [{ a: 1 }], {
      parameters: { a: "={{ $json.body.nick ? 1 : 2 }}", b: "={{ $if($json.nick, 1, 2) }}" },
    }),
  ),
  one(
    "set-some-lack-it",
    made("Rows", { a: 1, b: 2 }, { a: 2 }),
    ran("Set", "set", [{ b: 2 }, { b: null }], { parameters: { b: "={{ $json.b }}" } }),
  ),
  one("html-extract", ran("Extract", "html", [{ h1: "Hi" }])),
  one("xml", made("Feed", { data: "<a/>" }), ran("Xml", "xml", [{ a: "" }])),
  one("markdown", ran("Text", "markdown", [{ data: "<p>" }])),
  one("date", ran("Date", "dateTime", [{ newDate: "2026" }], { parameters: { date: "={{ $now }}" } })),
  one("crypto", ran("Hash", "crypto", [{ data: "ab" }])),
  one("jwt", ran("Sign", "jwt", [{ token: "ab" }])),
  one("rename", LIST, ran("Rename", "renameKeys", PEOPLE)),
  one("to-file", LIST, ran("File", "convertToFile", [{}])),
  one("from-file", ran("Read", "extractFromFile", PEOPLE)),
  one("delete-204", ran("Delete", "httpRequest", [{}], { parameters: { method: "DELETE" } }), NEXT),
  one("called", ran("Call", "executeWorkflow", [{ status: "ok" }]), NEXT),
  one("called-with-two-outputs", outputs("Call", "executeWorkflow", [[{ a: 1 }], [{ a: 2 }]]), NEXT),
  one("answered", outputs("Answer", "respondToWebhook", [[{ a: 1 }]]), NEXT),
  one("waited", ran("Pause", "wait", [{ a: 1 }]), NEXT),
];

const errorsAsData: readonly OrdinarySuccess[] = [
  one("guarded-and-well", outputs("Api", "httpRequest", [[{ ok: true }], []], hasErrorOutput), NEXT),
  one("going-on-and-well", ran("Api", "httpRequest", [{ ok: true }], continuesOnError), NEXT),
  one(
    "log-lines",
    made("Lines", { level: "warn", error: "E_FLAMINGO", status: "ok" }, { level: "info", error: null }),
  ),
  one(
    "error-beside-others",
    ran("Check", "code", [{ error: "none", level: 2, at: 1 }], continuesOnError),
    NEXT,
  ),
  one(
    "error-empty",
    ran("Check", "code", [{ error: "" }, { error: false }, { errors: [] }], continuesOnError),
    NEXT,
  ),
  one(
    "service-answers-error-itself",
    ran("Api", "httpRequest", [{ error: "quota reached" }], continuesOnError),
    {
      ...NEXT,
      type: `${BASE}if`,
      parameters: { conditions: { string: [{ value1: "={{ $json.error }}", operation: "isEmpty" }] } },
    },
  ),
  one(
    "status-404-is-data",
    ran("Look up", "httpRequest", [{ statusCode: 404, body: { message: "no such" } }], {
      parameters: { options: { response: { response: { neverError: true } } } },
    }),
    NEXT,
  ),
  one("error-report", made("Report", { error: { message: "of yesterday", node: "x" } })),
];

const agents: readonly OrdinarySuccess[] = [
  one("chain", ran("Chain", `${AI}chainLlm`, [{ text: "Error: not found is what you asked about" }])),
  one("classified", outputs("Class", `${AI}textClassifier`, [[], [{ a: 1 }]]), {
    ...NEXT,
    after: [["Class", 1]],
  }),
];

export const ordinary: readonly OrdinarySuccess[] = [...flow, ...nodes, ...errorsAsData, ...agents];
