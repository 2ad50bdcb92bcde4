/**
 * Ordinary successes: workflows that worked as intended, though some of it looks alarming. Nothing went wrong
 * in any of them, so any finding of a failure is a false alarm.
 */
import { callSubWorkflow, code, node, subWorkflowStart, type WorkflowNode } from "../workflow-parts.ts";
import { branchKinds } from "./ordinary-branches.ts";
import { codeForEach, get, list, loop, merge, noOp, post, set } from "./parts.ts";
import { type Draft, type PlannedKind, wire } from "./stage.ts";

const inARow = (...nodes: WorkflowNode[]): Draft => ({ nodes });
/** Orders of five customers, each with other optional fields. */
const FIVE = [
  { order: 1, customer: { name: "Ana", mail: "ana@example.com" }, total: 12 },
  { order: 2, customer: { name: "Bo" }, total: 120.5, note: "error in last order" },
  { order: 3, customer: { name: "Cy", mail: null }, total: 0, status: "failed before" },
  { order: 4, customer: { name: "", mail: "dee@example.com" }, total: 7, lines: [] },
  { order: 5, customer: { name: "Eve", mail: "eve@example.com" }, total: 3, error: null },
];

const ordinary = (
  name: string,
  draft: PlannedKind["draft"],
  more: Partial<PlannedKind> = {},
): PlannedKind => ({
  name: `ordinary-${name}`,
  family: "ordinary",
  draft,
  sent: FIVE.slice(0, 4),
  ...more,
});

const dataKinds: readonly PlannedKind[] = [
  ordinary("errors-as-data", ({ services }) =>
    inARow(
      get("Fetch log", `${services.url}/error-log`),
      code(
        "Count errors",
        "return [{ json: { error: 'disk failed at night', errors: 1, status: 'error', code: 500 } }]",
      ),
      set("Report", { message: "={{ $json.error }}" }),
    ),
  ),
  ordinary(
    "optional-fields",
    inARow(
      set("Take customer", { name: "={{ $json.body.customer.name }}", total: "={{ $json.body.total }}" }),
      codeForEach(
        "Greet",
        "return { json: { text: 'Dear ' + ($json.name || 'customer'), vip: null, error: null } }",
      ),
    ),
  ),
  ordinary(
    "tries-in-code",
    inARow(
      code(
        "Read note",
        "try { JSON.parse('no json') } catch (error) { return [{ json: { ok: false, reason: error.message } }] }",
      ),
      noOp("Keep"),
    ),
  ),
  ordinary(
    "sort-limit-sum",
    inARow(
      list(
        "List orders",
        [3, 1, 2, 5, 4].map((id) => ({ id, total: id * 10 })),
      ),
      node("Rank", "n8n-nodes-base.sort", 1, {
        sortFieldsUi: { sortField: [{ fieldName: "total", order: "descending" }] },
        options: {},
      }),
      node("Best three", "n8n-nodes-base.limit", 1, { maxItems: 3 }),
      node("Sum", "n8n-nodes-base.summarize", 1.1, {
        fieldsToSummarize: { values: [{ aggregation: "sum", field: "total" }] },
        options: {},
      }),
    ),
  ),
  ordinary(
    "split-and-aggregate",
    inARow(
      list("Read order", [{ lines: [{ sku: "a" }, { sku: "b" }] }]),
      node("Split lines", "n8n-nodes-base.splitOut", 1, { fieldToSplitOut: "lines", options: {} }),
      node("Only once", "n8n-nodes-base.removeDuplicates", 2, {
        operation: "removeDuplicateInputItems",
        options: {},
      }),
      node("Gather", "n8n-nodes-base.aggregate", 1, { aggregate: "aggregateAllItemData", options: {} }),
    ),
  ),
  ordinary(
    "duplicates-of-three",
    inARow(
      list("List orders", [{ id: 1 }, { id: 1 }, { id: 2 }]),
      node("Only once", "n8n-nodes-base.removeDuplicates", 2, {
        operation: "removeDuplicateInputItems",
        options: {},
      }),
      noOp("Ship"),
    ),
  ),
  ordinary(
    "dates-and-names",
    inARow(
      node("Note day", "n8n-nodes-base.dateTime", 2, { operation: "getCurrentDate", options: {} }),
      node("Rename", "n8n-nodes-base.renameKeys", 1, {
        keys: { key: [{ currentKey: "currentDate", newKey: "day" }] },
        additionalOptions: {},
      }),
      node("Write text", "n8n-nodes-base.markdown", 1, {
        mode: "markdownToHtml",
        markdown: "# Error report",
        options: {},
      }),
    ),
  ),
];

const callKinds: readonly PlannedKind[] = [
  ordinary("404-is-expected", ({ services }) => ({
    nodes: [
      get("Find customer", `${services.url}/refuse/404`, {
        options: { response: { response: { neverError: true, fullResponse: true } } },
      }),
      node("By code", "n8n-nodes-base.switch", 3.2, {
        mode: "expression",
        numberOutputs: 2,
        output: "={{ $json.statusCode === 404 ? 1 : 0 }}",
      }),
      noOp("Known"),
      post("Create customer", `${services.url}/customers`),
    ],
    connections: wire(
      "Webhook > Find customer",
      "Find customer > By code",
      "By code > Known",
      "By code.1 > Create customer",
    ),
  })),
  ordinary("third-try-succeeds", ({ services }) =>
    inARow(
      {
        ...post("Book room", `${services.url}/flaky/room`),
        retryOnFail: true,
        maxTries: 3,
        waitBetweenTries: 10,
      },
      noOp("Tell guest"),
    ),
  ),
  ordinary("each-order-fetched", ({ services }) =>
    inARow(
      get("Fetch orders", `${services.url}/orders`),
      get("Fetch each", `=${services.url}/orders-of/{{ $json.id }}`),
      codeForEach("Mark", "return { json: { ...$json, failed: false, errorCount: 0 } }"),
    ),
  ),
  ordinary("error-output-unused", ({ services }) => ({
    nodes: [
      { ...get("Fetch customer", `${services.url}/customer`), onError: "continueErrorOutput" },
      noOp("Use customer"),
      noOp("Handle error"),
    ],
    connections: wire(
      "Webhook > Fetch customer",
      "Fetch customer > Use customer",
      "Fetch customer.1 > Handle error",
    ),
  })),
  ordinary("continues-but-need-not", ({ services }) =>
    inARow(
      { ...get("Fetch customer", `${services.url}/customer`), onError: "continueRegularOutput" },
      noOp("Use"),
    ),
  ),
  ordinary("pages", ({ services }) => ({
    nodes: [
      set("First page", { page: 1 }),
      get("Fetch page", `=${services.url}/pages?page={{ $json.page ?? $json.next }}`),
      node("Has next", "n8n-nodes-base.switch", 3.2, {
        mode: "expression",
        numberOutputs: 2,
        output: "={{ $json.next ? 0 : 1 }}",
      }),
      noOp("All read"),
    ],
    connections: wire(
      "Webhook > First page",
      "First page > Fetch page",
      "Fetch page > Has next",
      "Has next > Fetch page",
      "Has next.1 > All read",
    ),
  })),
  ordinary(
    "sub-workflow",
    async (stage) => {
      const id = await stage.addCalled("Ordinary prices", {
        nodes: [
          subWorkflowStart(),
          code("Success: price", "return [{ json: { status: 'success', data: { price: 5 } } }]"),
        ],
      });
      return inARow(callSubWorkflow("Price order", id), noOp("Ship"));
    },
    { executions: 2 },
  ),
  ordinary(
    "short-wait",
    inARow(node("Wait", "n8n-nodes-base.wait", 1.1, { amount: 0.2, unit: "seconds" }), noOp("Go on")),
    {
      sent: FIVE.slice(0, 3),
    },
  ),
  ordinary(
    "api-answers-other-values",
    ({ services }) => {
      services.answer("/rate", { rate: 1.1, source: "bank", warning: null });
      return inARow(
        get("Fetch rate", `${services.url}/rate`),
        codeForEach("Round", "return { json: { rate: Math.round($json.rate) } }"),
      );
    },
    {
      change: async ({ services }) =>
        services.answer("/rate", { rate: 900, source: "market", warning: "volatile" }),
    },
  ),
  ordinary("edited-and-still-well", inARow(set("Take order", { shop: "north" }), noOp("Ship")), {
    edited: () => inARow(set("Take order", { shop: "south", error: "none" }), noOp("Ship")),
  }),
];

const loopKinds: readonly PlannedKind[] = [
  ordinary("loop-ends", {
    nodes: [
      list("List rooms", [{ room: 1 }, { room: 2 }, { room: 3 }]),
      loop("Each room"),
      noOp("Book room"),
      noOp("Done"),
    ],
    connections: wire(
      "Webhook > List rooms",
      "List rooms > Each room",
      "Each room > Done",
      "Each room.1 > Book room",
      "Book room > Each room",
    ),
  }),
  ordinary("merge-appends", {
    nodes: [
      list("Books", [{ book: 1 }]),
      list("Toys", [{ toy: 1 }, { toy: 2 }]),
      merge("Both"),
      noOp("Ship"),
    ],
    connections: wire("Webhook > Books", "Webhook > Toys", "Books > Both", "Toys > Both:1", "Both > Ship"),
  }),
  ordinary("merge-by-field", {
    nodes: [
      list("Orders", [
        { id: 1, total: 5 },
        { id: 2, total: 6 },
      ]),
      list("Customers", [{ id: 1, name: "Ana" }]),
      merge("Join", {
        mode: "combine",
        combineBy: "combineByFields",
        fieldsToMatchString: "id",
        options: {},
      }),
      noOp("Ship"),
    ],
    connections: wire(
      "Webhook > Orders",
      "Webhook > Customers",
      "Orders > Join",
      "Customers > Join:1",
      "Join > Ship",
    ),
  }),
  ordinary("compared-lists", {
    nodes: [
      list("Old", [{ id: 1 }, { id: 2 }]),
      list("New", [{ id: 1 }, { id: 2 }]),
      node("Compare", "n8n-nodes-base.compareDatasets", 2.3, {
        mergeByFields: { values: [{ field1: "id", field2: "id" }] },
        options: {},
      }),
      noOp("Removed"),
      noOp("Same"),
      noOp("Added"),
    ],
    connections: wire(
      "Webhook > Old",
      "Webhook > New",
      "Old > Compare",
      "New > Compare:1",
      "Compare > Removed",
      "Compare.1 > Same",
      "Compare.3 > Added",
    ),
  }),
];

export const ordinaryKinds: readonly PlannedKind[] = [
  ...dataKinds,
  ...callKinds,
  ...loopKinds,
  ...branchKinds.map((kind) =>
    ordinary(kind.name, kind.draft, kind.sent === undefined ? {} : { sent: kind.sent }),
  ),
];
