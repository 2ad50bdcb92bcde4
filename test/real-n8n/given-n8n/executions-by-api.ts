/**
 * The executions of the lane's own workflows, read one by one from n8n's public API, as its lists are incomplete.
 * Executions of other workflows are never returned; one that has ended is not read again.
 */
import * as z from "zod";
import type { ExecutionSource } from "../execution-source.ts";
import type { ExecutionItem } from "../n8n-database.ts";
import { type NaiveExecution, toNaiveExecution } from "../naive-reader.ts";
import type { OwnWorkflows } from "./own-workflows.ts";

/** The number of consecutive ids read at once. This many missing ids above the newest listed one end the search. */
const STRIDE = 10;
const ENDED = ["success", "error", "canceled", "crashed"];

const id = z.union([z.string(), z.number()]).transform(String);
const item = z.object({
  id,
  status: z.string(),
  mode: z.string(),
  workflowId: id,
  retryOf: id.nullish().transform((known) => known ?? null),
});
const list = z.object({ data: z.array(z.object({ id })) });

/** Existing executions, and which of them are the lane's own. */
export interface ExecutionsByApi extends ExecutionSource {
  /** Ids of the lane's own executions seen so far. */
  readonly seen: ReadonlySet<string>;
}

/** @param firstId the lane's executions have higher ids */
export function executionsByApi(own: OwnWorkflows, firstId: number): ExecutionsByApi {
  const ended = new Map<number, ExecutionItem>();
  const seen = new Set<string>();

  const read = async (executionId: number): Promise<ExecutionItem | undefined> => {
    const known = ended.get(executionId);
    if (known !== undefined) return known;
    const answer = await own.get(`/executions/${executionId}`);
    if (answer === undefined) return undefined;
    const found = item.parse(answer);
    if (ENDED.includes(found.status)) ended.set(executionId, found);
    return found;
  };
  const newestListed = async (): Promise<number> => {
    const { data } = list.parse(await own.get("/executions?limit=1"));
    return Number(data[0]?.id ?? 0);
  };
  const readAfter = async (afterId: number): Promise<ExecutionItem[]> => {
    const listed = await newestListed();
    const found: ExecutionItem[] = [];
    for (let from = afterId + 1; ; from += STRIDE) {
      const ids = Array.from({ length: STRIDE }, (_, index) => from + index);
      const stride = (await Promise.all(ids.map(read))).filter((each) => each !== undefined);
      found.push(...stride);
      if (stride.length === 0 && from > listed) return found;
    }
  };
  const listAfter = async (afterId: number): Promise<ExecutionItem[]> => {
    const found: ExecutionItem[] = [];
    for (const each of await readAfter(afterId)) {
      if (!(await own.isOwnWorkflow(each.workflowId))) continue;
      seen.add(each.id);
      found.push(each);
    }
    return found;
  };
  return {
    seen,
    newestId: async () => {
      const listed = await newestListed();
      return Number((await readAfter(listed)).at(-1)?.id ?? listed);
    },
    listAfter,
    readAll: async () => {
      const all: NaiveExecution[] = [];
      for (const { id: each } of await listAfter(firstId)) {
        const answer = await own.get(`/executions/${each}?includeData=true`);
        if (answer !== undefined) all.push(toNaiveExecution(answer));
      }
      return all;
    },
  };
}
