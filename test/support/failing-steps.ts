/** Steps that fail, with errors as n8n records them. */
import { HTTP } from "./everyday-steps.ts";
import type { Step } from "./stepped-execution.ts";

interface Thrown {
  readonly name?: string;
  readonly line?: number;
}

/** What code threw, as n8n wraps it. */
export const thrownError = (message: string, { name = "TypeError", line = 1 }: Thrown = {}) => ({
  name: "WrappedExecutionError",
  description: name,
  lineNumber: line,
  message: `${message} [line ${line}]`,
});

export const undefinedRead = (member: string, line = 1) =>
  thrownError(`Cannot read properties of undefined (reading '${member}')`, { line });

/** A Code node whose code threw. */
export const throwing = (
  jsCode: string,
  message: string,
  thrown: Thrown = {},
  parameters: object = {},
): Step => ({
  name: "Use",
  type: "n8n-nodes-base.code",
  parameters: { ...parameters, jsCode },
  error: thrownError(message, thrown),
});

/** n8n's own words for some statuses, which it puts in place of the service's message. */
const STATUS_MESSAGES: Readonly<Record<string, string>> = {
  "400": "Bad request - please check your parameters",
  "402": "Payment required - perhaps check your payment details",
  "404": "The resource you are requesting could not be found",
};
const SHOP_URL = "https://shop.example/orders";

/** The error of a request that a service rejected. */
export const rejection = (status: string, said: string) => ({
  name: "NodeApiError",
  message: STATUS_MESSAGES[status],
  description: said,
  httpCode: status,
  messages: [`${status} - {"message":"${said}"}`],
  context: { itemIndex: 0, request: { method: "POST", uri: SHOP_URL } },
});

/** An HTTP request to a shop. */
export const shopRequest = (parameters: object, step: Partial<Step>): Step => ({
  ...{ name: "Post", type: HTTP, parameters: { url: SHOP_URL, ...parameters } },
  ...step,
});
