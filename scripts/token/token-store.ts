/** Where SERVICE_TOKENS is stored: in .dev.vars, or with the Worker that was deployed from this machine. */

import { toPlainText } from "../ask/plain-text.ts";
import { CommandError } from "../command-line/command-error.ts";
import { readDeployedWorker, writeDeployedWorker } from "../setup/deployed-file.ts";
import { readSettings, readText, writeWhole } from "../setup/env-file.ts";
import { withSettings } from "../setup/env-text.ts";
import type { Places } from "../setup/setup-run.ts";
import { runWrangler } from "../setup/wrangler.ts";

export interface TokenStore {
  /** The current setting. @throws CommandError */
  read(): Promise<string>;
  /** @throws CommandError if nothing was changed */
  write(setting: string): Promise<void>;
  /** A sentence that says when a change takes effect. */
  readonly after: string;
}

export const localTokens = ({ devVars }: Places): TokenStore => ({
  read: async () => (await readSettings(devVars)).SERVICE_TOKENS ?? "",
  write: async (setting) => {
    const text = await readText(devVars);
    if (text === "") throw new CommandError("There is no .dev.vars yet. Run npm run setup first.");
    await writeWhole(devVars, withSettings(text, { SERVICE_TOKENS: setting }));
  },
  after: "It takes effect when the server on this machine is restarted.",
});

const NOT_DEPLOYED =
  "This machine has not deployed a Worker, and Cloudflare does not give secrets back. Deploy with npm run setup -- --deploy, or set SERVICE_TOKENS by hand: docs/deploy.md.";

export const deployedTokens = ({ deployed }: Places): TokenStore => ({
  async read() {
    const worker = await readDeployedWorker(deployed);
    if (worker === undefined) throw new CommandError(NOT_DEPLOYED);
    return worker.serviceTokens;
  },
  async write(setting) {
    const worker = await readDeployedWorker(deployed);
    if (worker === undefined) throw new CommandError(NOT_DEPLOYED);
    const environment: Record<string, string> =
      worker.accountId === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: worker.accountId };
    // Without entries the secret is deleted: Cloudflare rejects an empty one.
    const command = setting === "" ? "delete" : "put";
    const { succeeded, output } = await runWrangler(
      ["secret", command, "SERVICE_TOKENS", "--name", worker.worker],
      { input: setting === "" ? "y\n" : setting, environment },
    );
    if (!succeeded)
      throw new CommandError(
        `The Worker has its tokens as before: wrangler did not set them. It says:\n${toPlainText(output.trim(), 600)}`,
      );
    await writeDeployedWorker(deployed, { ...worker, serviceTokens: setting });
  },
  after: "It takes effect within a minute.",
});
