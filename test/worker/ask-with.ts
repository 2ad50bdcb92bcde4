/** Sends a request to the Worker under test with other settings. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index.ts";

export async function askWith(
  settings: Record<string, string>,
  url: string,
  init: RequestInit = {},
): Promise<Response> {
  return worker.fetch(new Request(url, init), { ...env, ...settings }, createExecutionContext());
}
