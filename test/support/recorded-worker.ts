/** A recorded n8n with a Worker in front of it, started before a file's tests and stopped after them. */
import { afterAll, beforeAll } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { startTestWorker, type TestWorker } from "./test-worker.ts";

/** Its members are set once the tests run. */
export interface RecordedWorker {
  readonly n8n: RecordedN8n;
  readonly worker: TestWorker;
}

export function useRecordedWorker(): RecordedWorker {
  let n8n: RecordedN8n;
  let worker: TestWorker;
  beforeAll(async () => {
    n8n = await startRecordedN8n();
    worker = await startTestWorker(n8n);
  });
  afterAll(async () => {
    await worker.stop();
    await n8n.close();
  });
  return {
    get n8n() {
      return n8n;
    },
    get worker() {
      return worker;
    },
  };
}
