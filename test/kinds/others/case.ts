/**
 * A case that nobody wrote the rules for: what others met, with what n8n said, and what a true explanation of it says.
 * Built anew after the source that it names: nodes and error texts are n8n's own, all data is made up.
 */
import type { Step } from "../../support/stepped-execution.ts";

export interface OtherCase {
  readonly kind: string;
  /** An issue of n8n-io/n8n (`#…`), of another repository, a page, or the file of n8n's own sources that says it. */
  readonly source: string;
  readonly steps: readonly Step[];
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Where it began, any of them. */
  readonly roots: readonly string[];
  /** Others that a true explanation may name first. */
  readonly symptoms?: readonly string[];
  readonly says: readonly RegExp[];
  readonly neverSays?: readonly RegExp[];
}

export const BASE = "n8n-nodes-base.";
export const AI = "@n8n/n8n-nodes-langchain.";

export const WEBHOOK: Step = {
  name: "Webhook",
  type: `${BASE}webhook`,
  sent: [[{ headers: {}, body: { city: "Bern", amount: "12" } }]],
};

type Given = Readonly<Record<string, unknown>>;

/** As n8n serializes what a service answered: the service's words stand in `messages` and `description`. */
export const apiError = (httpCode: string | null, message: string, more: Given = {}): Given => ({
  level: "warning",
  tags: {},
  context: { itemIndex: 0 },
  name: "NodeApiError",
  message,
  httpCode,
  messages: [],
  ...more,
});

/** As n8n serializes what a node found wrong. */
export const nodeError = (message: string, more: Given = {}): Given => ({
  level: "warning",
  tags: {},
  context: { itemIndex: 0 },
  name: "NodeOperationError",
  message,
  messages: [],
  ...more,
});

/** As n8n serializes errors of its own: without their class. */
export const ownError = (message: string, more: Given = {}): Given => ({
  level: "warning",
  tags: {},
  message,
  ...more,
});

export const expressionError = (message: string, context: Given, more: Given = {}): Given => ({
  level: "warning",
  tags: {},
  name: "ExpressionError",
  message,
  context,
  ...more,
});

/** As n8n serializes what code threw. */
export const thrown = (name: string, message: string, more: Given = {}): Given => ({
  name: "WrappedExecutionError",
  description: name,
  message,
  lineNumber: Number(/\[line (\d+)/.exec(message)?.[1] ?? 1),
  ...more,
});

/** A node that failed, after the one before it. */
export const failing = (name: string, type: string, error: Given, parameters: Given = {}): Step => ({
  name,
  type: type.startsWith("@") ? type : BASE + type,
  error,
  parameters,
});

export const made = (name: string, ...items: readonly unknown[]): Step => ({ name, sent: [items] });

const ORDER = made("Take order", { id: 7, city: "Bern" });
const PRIVATE = /planted/i;

/** A node after two others, which have no part in it. */
export const one = (
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
