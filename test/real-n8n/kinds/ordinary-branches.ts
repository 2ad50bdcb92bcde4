/** Ordinary successes that intentionally skip branches and drop items. */
import { code, node } from "../workflow-parts.ts";
import { filter, list, merge, noOp, set, switchOn, when } from "./parts.ts";
import { type Draft, wire } from "./stage.ts";

const ORDERS = list("List orders", [
  { id: 1, paid: true, kind: "book" },
  { id: 2, paid: false, kind: "toy" },
  { id: 3, paid: true, kind: "pen" },
]);
const PAID = { left: "={{ $json.paid }}", type: "boolean", operation: "true" } as const;
const DEAR = { left: "={{ $json.body.total }}", type: "number", operation: "gt", right: 50 } as const;
const TOTALS = [3, 70, 12, 500, 0].map((total) => ({ total }));

interface OrdinaryBranches {
  readonly name: string;
  readonly draft: Draft;
  readonly sent?: readonly unknown[];
}

export const branchKinds: readonly OrdinaryBranches[] = [
  { name: "filter-some", draft: { nodes: [ORDERS, filter("Only paid", PAID), noOp("Ship")] } },
  {
    name: "both-branches",
    draft: {
      nodes: [ORDERS, when("Is paid", PAID), noOp("Ship"), noOp("Remind")],
      connections: wire(
        "Webhook > List orders",
        "List orders > Is paid",
        "Is paid > Ship",
        "Is paid.1 > Remind",
      ),
    },
  },
  {
    name: "one-of-two-branches",
    draft: {
      nodes: [when("Is dear", DEAR), set("Ask boss", { ask: true }), set("Ship at once", { ship: true })],
      connections: wire("Webhook > Is dear", "Is dear > Ask boss", "Is dear.1 > Ship at once"),
    },
    sent: TOTALS,
  },
  {
    name: "only-if-dear",
    draft: {
      nodes: [when("Is dear", DEAR), noOp("Tell boss"), noOp("Ship")],
      connections: wire("Webhook > Is dear", "Webhook > Ship", "Is dear > Tell boss"),
    },
    sent: TOTALS,
  },
  {
    name: "stop-not-reached",
    draft: {
      nodes: [
        when("Is known", { left: "={{ $json.body.total }}", type: "number", operation: "exists" }),
        noOp("Ship"),
        node("Refuse", "n8n-nodes-base.stopAndError", 1, { errorMessage: "There is no total." }),
      ],
      connections: wire("Webhook > Is known", "Is known > Ship", "Is known.1 > Refuse"),
    },
    sent: TOTALS,
  },
  {
    name: "switch-with-fallback",
    draft: {
      nodes: [
        ORDERS,
        switchOn("By kind", "={{ $json.kind }}", ["book", "toy"], { fallbackOutput: "extra" }),
        noOp("Books"),
        noOp("Toys"),
        noOp("Others"),
      ],
      connections: wire(
        "Webhook > List orders",
        "List orders > By kind",
        "By kind > Books",
        "By kind.1 > Toys",
        "By kind.2 > Others",
      ),
    },
  },
  {
    name: "branches-meet-again",
    draft: {
      nodes: [
        when("Is dear", DEAR),
        set("Dear", { price: "dear" }),
        set("Cheap", { price: "cheap" }),
        noOp("Ship"),
      ],
      connections: wire(
        "Webhook > Is dear",
        "Is dear > Dear",
        "Is dear.1 > Cheap",
        "Dear > Ship",
        "Cheap > Ship",
      ),
    },
    sent: TOTALS,
  },
  {
    name: "optional-branch-is-empty",
    draft: {
      nodes: [
        ORDERS,
        filter("Only pens", { ...PAID, left: "={{ $json.kind === 'pen' }}" }),
        merge("All"),
        code("Count", "return [{ json: { count: $input.all().length } }]"),
      ],
      connections: wire(
        "Webhook > List orders",
        "List orders > All",
        "List orders > Only pens",
        "Only pens > All:1",
        "All > Count",
      ),
    },
  },
  {
    name: "error-named-nodes",
    draft: {
      nodes: [
        set("Error codes", { error: "E5", failed: 0 }),
        noOp("On error: nothing"),
        code("Failures", "return [{ json: { failures: [], message: 'No errors' } }]"),
      ],
    },
  },
  {
    name: "nightly-nothing-to-do",
    draft: {
      nodes: [
        list("List orders", [{ id: 1, paid: true }]),
        filter("Overdue", { ...PAID, left: "={{ !$json.paid }}" }),
        noOp("Remind"),
      ],
    },
  },
];
