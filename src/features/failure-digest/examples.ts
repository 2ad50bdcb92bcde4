/** Why the newest execution of each of the first groups failed: one request for a group, and no more. */
import { failureOf, type OwnText, ownTextOf } from "../../executions/failure.ts";
import type { NamedGroup } from "../../history/digest/failure-query.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { OUTLINE } from "../../n8n/read-plans.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError } from "../../platform/errors.ts";
import { showFailure } from "../own-text.ts";
import { REQUESTS_AT_ONCE } from "../requests-at-once.ts";
import type { TimeBudget } from "../time-budget.ts";
import type { ToolContext } from "../tool-context.ts";

/** The sentence of ours, and what the error says where the caller may see it. */
export interface Explained {
  readonly why?: string;
  readonly ownText?: OwnText;
}

/** Enough to know an error again. */
const TEXT_LENGTH = 120;

export interface ExampleDependencies {
  readonly client: N8nClient;
  readonly budget: TimeBudget;
  readonly context: Pick<ToolContext, "mayShowErrorText" | "redact">;
}

/** By group. */
export async function explainExamples(
  groups: readonly NamedGroup[],
  dependencies: ExampleDependencies,
): Promise<ReadonlyMap<string, Explained>> {
  const readable = groups.filter(({ isExampleGone }) => !isExampleGone);
  const pairs = await mapConcurrently(
    readable,
    REQUESTS_AT_ONCE,
    async (each) => [each.group, await explain(each.exampleId, dependencies)] as const,
  );
  return new Map(pairs);
}

async function explain(id: string, { client, budget, context }: ExampleDependencies): Promise<Explained> {
  if (budget.leftMs <= 0) return {};
  try {
    const execution = await client.readExecution(id, OUTLINE, budget.requestOptions);
    const failure = failureOf(execution);
    if (failure === null) return {};
    const { message, ownText } = showFailure(failure, ownTextOf(execution), { context, length: TEXT_LENGTH });
    return { why: message, ...(ownText === undefined ? {} : { ownText }) };
  } catch (error) {
    // Deleted since, or n8n has no time: the group says what the index knows of it.
    if (error instanceof ObserverError) return {};
    throw error;
  }
}
