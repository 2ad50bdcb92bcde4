/** Executions that succeeded or wait according to n8n, though something failed in them or nothing was done. */
import {
  callSubWorkflow,
  code,
  node,
  subWorkflowStart,
  type WorkflowNode,
  webhook,
} from "../workflow-parts.ts";
import { codeForEach, filter, get, list, loop, merge, noOp, post, set, switchOn, when } from "./parts.ts";
import { type Draft, type PlannedKind, wire } from "./stage.ts";

const THROWS = "throw new Error('Stock of 17 is gone.')";
const AFTER = code("After", "return $input.all()");
const ORDERS = list("List orders", [
  { id: 1, paid: false, kind: "book" },
  { id: 2, paid: false, kind: "book" },
]);
const PAID = { left: "={{ $json.paid }}", type: "boolean", operation: "true" } as const;

const silent = (name: string, draft: PlannedKind["draft"], more: Partial<PlannedKind> = {}): PlannedKind => ({
  name,
  family: "silent",
  draft,
  ...more,
});
const inARow = (...nodes: WorkflowNode[]): Draft => ({ nodes });

const caughtKinds: readonly PlannedKind[] = [
  silent("caught-code", inARow({ ...code("Check stock", THROWS), onError: "continueRegularOutput" }, AFTER)),
  silent("caught-code-error-branch", {
    nodes: [
      { ...code("Check stock", THROWS), onError: "continueErrorOutput" },
      noOp("Ship"),
      noOp("Put aside"),
    ],
    connections: wire("Webhook > Check stock", "Check stock > Ship", "Check stock.1 > Put aside"),
  }),
  silent(
    "caught-code-unconnected",
    inARow({ ...code("Check stock", THROWS), onError: "continueErrorOutput" }, AFTER),
  ),
  silent("caught-http", ({ services }) =>
    inARow(
      { ...post("Create invoice", `${services.url}/refuse/500`), onError: "continueRegularOutput" },
      AFTER,
    ),
  ),
  silent("caught-http-unconnected", ({ services }) =>
    inARow(
      { ...post("Create invoice", `${services.url}/refuse/404`), onError: "continueErrorOutput" },
      AFTER,
    ),
  ),
  silent("caught-http-error-branch", ({ services }) => ({
    nodes: [
      { ...post("Create invoice", `${services.url}/refuse/403`), onError: "continueErrorOutput" },
      noOp("Send invoice"),
      noOp("Tell boss"),
    ],
    connections: wire(
      "Webhook > Create invoice",
      "Create invoice > Send invoice",
      "Create invoice.1 > Tell boss",
    ),
  })),
  silent("caught-legacy", inARow({ ...code("Check stock", THROWS), continueOnFail: true }, AFTER)),
  silent("caught-refused-connection", ({ services }) =>
    inARow({ ...get("Fetch rates", `${services.deadUrl}/rates`), onError: "continueRegularOutput" }, AFTER),
  ),
  silent(
    "caught-second-item",
    inARow(
      list("List lines", [{ price: 1 }, { sku: "b" }, { price: 3 }]),
      {
        ...codeForEach(
          "Price line",
          "if (!$json.price) throw new Error('No price');\nreturn { json: $json }",
        ),
        onError: "continueRegularOutput",
      },
      AFTER,
    ),
  ),
  silent("caught-then-wrong", ({ services }) =>
    inARow(
      { ...get("Fetch customer", `${services.url}/refuse/503`), onError: "continueRegularOutput" },
      set("Write greeting", { text: "=Dear {{ $json.name }}" }),
    ),
  ),
];

const nothingKinds: readonly PlannedKind[] = [
  silent("if-false-unconnected", inARow(ORDERS, when("Is paid", PAID), noOp("Ship"))),
  silent("filter-to-nothing", inARow(ORDERS, filter("Only paid", PAID), noOp("Ship"))),
  silent("switch-without-match", {
    nodes: [ORDERS, switchOn("By kind", "={{ $json.kind }}", ["toy", "game"]), noOp("Toys"), noOp("Games")],
    connections: wire(
      "Webhook > List orders",
      "List orders > By kind",
      "By kind > Toys",
      "By kind.1 > Games",
    ),
  }),
  silent("merge-starved", {
    nodes: [
      ORDERS,
      filter("Only paid", PAID),
      merge("Join", { mode: "combine", combineBy: "combineByPosition", options: {} }),
      noOp("Ship"),
    ],
    connections: wire(
      "Webhook > List orders",
      "List orders > Join",
      "List orders > Only paid",
      "Only paid > Join:1",
      "Join > Ship",
    ),
  }),
  silent(
    "always-output-data",
    inARow(
      ORDERS,
      { ...filter("Only paid", PAID), alwaysOutputData: true },
      set("Write mail", { to: "={{ $json.mail }}" }),
    ),
  ),
  silent(
    "expression-null",
    inARow(
      list("Load customer", [{ id: 7, name: "Ana" }]),
      set("Write mail", { to: "={{ $json.email }}", name: "={{ $json.name }}" }),
    ),
  ),
  silent("loop-over-nothing", ({ services }) => ({
    nodes: [get("Fetch rooms", `${services.url}/empty`), loop("Each room"), noOp("Book room"), noOp("Done")],
    connections: wire(
      "Webhook > Fetch rooms",
      "Fetch rooms > Each room",
      "Each room > Done",
      "Each room.1 > Book room",
      "Book room > Each room",
    ),
  })),
  silent("api-answers-nothing", ({ services }) =>
    inARow(get("Fetch orders", `${services.url}/empty`), noOp("Ship")),
  ),
  silent(
    "api-answers-nothing-now",
    ({ services }) => {
      services.answer("/open-orders", [{ id: 1 }, { id: 2 }]);
      return inARow(get("Fetch orders", `${services.url}/open-orders`), noOp("Ship"));
    },
    { sent: [{ day: 1 }, { day: 2 }], change: async ({ services }) => services.answer("/open-orders", []) },
  ),
  silent("code-returns-nothing", inARow(ORDERS, code("Pick orders", "return []"), noOp("Ship"))),
  silent(
    "split-missing-field",
    inARow(
      list("Read order", [{ order: 5, rows: [] }]),
      node("Split lines", "n8n-nodes-base.splitOut", 1, { fieldToSplitOut: "lines", options: {} }),
      noOp("Ship"),
    ),
  ),
  silent(
    "duplicates-removed",
    inARow(
      list("List orders", [{ id: 1 }, { id: 2 }]),
      node("Only new", "n8n-nodes-base.removeDuplicates", 2, {
        operation: "removeItemsSeenInPreviousExecutions",
        dedupeValue: "={{ $json.id }}",
        options: {},
      }),
      noOp("Ship"),
    ),
    { sent: [{ run: 1 }, { run: 2 }] },
  ),
  silent(
    "node-disabled",
    inARow(
      ORDERS,
      { ...post("Create invoice", "http://127.0.0.1:1/invoices"), disabled: true },
      noOp("Done"),
    ),
  ),
  silent(
    "answer-never-given",
    {
      nodes: [
        {
          ...webhook("answer-never-given", "lastNode"),
          parameters: {
            path: "answer-never-given",
            httpMethod: "POST",
            responseMode: "responseNode",
            options: {},
          },
        },
        when("Is paid", { left: "={{ $json.body.paid }}", type: "boolean", operation: "true" }),
        node("Answer", "n8n-nodes-base.respondToWebhook", 1.4, {
          respondWith: "text",
          responseBody: "Thanks",
          options: {},
        }),
        noOp("Put aside"),
      ],
      connections: wire("Webhook > Is paid", "Is paid > Answer", "Is paid.1 > Put aside"),
    },
    { sent: [{ paid: false }] },
  ),
];

const subWorkflowKinds: readonly PlannedKind[] = [
  silent(
    "sub-workflow-answers-error",
    async (stage) => {
      const answer =
        "return [{ json: { status: 'error', data: { code: 'NO_STOCK', text: 'Nothing is left' } } }]";
      const id = await stage.addCalled("Reserve", {
        nodes: [subWorkflowStart(), code("Error: no stock", answer)],
      });
      return inARow(callSubWorkflow("Reserve stock", id), noOp("Ship"));
    },
    { executions: 2 },
  ),
  silent(
    "sub-workflow-swallowed-error",
    async (stage) => {
      const nodes = [
        subWorkflowStart(),
        { ...code("Look up price", THROWS), onError: "continueRegularOutput" as const },
      ];
      const id = await stage.addCalled("Prices that swallow", { nodes });
      return inARow(callSubWorkflow("Price order", id), noOp("Ship"));
    },
    { executions: 2 },
  ),
  silent(
    "sub-workflow-failure-caught",
    async (stage) => {
      const id = await stage.addCalled("Prices that fail", {
        nodes: [subWorkflowStart(), code("Look up price", THROWS)],
      });
      return inARow(
        { ...callSubWorkflow("Price order", id), onError: "continueRegularOutput" },
        noOp("Ship"),
      );
    },
    { executions: 2 },
  ),
];

const waitingKinds: readonly PlannedKind[] = [
  silent(
    "waits-for-a-call",
    inARow(
      set("Ask boss", { ask: "yes?" }),
      node("Wait for boss", "n8n-nodes-base.wait", 1.1, { resume: "webhook", options: {} }),
      noOp("Ship"),
    ),
    { goesOn: true },
  ),
  silent(
    "waits-for-a-day",
    inARow(
      set("Take order", { order: 5 }),
      node("Wait a week", "n8n-nodes-base.wait", 1.1, { amount: 7, unit: "days" }),
      noOp("Remind"),
    ),
    { goesOn: true },
  ),
];

export const silentKinds: readonly PlannedKind[] = [
  ...caughtKinds,
  ...nothingKinds,
  ...subWorkflowKinds,
  ...waitingKinds,
];
