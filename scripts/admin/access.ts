/** `npm run admin access`: what a person, a group or a service token sees under the access rules, and by which rule. */
import { runCommand } from "../command-line/command.ts";
import { ACCESS_USAGE, type AccessOptions, readAccessArguments } from "../operator/arguments.ts";
import { findOperatorServer, readAccess } from "../operator/operator-client.ts";
import { renderAccess } from "../operator/render-access.ts";

async function printAccess({ who, form, ...choice }: AccessOptions): Promise<undefined> {
  const report = await readAccess(await findOperatorServer(choice), who);
  console.log(form === "json" ? JSON.stringify(report) : renderAccess(report));
}

process.exitCode = await runCommand({ usage: ACCESS_USAGE, read: readAccessArguments, run: printAccess });
