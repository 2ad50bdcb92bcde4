/** A Worker whose requests to n8n pass a watch. */
import { closeAtEnd } from "../support/close-at-end.ts";
import { startTestWorker, type TestWorker, type TestWorkerOptions } from "../support/test-worker.ts";
import type { TestedN8n } from "./tested-n8n.ts";
import { startWatch, type Watch } from "./watch.ts";

/** Both are stopped with the resources. @param tokens name → token of further users */
export async function startWatchedWorker(
  resources: AsyncDisposableStack,
  { baseUrl, readKey }: Pick<TestedN8n, "baseUrl" | "readKey">,
  settings: TestWorkerOptions["settings"] = {},
  tokens: Readonly<Record<string, string>> = {},
): Promise<{ watch: Watch; worker: TestWorker }> {
  const watch = closeAtEnd(resources, await startWatch(baseUrl));
  const target = { baseUrl: watch.baseUrl, apiKey: readKey };
  const worker = closeAtEnd(resources, await startTestWorker(target, tokens, { settings }));
  return { watch, worker };
}
