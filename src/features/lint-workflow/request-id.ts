/** How a request id is named in the workflows of people who carry one. Pure. */
import { textsIn } from "../../workflows/expressions.ts";

/** `request_id`, `requestId`, `x-request-id`, `reqId`, `correlation_id`, `traceId`, `traceparent` and the like. */
const REQUEST_ID = /(req(uest)?|correlation|trace)[_\s.-]?id|traceparent/i;

export function isRequestIdName(name: string): boolean {
  return REQUEST_ID.test(name);
}

/** Whether it stands in any key's value or in a key of the parameters. */
export function mentionsRequestId(parameters: Parameters<typeof textsIn>[0]): boolean {
  return [...textsIn(parameters)].some(({ path, text }) => REQUEST_ID.test(path) || REQUEST_ID.test(text));
}
