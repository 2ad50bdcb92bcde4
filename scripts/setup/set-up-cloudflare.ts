/**
 * The last part of a set-up on Cloudflare: deploys, takes the address, sets every secret in one call, waits until the
 * Worker has them, and checks it from outside. Until the secrets are set, nobody can sign in.
 */

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "../command-line/command-error.ts";
import { diagnose, isSetUp } from "../doctor/diagnose.ts";
import { isFailure } from "../doctor/finding.ts";
import { renderFindings } from "../doctor/render.ts";
import { writeEntries } from "../token/service-tokens.ts";
import { WORKER_NAME } from "./arguments.ts";
import type { ChosenPassphrase, ChosenTokens } from "./choose-access.ts";
import { renderClientLines } from "./client-lines.ts";
import { type AccountEnvironment, chooseAccount, hasWorker } from "./cloudflare-account.ts";
import { type DeployedWorker, isDeployed, writeDeployedWorker } from "./deployed-file.ts";
import { readText } from "./env-file.ts";
import { findOverridden, isPlainSetting } from "./plain-settings.ts";
import { tellToken } from "./set-up-local.ts";
import { type ChosenN8n, n8nRequestSettings, type SetupRun } from "./setup-run.ts";
import { deployWorker, runWrangler } from "./wrangler.ts";

const SECRETS_ARRIVE_WITHIN_MS = 60_000;
const POLL_INTERVAL_MS = 1_000;

/** The Worker's name and account. Asked first, so that a problem with them costs no answers. */
export interface ChosenWorker {
  readonly name: string;
  readonly account: AccountEnvironment;
}

/** @throws CommandError, Cancelled */
export async function chooseWorker(
  run: SetupRun,
  deployed: DeployedWorker | undefined,
): Promise<ChosenWorker> {
  const { questions, draft, options } = run;
  const account = await chooseAccount(run);
  const accountId = account.CLOUDFLARE_ACCOUNT_ID;
  const isHere = deployed !== undefined && isDeployed(deployed, { name: deployed.worker, accountId });
  const own = draft.facts.SETUP_WORKER ?? (isHere ? deployed.worker : undefined);
  let name = options.worker ?? own ?? (await nameInConfiguration(run));
  while (name !== own && (await isTaken(run, name, account))) name = await askAnotherName(run, name);
  await draft.keep({ SETUP_WORKER: name });
  questions.tell("info", `The Worker is called ${name}.`);
  return { name, account };
}

async function nameInConfiguration({ places }: SetupRun): Promise<string> {
  return /^name\s*=\s*"([^"]+)"/m.exec(await readText(places.wranglerToml))?.[1] ?? "n8n-observer";
}

/** A Worker that somebody else set up would be overwritten. */
async function isTaken(run: SetupRun, name: string, account: AccountEnvironment): Promise<boolean> {
  const { questions, options } = run;
  const isThere = await questions.busy(`Looking whether the name ${name} is free`, async () =>
    hasWorker(name, account),
  );
  if (!isThere) return false;
  if (!questions.isAttended) {
    if (options.yes && options.worker === name) return false;
    throw new CommandError(
      `There is a Worker ${name} on this account already. Give another name with --worker <name>; or, to write over it, its own with --worker ${name} --yes.`,
    );
  }
  const answer = await questions.choose(
    {
      message: `There is a Worker ${name} on this account already. What now?`,
      option: "--worker <name>",
    },
    [
      { value: "another", label: "Take another name" },
      { value: "over", label: "Write over it", hint: "if it is an n8n-observer of yours" },
    ],
  );
  return answer === "another";
}

async function askAnotherName({ questions }: SetupRun, taken: string): Promise<string> {
  const typed = await questions.text(
    { message: "The Worker's name", option: "--worker <name>", initial: `${taken}-2` },
    (answer) => (WORKER_NAME.test(answer.trim()) ? undefined : "A name has a-z, 0-9 and hyphens only."),
  );
  return typed.trim();
}

/** @throws CommandError, Cancelled */
export async function setUpOnCloudflare(
  run: SetupRun,
  { name, account }: ChosenWorker,
  n8n: ChosenN8n,
  { passphrase, isNew }: ChosenPassphrase,
  tokens: ChosenTokens,
): Promise<number> {
  const { questions, draft, options, present } = run;
  const serviceTokens = writeEntries(tokens.entries);
  const chosen = {
    N8N_BASE_URL: n8n.baseUrl,
    N8N_API_KEY: n8n.apiKey,
    ACCESS_PASSPHRASE: passphrase,
    ...(serviceTokens === "" ? {} : { SERVICE_TOKENS: serviceTokens }),
  };
  await requireNotOverridden(run, chosen);
  questions.tell("step", `Deploying ${name}`);
  const origin = await deployWorker(name, account);
  if (origin === undefined)
    throw new CommandError(
      "The Worker was not deployed; wrangler says why above. Run npm run setup again: it resumes here without asking again.",
    );
  await draft.keep({ SETUP_ORIGIN: origin });
  await setSecrets(run, name, account, { ...n8nRequestSettings(present), ...chosen, PUBLIC_URL: origin });
  const accountId = account.CLOUDFLARE_ACCOUNT_ID;
  await writeDeployedWorker(run.places.deployed, {
    worker: name,
    origin,
    serviceTokens,
    ...(accountId === undefined ? {} : { accountId }),
  });
  await draft.remove();
  questions.tell("success", `Deployed at ${origin}, with its secrets.`);
  if (isNew) questions.tell("info", `The passphrase for signing in, shown only now: ${passphrase}`);
  tellToken(run, tokens);
  const isReady = await questions.busy("Waiting until the Worker has its settings", async () =>
    waitForSettings(origin),
  );
  const findings = await diagnose({ origin, token: tokens.made?.token });
  questions.tell(isReady ? "success" : "warning", renderFindings(findings));
  questions.tell("step", `Connect an app:\n\n${renderClientLines(`${origin}/mcp`)}`);
  if (options.open && questions.isAttended) openInBrowser(origin);
  questions.tell(
    "step",
    `Next: open ${origin} in a browser. npm run doctor -- ${origin} tests it from outside.`,
  );
  return findings.some(isFailure) ? 1 : 0;
}

/** The tested key must not be sent to an n8n that wrangler.toml names instead. @throws CommandError */
async function requireNotOverridden(
  { places }: SetupRun,
  chosen: Readonly<Record<string, string>>,
): Promise<void> {
  const overridden = findOverridden(await readText(places.wranglerToml), chosen);
  if (overridden === undefined) return;
  throw new CommandError(
    `Nothing was deployed: wrangler.toml sets ${overridden} to something else, and what stands there would count. Take that line out of it, then run npm run setup again.`,
  );
}

/** One call, so that a Worker has all secrets or none. */
async function setSecrets(
  { questions, places }: SetupRun,
  name: string,
  account: AccountEnvironment,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const configuration = await readText(places.wranglerToml);
  // Cloudflare rejects a secret with the name of a plain setting.
  const secrets = Object.entries(settings).filter(([setting]) => !isPlainSetting(configuration, setting));
  const { succeeded, output } = await questions.busy("Setting the secrets", async () =>
    runWrangler(["secret", "bulk", "--name", name], {
      input: JSON.stringify(Object.fromEntries(secrets)),
      environment: account,
    }),
  );
  if (succeeded) return;
  const said = withoutSecrets(output, Object.values(settings));
  throw new CommandError(
    `The Worker is deployed, but its secrets are not set. wrangler says:\n${said}\nRun npm run setup again: it resumes here.`,
  );
}

/** In case wrangler ever quotes its input. */
function withoutSecrets(output: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((text, secret) => text.replaceAll(secret, "…"), output.trim())
    .slice(-1_000);
}

/** Secrets reach a Worker a moment after they are set. */
async function waitForSettings(origin: string): Promise<boolean> {
  const deadline = Date.now() + SECRETS_ARRIVE_WITHIN_MS;
  while (Date.now() < deadline) {
    if (await isSetUp({ origin })) return true;
    await sleep(POLL_INTERVAL_MS);
  }
  return false;
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens a page in the person's browser, if there is one. The output names the address, too. */
function openInBrowser(url: string): void {
  const [command = "xdg-open", ...first] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...first, url], { stdio: "ignore", detached: true });
  opener.on("error", () => {});
  opener.unref();
}
