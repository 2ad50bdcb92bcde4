/** Failures that an earlier run did not have, because of an edit, another trigger input, or another answer of an API. */
import { code, type WorkflowNode } from "../workflow-parts.ts";
import { codeForEach, get, noOp, post, set } from "./parts.ts";
import type { PlannedKind } from "./stage.ts";

const SENT_TWICE = [{ order: 1 }, { order: 2 }];

/** The first and the later answer of an API, and the node that reads it. */
const changedAnswer = (
  name: string,
  node: string,
  answers: readonly [unknown, unknown],
  ...readers: WorkflowNode[]
): PlannedKind => ({
  name,
  family: "failed",
  draft: ({ services }) => {
    services.answer(`/${name}`, answers[0]);
    return { nodes: [get(node, `${services.url}/${name}`), ...readers] };
  },
  sent: SENT_TWICE,
  change: async ({ services }) => services.answer(`/${name}`, answers[1]),
});

export const comparedKinds: readonly PlannedKind[] = [
  {
    name: "edited-url",
    family: "failed",
    draft: ({ services }) => ({ nodes: [get("Fetch customer", `${services.url}/customer`), noOp("Use")] }),
    sent: SENT_TWICE,
    edited: ({ services }) => ({ nodes: [get("Fetch customer", `${services.url}/refuse/404`), noOp("Use")] }),
  },
  {
    name: "edited-field-name",
    family: "failed",
    draft: {
      nodes: [
        set("Take total", { total: 12.5 }),
        set("Note shop", { shop: "north" }, true),
        code("Round total", "return [{ json: { rounded: $json.total.toFixed(0) } }]"),
      ],
    },
    sent: SENT_TWICE,
    edited: () => ({
      nodes: [
        set("Take total", { sum: 12.5 }),
        set("Note shop", { shop: "north" }, true),
        code("Round total", "return [{ json: { rounded: $json.total.toFixed(0) } }]"),
      ],
    }),
  },
  {
    name: "edited-code",
    family: "failed",
    draft: { nodes: [code("Add tax", "return [{ json: { gross: 100 * 1.19 } }]"), noOp("Use")] },
    sent: SENT_TWICE,
    edited: () => ({ nodes: [code("Add tax", "return [{ json: { gross: 100 * taxRate } }]"), noOp("Use")] }),
  },
  {
    name: "trigger-lost-field",
    family: "failed",
    draft: {
      nodes: [
        set("Take order", { order: "={{ $json.body.order }}" }, true),
        code("Write mail", "return [{ json: { to: $json.body.customer.email.toLowerCase() } }]"),
      ],
    },
    sent: [
      { order: 1, customer: { name: "Ana", email: "Ana@example.com" } },
      { order: 2, customer: { name: "Bo" } },
    ],
  },
  {
    name: "trigger-sends-text",
    family: "failed",
    draft: {
      nodes: [codeForEach("Add delivery", "return { json: { total: $json.body.total.toFixed(2) } }")],
    },
    sent: [{ total: 12 }, { total: "12" }],
  },
  changedAnswer(
    "api-text-to-number",
    "Fetch price",
    [{ amount: "12,50" }, { amount: 12.5 }],
    code("Read price", "return [{ json: { price: Number($json.amount.replace(',', '.')) } }]"),
  ),
  changedAnswer(
    "api-array-to-object",
    "Fetch order",
    [{ lines: [{ sku: "a" }] }, { lines: { sku: "a" } }],
    set("Note shop", { shop: "north" }, true),
    code("List lines", "return $json.lines.map((line) => ({ json: line }))"),
  ),
  changedAnswer(
    "api-field-moved",
    "Fetch user",
    [{ user: { id: 5, mail: "ana@example.com" } }, { data: { user: { id: 5, mail: "ana@example.com" } } }],
    code("Take mail", "return [{ json: { mail: $json.user.mail } }]"),
  ),
  changedAnswer(
    "api-field-null",
    "Fetch user",
    [
      { id: 5, manager: { name: "Bo" } },
      { id: 6, manager: null },
    ],
    code("Ask manager", "return [{ json: { ask: $json.manager.name } }]"),
  ),
  {
    name: "token-expired",
    family: "failed",
    draft: ({ services }) => {
      services.answer("/reports", { rows: 3 });
      return { nodes: [get("Fetch report", `${services.url}/reports`), noOp("Use")] };
    },
    sent: SENT_TWICE,
    change: async ({ services }) =>
      services.answer("/reports", { error: "token_expired", message: "Sign in again" }, 401),
  },
  {
    name: "one-line-without-price",
    family: "failed",
    draft: {
      nodes: [
        code("Split lines", "return $json.body.lines.map((line) => ({ json: line }))"),
        codeForEach("Price line", "return { json: { sum: $json.price.amount * 2 } }"),
      ],
    },
    sent: [
      { lines: [{ price: { amount: 1 } }, { price: { amount: 2 } }] },
      { lines: [{ price: { amount: 3 } }, { sku: "b" }, { price: { amount: 2 } }] },
    ],
  },
  {
    name: "edited-host",
    family: "failed",
    draft: ({ services }) => ({
      nodes: [set("Settings", { host: services.url }), post("Create invoice", "={{ $json.host }}/invoices")],
    }),
    sent: SENT_TWICE,
    edited: ({ services }) => ({
      nodes: [
        set("Settings", { host: services.deadUrl }),
        post("Create invoice", "={{ $json.host }}/invoices"),
      ],
    }),
  },
];
