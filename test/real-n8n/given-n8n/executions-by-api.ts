/**
 * The executions of the lane's own workflows, as n8n's public API tells them one by one: no list of it has all.
 * Promises: those of other workflows are never given; one that has ended is not asked for again.
 */
import * as z from "zod";
import type { ExecutionSource } from "../execution-source.ts";
import type { ExecutionItem } from "../n8n-database.ts";
import { type NaiveExecution, toNaiveExecution } from "../naive-reader.ts";
import type { OwnWorkflows } from "./own-workflows.ts";

/** Ids in a row that are asked for at once. So many that are missing above the newest listed one end the search. */
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

/** What exists, and what of it is the lane's own. */
export interface ExecutionsByApi extends ExecutionSource {
  /** Ids of the lane's own executions that were seen. */
  readonly seen: ReadonlySet<string>;
}

/** @param firstId above which the lane's executions begin */
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
