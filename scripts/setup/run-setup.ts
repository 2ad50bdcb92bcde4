/** Runs a set-up from its arguments to its exit code: asks, tests, and sets up the chosen place. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";

import { runCommand, type Terminal } from "../command-line/command.ts";
import { CommandError } from "../command-line/command-error.ts";
import { readEntries } from "../token/service-tokens.ts";
import { readSetupArguments, SETUP_USAGE, type SetupOptions } from "./arguments.ts";
import { choosePassphrase, chooseServiceToken } from "./choose-access.ts";
import { chooseN8n } from "./choose-n8n.ts";
import { type DeployedWorker, isDeployed, readDeployedWorker } from "./deployed-file.ts";
import { Draft } from "./draft.ts";
import { readSettings } from "./env-file.ts";
import { Cancelled, type Questions, unattendedQuestions } from "./questions.ts";
import { type ChosenWorker, chooseWorker, setUpOnCloudflare } from "./set-up-cloudflare.ts";
import { setUpLocally } from "./set-up-local.ts";
import { type Place, type Places, placesIn, type SetupRun } from "./setup-run.ts";

/** A shell's exit code for Ctrl-C. */
const EXIT_STOPPED = 130;

const RESUMES =
  "This resumes a set-up that was not finished, with its answers. To answer anew: npm run setup -- --anew";

/** Where a set-up runs and writes. */
export interface SetupWorld extends Terminal {
  /** The project's folder. */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Undefined if there is no terminal. */
  readonly terminal: (() => Questions) | undefined;
}

async function setUp(
  options: SetupOptions,
  questions: Questions,
  places: Places,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const draft = await Draft.open(places.draft, options.anew);
  if (!draft.isEmpty) questions.tell("info", RESUMES);
  const present = await readSettings(places.devVars);
  const run: SetupRun = { options, questions, draft, present, places, environment };
  const place = await choosePlace(run);
  return place === "local" ? await local(run) : await onCloudflare(run);
}

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
    throw new CommandError(
      "Your .dev.vars names several n8n instances (N8N_INSTANCES), which this does not set up. Edit it by hand: docs/instances.md.",
    );
  const present = readEntries(run.present.SERVICE_TOKENS ?? "");
  // Those that the server will trust: the system's, or the ones in SSL_CERT_FILE.
  setDefaultCACertificates(getCACertificates("system"));
  const n8n = await chooseN8n(run, "local");
  const passphrase = await choosePassphrase(run, run.present.ACCESS_PASSPHRASE);
  const tokens = await chooseServiceToken(run, present);
  return await setUpLocally(run, n8n, passphrase, tokens);
}

/** The service tokens of the chosen Worker. Those of another Worker may give access to another n8n. */
function tokensOf({ name, account }: ChosenWorker, deployed: DeployedWorker | undefined): string {
  const chosen = { name, accountId: account.CLOUDFLARE_ACCOUNT_ID };
  return deployed !== undefined && isDeployed(deployed, chosen) ? deployed.serviceTokens : "";
}

async function onCloudflare(run: SetupRun): Promise<number> {
  const deployed = await readDeployedWorker(run.places.deployed);
  const worker = await chooseWorker(run, deployed);
  const present = readEntries(tokensOf(worker, deployed));
  const n8n = await chooseN8n(run, "cloudflare");
  const passphrase = await choosePassphrase(run, undefined);
  const tokens = await chooseServiceToken(run, present);
  return await setUpOnCloudflare(run, worker, n8n, passphrase, tokens);
}

/** @returns the exit code */
export async function runSetup(
  args: readonly string[],
  { directory, environment, terminal, ...output }: SetupWorld,
): Promise<number> {
  const run = async (options: SetupOptions): Promise<number> => {
    const isAttended = terminal !== undefined && !options.yes;
    const questions = isAttended ? terminal() : unattendedQuestions(output.print);
    try {
      return await setUp(options, questions, placesIn(directory), environment);
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      output.printError("\nStopped. Nothing is half-written. npm run setup resumes where this stopped.");
      return EXIT_STOPPED;
    }
  };
  return await runCommand({ usage: SETUP_USAGE, read: readSetupArguments, run }, args, output);
}
