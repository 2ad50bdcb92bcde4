/** One Worker with a passphrase, in front of the recorded n8n, for every file of the browser tests. */
import type { TestProject } from "vitest/node";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { startTestWorker } from "../../support/test-worker.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The Worker's origin. Its passphrase is `PASSPHRASE` of `test-worker.ts`. */
    origin: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const n8n = await startRecordedN8n();
  const worker = await startTestWorker(n8n);
  project.provide("origin", worker.origin);
  return async () => {
    await worker.stop();
    await n8n.close();
  };
}
