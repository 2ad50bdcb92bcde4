/** Optional requests to n8n, sent while time is left; without them, an answer shows what the index knows. */
import { hostThatFailed } from "../executions/execution-facts.ts";
import { FAILED_REQUEST } from "../n8n/read-plans.ts";
import type { RequestOptions } from "../n8n/requests.ts";
import type { VisibleN8n } from "../n8n/visible-n8n.ts";
import { orElse } from "../platform/errors.ts";
import type { TimeBudget } from "./request-limits.ts";
import { contextOf, type ToolContext } from "./tool-context.ts";

export interface N8nLookup {
  readonly client: VisibleN8n;
  readonly budget: TimeBudget;
}

/** Null if n8n or the history fails. */
export const orNull = async <Value>(read: () => Promise<Value>): Promise<Value | null> =>
  await orElse(read, () => null);

/** Null when n8n fails, or no time is left. */
export async function readOrNull<Value>(
  { budget }: N8nLookup,
  read: (options: RequestOptions) => Promise<Value>,
): Promise<Value | null> {
  if (budget.leftMs <= 0) return null;
  return await orNull(async () => await read(budget.requestOptions));
}

/** The host that a failed execution called; null if the caller may not see the error's text. */
export async function hostIn(id: string, lookup: N8nLookup, context: ToolContext): Promise<string | null> {
  const read = await readOrNull(lookup, (options) =>
    lookup.client.readExecution(id, FAILED_REQUEST, options),
  );
  const isShown = read !== null && (await contextOf(context, read.workflowId)).mayShowErrorText;
  return isShown ? hostThatFailed(read.data?.resultData?.error) : null;
}
