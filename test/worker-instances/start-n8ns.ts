/** Starts the two n8n instances of the Worker under test in Node, once before the tests. */
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { N8NS, placeVariable } from "./n8ns.ts";

export default async function serveN8ns(): Promise<() => Promise<void>> {
  const newer = await startRecordedN8n({ apiKey: N8NS.newer.apiKey });
  const older = await startRecordedN8n({ version: "1.123.81", apiKey: N8NS.older.apiKey });
  // The process is all that this file shares with the answers outside workerd.
  process.env[placeVariable("newer")] = newer.baseUrl;
  process.env[placeVariable("older")] = older.baseUrl;
  return async () => {
    await Promise.all([newer.close(), older.close()]);
  };
}
