/**
 * The bare drain, with which everything else is compared: requests answers, reads all their bytes, and discards them.
 */
import { cursorBelow } from "../../src/n8n/execution-cursor.ts";
import { getFromN8n, type N8nAccess } from "./n8n-access.ts";

/**
 * The paths of the pages with data that hold these executions, `size` on each, addressed by cursors made by
 * hand.
 * @param ids as n8n lists them, newest first
 */
export function pagesWithData(ids: readonly string[], size: number, workflowId?: string): string[] {
  const starts = Array.from({ length: Math.ceil(ids.length / size) }, (_, page) => page * size);
  return starts.map((start) => {
    const limit = Math.min(size, ids.length - start);
    const cursor = cursorBelow(String(BigInt(ids[start] ?? 0) + 1n), limit);
    const query = new URLSearchParams({ includeData: "true", limit: String(limit), cursor });
    if (workflowId !== undefined) query.set("workflowId", workflowId);
    return `/executions?${query}`;
  });
}

/** Whether a request is for such a page. Lists of running executions do not count: they are read every time. */
export function isPageWithData(url: string): boolean {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  if (!pathname.endsWith("/executions") || searchParams.get("includeData") !== "true") return false;
  return searchParams.get("status") !== "running";
}

/** @returns how many bytes came, decompressed */
export async function drain(n8n: N8nAccess, paths: readonly string[], concurrency: number): Promise<number> {
  const open = paths.values();
  let bytes = 0;
  const worker = async (): Promise<void> => {
    for (const path of open) {
      const { body } = await getFromN8n(n8n, path);
      if (body === null) throw new Error(`GET ${path} was answered without a body.`);
      for await (const chunk of body) bytes += chunk.length;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return bytes;
}
