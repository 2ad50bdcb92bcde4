/** Two recorded n8ns for tests in workerd, in Node. Vitest runs this once, before them. */
import type { TestProject } from "vitest/node";
import { startRecordedN8n } from "../recorded-n8n/server.ts";

interface ProvidedN8n {
  readonly baseUrl: string;
  readonly apiKey: string;
}

declare module "vitest" {
  interface ProvidedContext {
    recordedN8n: ProvidedN8n;
    /** An n8n 1.123.81: the same ids of executions as in the other, and none of its executions. */
    olderN8n: ProvidedN8n;
  }
}

export default async function provideRecordedN8n({ provide }: TestProject): Promise<() => Promise<void>> {
  const newer = await startRecordedN8n();
  const older = await startRecordedN8n({ version: "1.123.81", apiKey: "older-recorded-n8n-api-key" });
  provide("recordedN8n", { baseUrl: newer.baseUrl, apiKey: newer.apiKey });
  provide("olderN8n", { baseUrl: older.baseUrl, apiKey: older.apiKey });
  return async () => {
    await Promise.all([newer.close(), older.close()]);
  };
}
