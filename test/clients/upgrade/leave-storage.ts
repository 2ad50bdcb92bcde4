/**
 * Creates the fixture of the upgrade test: starts the Worker of the check-out in which it is run, signs somebody in,
 * traces and searches, and packs the resulting storage.
 *
 *   node test/clients/upgrade/leave-storage.ts <name of this version> <file>
 *
 * In a check-out without this folder, copy the folder there first.
 */
import { join } from "node:path";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { connectModern } from "../../support/agent-client.ts";
import { signIn } from "../../support/oauth-client.ts";
import { findTestPlace, PASSPHRASE, removeTestPlace, SERVICE_TOKEN } from "../../support/test-worker.ts";
import { startInWranglerDev } from "../../support/wrangler-dev.ts";
import { writeLeftStorage } from "./storage-file.ts";

/** Above the ports of other tests, and below the ephemeral ports. */
const N8N_PORT = 29_401;
const WORKER_PORT = 29_402;

const [leftBy, file] = process.argv.slice(2);
if (leftBy === undefined || file === undefined)
  throw new Error("Give the version's name and the file to write.");

const { directory } = await findTestPlace();
const n8n = await startRecordedN8n({ port: N8N_PORT });
try {
  const worker = await startInWranglerDev(n8n, { directory, port: WORKER_PORT });
  try {
    const person = await signIn(worker.mcpUrl, PASSPHRASE, true);
    const { access_token: accessToken, refresh_token: refreshToken } = person.tokens() ?? {};
    const clientId = person.clientInformation()?.client_id;
    if (accessToken === undefined || refreshToken === undefined || clientId === undefined)
      throw new Error("Nobody is signed in.");
    for (const token of [accessToken, SERVICE_TOKEN]) {
      const client = await connectModern(worker.mcpUrl, token, "auto");
      await client.call("trace_request", { requestId: "req-deep-failure" });
      await client.call("search_executions", { words: "nothing-holds-this" });
      await client.call("get_execution", { id: "999999" });
      await client.close();
    }
    // Entries of the activity log are written after the answer.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await worker.stop();
    const facts = { leftBy, leftAt: Date.now(), n8nPort: N8N_PORT, workerPort: WORKER_PORT };
    await writeLeftStorage(file, join(directory, "state"), { ...facts, clientId, accessToken, refreshToken });
    console.log(`Wrote ${file}.`);
  } finally {
    await worker.stop();
  }
} finally {
  await n8n.close();
  await removeTestPlace({ directory, port: WORKER_PORT });
}
