/** `npm run admin status`: the state of a running server, on one screen. */

import { EXIT_FAILED, runCommand } from "../command-line/command.ts";
import { type IndexOptions, readIndexArguments, STATUS_USAGE } from "../operator/arguments.ts";
import { findOperatorServer, readHealth, readStatus } from "../operator/operator-client.ts";
import { isWell, renderStatus } from "../operator/render-status.ts";

async function printStatus({ form, ...choice }: IndexOptions): Promise<number | undefined> {
  const server = await findOperatorServer(choice);
  const isHealthy = await readHealth(server);
  const status = { origin: server.origin, isHealthy, ...(await readStatus(server)) };
  console.log(form === "json" ? JSON.stringify(status) : renderStatus(status, Date.now()));
  return isWell(status) ? undefined : EXIT_FAILED;
}

process.exitCode = await runCommand({ usage: STATUS_USAGE, read: readIndexArguments, run: printStatus });
