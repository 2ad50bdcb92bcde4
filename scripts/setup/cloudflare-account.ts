/** Who is logged in to Cloudflare, and on which account the Worker will be. */

import * as z from "zod";
import { toPlainText } from "../ask/plain-text.ts";
import { CommandError } from "../command-line/command-error.ts";
import type { SetupRun } from "./setup-run.ts";
import { runWrangler, runWranglerInTerminal } from "./wrangler.ts";

const account = z.looseObject({ id: z.string(), name: z.string() });
const whoAmI = z.looseObject({ loggedIn: z.literal(true), accounts: z.array(account).default([]) });
type WhoAmI = z.infer<typeof whoAmI>;

export type AccountEnvironment = Readonly<Record<string, string>>;

async function readWhoAmI(): Promise<WhoAmI | undefined> {
  const { stdout, output } = await runWrangler(["whoami", "--json"]);
  if (/fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|unreachable/i.test(output))
    throw new CommandError("Cloudflare cannot be reached: is this machine online? Nothing was changed.");
  const start = stdout.indexOf("{");
  try {
    return whoAmI.parse(JSON.parse(stdout.slice(Math.max(0, start))));
  } catch {
    // Not logged in, or an error message instead of JSON.
    return undefined;
  }
}

/** Logs in if nobody is logged in. @returns the account, as wrangler's environment @throws CommandError, Cancelled */
export async function chooseAccount({ questions }: SetupRun): Promise<AccountEnvironment> {
  let known = await questions.busy("Looking who is logged in to Cloudflare", readWhoAmI);
  if (known === undefined) {
    if (!questions.isAttended)
      throw new CommandError(
        "Nobody is logged in to Cloudflare. Run npx wrangler login first, or set CLOUDFLARE_API_TOKEN.",
      );
    questions.tell("info", "Nobody is logged in to Cloudflare yet. It opens in the browser.");
    await runWranglerInTerminal(["login"]);
    known = await questions.busy("Looking who is logged in to Cloudflare", readWhoAmI);
  }
  if (known === undefined)
    throw new CommandError(
      "The log-in to Cloudflare was not completed. Run npm run setup again: it resumes here.",
    );
  const { accounts } = known;
  const [only, ...others] = accounts;
  const given = process.env.CLOUDFLARE_ACCOUNT_ID || (others.length === 0 ? only?.id : undefined);
  if (given !== undefined) return { CLOUDFLARE_ACCOUNT_ID: given };
  // The API token may not list accounts: wrangler reports what it needs.
  if (only === undefined) return {};
  const id = await questions.choose(
    { message: "On which account?", option: "the environment variable CLOUDFLARE_ACCOUNT_ID" },
    accounts.map(({ id: value, name }) => ({ value, label: toPlainText(name, 60) })),
  );
  return { CLOUDFLARE_ACCOUNT_ID: id };
}

/** Whether the account has a Worker of that name. @throws CommandError if that cannot be determined */
export async function hasWorker(name: string, environment: AccountEnvironment): Promise<boolean> {
  const { succeeded, output } = await runWrangler(["deployments", "list", "--name", name, "--json"], {
    environment,
  });
  if (succeeded) return true;
  if (/10007|10090|does not exist|couldn't find a Worker|not found/i.test(output)) return false;
  throw new CommandError(
    `wrangler cannot say whether there is a Worker ${name} already. It says:\n${toPlainText(output.trim(), 500)}`,
  );
}
