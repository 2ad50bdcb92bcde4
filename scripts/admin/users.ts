/** `npm run admin users`: lists and revokes sign-ins, by user and client. */

import { EXIT_FAILED, runCommand } from "../command-line/command.ts";
import { readUsersArguments, USERS_USAGE, type UsersOptions } from "../operator/arguments.ts";
import {
  findOperatorServer,
  type OperatorServer,
  type RevokedGrant,
  readGrants,
  revoke,
} from "../operator/operator-client.ts";
import { renderGrants } from "../operator/render.ts";

async function run({ revoke: id, form, ...choice }: UsersOptions): Promise<number | undefined> {
  const server = await findOperatorServer(choice);
  if (id !== undefined) return await revokeAndReport(server, id, form === "json");
  const grants = await readGrants(server);
  console.log(
    form === "json" ? grants.map((grant) => JSON.stringify(grant)).join("\n") : renderGrants(grants),
  );
}

async function revokeAndReport(
  server: OperatorServer,
  id: string,
  asJson: boolean,
): Promise<number | undefined> {
  const revoked = await revoke(server, id);
  for (const grant of revoked) console.log(asJson ? JSON.stringify(grant) : tell(grant));
  if (revoked.length > 0) return undefined;
  console.error("There is no such user and no such grant. npm run admin users lists them.");
  return EXIT_FAILED;
}

const tell = ({ userId, grantId }: RevokedGrant): string => `Revoked grant ${grantId} of ${userId}.`;

process.exitCode = await runCommand({ usage: USERS_USAGE, read: readUsersArguments, run });
