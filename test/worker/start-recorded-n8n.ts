/** Starts the recorded n8n of the Worker under test in Node, once before the tests. */
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { RECORDED_N8N_PLACE } from "./outside-world.ts";
import { N8N_API_KEY } from "./secrets.ts";

export default async function serveRecordedN8n(): Promise<() => Promise<void>> {
  const { baseUrl, close } = await startRecordedN8n({ apiKey: N8N_API_KEY });
  // The process is all that this file shares with the answers outside workerd.
  process.env[RECORDED_N8N_PLACE] = baseUrl;
  return close;
}
