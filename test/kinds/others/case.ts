/**
 * A case that others reported, for which no rule was written: what n8n said, and what a true explanation says. Rebuilt
 * from the source it names: nodes and error texts are n8n's own, all data is made up.
 */
import type { Step } from "../../support/stepped-execution.ts";

export interface ReportedCase {
  readonly kind: string;
  /** An issue of n8n-io/n8n (`#…`) or another repository, a web page, or a file of n8n's sources. */
  readonly source: string;
  readonly steps: readonly Step[];
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Nodes of which one has to be named as the root. */
  readonly roots: readonly string[];
  /** Other nodes that a true explanation may name first. */
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

type Fields = Readonly<Record<string, unknown>>;

/** A service's error as n8n serializes it: the service's words are in `messages` and `description`. */
export const apiError = (httpCode: string | null, message: string, more: Fields = {}): Fields => ({
  level: "warning",
  tags: {},
  context: { itemIndex: 0 },
  name: "NodeApiError",
  message,
  httpCode,
  messages: [],
  ...more,
});

/** An error found by a node, as n8n serializes it. */
export const nodeError = (message: string, more: Fields = {}): Fields => ({
  level: "warning",
  tags: {},
  context: { itemIndex: 0 },
  name: "NodeOperationError",
  message,
  messages: [],
  ...more,
});

/** An error of n8n itself, which it serializes without its class. */
export const ownError = (message: string, more: Fields = {}): Fields => ({
  level: "warning",
  tags: {},
  message,
  ...more,
});

export const expressionError = (message: string, context: Fields, more: Fields = {}): Fields => ({
  level: "warning",
  tags: {},
  name: "ExpressionError",
  message,
  context,
  ...more,
});

/** An error thrown by code, as n8n serializes it. */
export const thrown = (name: string, message: string, more: Fields = {}): Fields => ({
  name: "WrappedExecutionError",
  description: name,
  message,
  lineNumber: Number(/\[line (\d+)/.exec(message)?.[1] ?? 1),
  ...more,
});

/** A node that failed after the one before it. */
export const failing = (name: string, type: string, error: Fields, parameters: Fields = {}): Step => ({
  name,
  type: type.startsWith("@") ? type : BASE + type,
  error,
  parameters,
});

export const made = (name: string, ...items: readonly unknown[]): Step => ({ name, sent: [items] });

export const code = (jsCode: string, mode?: string) => ({ jsCode, ...(mode === undefined ? {} : { mode }) });

const ORDER = made("Take order", { id: 7, city: "Bern" });
const PRIVATE = /planted/i;

/** A case in which one node fails after two others that have no part in it. */
export const one = (
  kind: string,
  source: string,
  [node, type, error, parameters]: readonly [string, string, Fields, object?],
  ...says: readonly RegExp[]
): ReportedCase => ({
  kind,
  source,
  steps: [WEBHOOK, ORDER, failing(node, type, error, { ...parameters })],
  roots: [node],
  says,
  neverSays: [PRIVATE, /Take order.*sent|"id"|"city"/],
});

/** A case in which a node fails because of what the node before it sent. */
export const causedBy = (
  kind: string,
  source: string,
  cause: Step,
  failed: Step,
  ...says: readonly RegExp[]
): ReportedCase => ({
  kind,
  source,
  steps: [WEBHOOK, cause, failed],
  roots: [cause.name],
  symptoms: [failed.name],
  says,
});
