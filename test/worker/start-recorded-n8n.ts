/** The recorded n8n for tests in workerd, in Node. Vitest runs this once, before them. */
import type { TestProject } from "vitest/node";
import { startRecordedN8n } from "../recorded-n8n/server.ts";

declare module "vitest" {
  interface ProvidedContext {
    recordedN8n: { readonly baseUrl: string; readonly apiKey: string };
  }
}

export default async function provideRecordedN8n({ provide }: TestProject): Promise<() => Promise<void>> {
  const { baseUrl, apiKey, close } = await startRecordedN8n();
  provide("recordedN8n", { baseUrl, apiKey });
  return close;
}
