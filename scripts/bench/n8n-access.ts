/** What a benchmark needs to ask an n8n: its address and a key. */
import * as z from "zod";
import type { Fetch } from "../../src/n8n/requests.ts";
import { readRecording } from "../../test/recorded-n8n/recording.ts";

export const n8nAccess = z.object({ baseUrl: z.string(), apiKey: z.string() });
export type N8nAccess = z.infer<typeof n8nAccess>;

/**
 * Requests uncompressed answers, as a Worker in workerd does. Node would request compressed ones, which cost n8n more
 * time: the two could not be compared.
 */
export const fetchUncompressed: Fetch = async (url, init) => {
  const headers = new Headers(init.headers);
  headers.set("accept-encoding", "identity");
  return await fetch(url, { ...init, headers });
};

/** GET of the public API; the body is unread. @throws Error when n8n refuses */
export async function getFromN8n({ baseUrl, apiKey }: N8nAccess, path: string): Promise<Response> {
  const headers = { "X-N8N-API-KEY": apiKey };
  const response = await fetchUncompressed(`${baseUrl}/api/v1${path}`, { headers });
  if (response.status !== 200) throw new Error(`GET ${path} was answered ${response.status}.`);
  return response;
}

const executionPage = z.object({
  data: z.array(z.object({ id: z.string(), workflowId: z.string() })),
  nextCursor: z.string().nullable(),
});

export interface ListedExecution {
  readonly id: string;
  readonly workflowId: string;
}

/** All but the running ones, newest first. */
export async function listAllExecutions(n8n: N8nAccess): Promise<ListedExecution[]> {
  const all: ListedExecution[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer: unknown = await (await getFromN8n(n8n, `/executions?limit=250${from}`)).json();
    const page: z.infer<typeof executionPage> = executionPage.parse(answer);
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}

export async function recordedN8n(): Promise<string> {
  return `The recording is of n8n ${(await readRecording()).manifest.n8nVersion}`;
}
