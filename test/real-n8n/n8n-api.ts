/**
 * The few calls of n8n's public API that seeding and sending need, writing ones among them.
 * For tests only: the observer's own client can do nothing but GET.
 */
import * as z from "zod";

/** What is needed to call the public API of one n8n. */
export interface ApiAccess {
  baseUrl: string;
  key: string;
}

/** One line of `GET /executions`, as far as the tests read it. */
const executionItem = z.object({
  id: z.string(),
  status: z.string(),
  mode: z.string(),
  workflowId: z.string(),
  retryOf: z.string().nullable(),
});
export type ExecutionItem = z.infer<typeof executionItem>;

const executionPage = z.object({ data: z.array(executionItem), nextCursor: z.string().nullable() });

/** The answer's body, already parsed as JSON. Throws with n8n's own words when it is not a success. */
export async function callApi(
  access: ApiAccess,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${access.baseUrl}/api/v1${path}`, {
    method,
    headers: { "X-N8N-API-KEY": access.key, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 400)}`);
  return JSON.parse(text);
}

/**
 * Every execution with a higher id than `afterId`, oldest first, whatever its status.
 * n8n leaves running ones out of an unfiltered list, so that they are asked for separately.
 */
export async function listExecutionsAfter(access: ApiAccess, afterId: number): Promise<ExecutionItem[]> {
  const found = new Map<number, ExecutionItem>();
  for (const filter of ["", "&status=running"]) {
    for await (const item of eachExecution(access, filter)) {
      if (Number(item.id) <= afterId) break;
      found.set(Number(item.id), item);
    }
  }
  return [...found.entries()].sort(([left], [right]) => left - right).map(([, item]) => item);
}

async function* eachExecution(access: ApiAccess, filter: string): AsyncGenerator<ExecutionItem> {
  let cursor = "";
  do {
    const answer = await callApi(access, "GET", `/executions?limit=50${filter}${cursor}`);
    const page = executionPage.parse(answer);
    yield* page.data;
    cursor = page.nextCursor === null ? "" : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== "");
}
