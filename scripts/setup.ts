/**
 * `npm run setup`: from nothing to a server that answers, on this machine or on Cloudflare, by a few questions.
 * Promises: nothing is written before it is tested, and then all at once; a secret is shown on no screen, in no process
 * list and in no error; whoever stops it goes on where it was by starting it again.
 */
import { readSetupArguments, SETUP_USAGE, type SetupOptions } from "./setup/arguments.ts";
import { choosePassphrase, chooseServiceToken } from "./setup/choose-access.ts";
import { chooseN8n } from "./setup/choose-n8n.ts";
import { readDeployedWorker } from "./setup/deployed-file.ts";
import { Draft } from "./setup/draft.ts";
import { readSettings } from "./setup/env-file.ts";
import { type Questions, unattendedQuestions } from "./setup/questions.ts";
import { chooseWorker, setUpOnCloudflare } from "./setup/set-up-cloudflare.ts";
import { setUpLocally } from "./setup/set-up-local.ts";
import { Cancelled, SetupError } from "./setup/setup-error.ts";
import { DEV_VARS, DRAFT, type SetupRun } from "./setup/setup-run.ts";
import { terminalQuestions } from "./setup/terminal-questions.ts";
import { readEntries } from "./token/service-tokens.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** As a shell tells of Ctrl-C. */
const EXIT_STOPPED = 130;

async function setUp(options: SetupOptions, questions: Questions): Promise<number> {
  const draft = await Draft.open(DRAFT, options.anew);
  const present = await readSettings(DEV_VARS);
  const run: SetupRun = { options, questions, draft, present };
  const place = await choosePlace(run);
  return place === "local" ? await local(run) : await onCloudflare(run);
}

type Place = "local" | "cloudflare";

async function choosePlace({ options, questions, draft }: SetupRun): Promise<Place> {
  const place =
    options.place ??
    draft.facts.SETUP_PLACE ??
    (await questions.choose<Place>(
      { message: "Where is n8n-observer to run?", option: "--local or --deploy" },
      [
        { value: "local", label: "On this machine", hint: "for apps on this machine" },
        { value: "cloudflare", label: "On Cloudflare", hint: "for Claude, ChatGPT and colleagues, too" },
      ],
    ));
  if (place !== draft.facts.SETUP_PLACE) await draft.keep({ SETUP_PLACE: place });
  return place;
}

async function local(run: SetupRun): Promise<number> {
  if (run.present.N8N_INSTANCES)
    throw new SetupError(
      "Your .dev.vars names several n8ns (N8N_INSTANCES), which this does not set up. Edit it by hand: docs/instances.md.",
    );
  const present = readEntries(run.present.SERVICE_TOKENS ?? "");
  const n8n = await chooseN8n(run, "local");
  const passphrase = await choosePassphrase(run, run.present.ACCESS_PASSPHRASE);
  const tokens = await chooseServiceToken(run, present);
  return await setUpLocally(run, n8n, passphrase, tokens);
}

async function onCloudflare(run: SetupRun): Promise<number> {
  const deployed = await readDeployedWorker();
  const present = readEntries(deployed?.serviceTokens ?? "");
  const worker = await chooseWorker(run, deployed);
  const n8n = await chooseN8n(run, "cloudflare");
  const passphrase = await choosePassphrase(run, undefined);
  const tokens = await chooseServiceToken(run, present);
  return await setUpOnCloudflare(run, worker, n8n, passphrase, tokens);
}

function tellFailure(error: unknown): number {
  if (error instanceof Cancelled) {
    console.error("\nStopped. Nothing is half-written. npm run setup goes on where this was.");
    return EXIT_STOPPED;
  }
  if (!(error instanceof SetupError)) throw error;
  console.error(`\n${error.message}`);
  return EXIT_FAILED;
}

async function main(): Promise<number> {
  const parsed = readSetupArguments(process.argv.slice(2));
  if (parsed.kind === "help") {
    console.log(SETUP_USAGE);
    return 0;
  }
  if (parsed.kind === "wrong") {
    console.error(`${parsed.problem}\n\n${SETUP_USAGE}`);
    return EXIT_USAGE;
  }
  const { options } = parsed;
  const canAsk = !options.yes && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const questions = canAsk ? terminalQuestions() : unattendedQuestions((line) => console.log(line));
  return await setUp(options, questions).catch(tellFailure);
}

// What is under way when it is stopped is not waited for.
process.exit(await main());
