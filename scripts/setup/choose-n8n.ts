/** Asks for n8n's address and key until both are tested and right. */

import type { Check } from "../../src/features/check-connection/check-line.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import { SETTINGS } from "../../src/settings/settings-table.ts";
import { toPlainText } from "../ask/plain-text.ts";
import { CommandError } from "../command-line/command-error.ts";
import { canBeWritten } from "./env-text.ts";
import { readN8nAddress, refuseForHeaders } from "./n8n-address.ts";
import { type N8nSource, type TestedN8n, testAddress, testN8n } from "./n8n-checks.ts";
import { readSecret } from "./read-secret.ts";
import { type ChosenN8n, n8nRequestSettings, type Place, type SetupRun } from "./setup-run.ts";

const { value: keySchema, fix: HOW_TO_MAKE_A_KEY } = SETTINGS.N8N_API_KEY;

const sourceOf = ({ present }: SetupRun, baseUrl: string, apiKey: string): N8nSource => ({
  ...n8nRequestSettings(present),
  N8N_BASE_URL: baseUrl,
  N8N_API_KEY: apiKey,
});

/** @throws CommandError, Cancelled */
export async function chooseN8n(run: SetupRun, place: Place): Promise<ChosenN8n> {
  const left = await resume(run, place);
  if (left !== undefined) return left;
  let isFirst = true;
  for (;;) {
    const baseUrl = await chooseAddress(run, place, isFirst);
    await run.draft.keep({ N8N_BASE_URL: baseUrl });
    const chosen = await chooseKey(run, baseUrl, isFirst);
    isFirst = false;
    if (chosen === "another address") continue;
    await run.draft.keep({ N8N_API_KEY: chosen.apiKey });
    return chosen;
  }
}

/** Resumes with the address and key of an unfinished set-up, if they still work. */
async function resume(run: SetupRun, place: Place): Promise<ChosenN8n | undefined> {
  const { options, draft, questions } = run;
  const { N8N_BASE_URL: baseUrl, N8N_API_KEY: apiKey } = draft.facts;
  if (baseUrl === undefined || apiKey === undefined || options.url !== undefined || options.key !== undefined)
    return undefined;
  if (readN8nAddress(baseUrl, place).kind === "wrong") return undefined;
  if (refuseForHeaders(run.present, baseUrl) !== undefined) return undefined;
  questions.tell("info", `Going on with n8n at ${baseUrl}, whose key you gave last time.`);
  const tested = await ask(run, baseUrl, apiKey);
  return tested.isUsable ? { baseUrl, apiKey, requestId: tested.requestId } : undefined;
}

async function chooseAddress(run: SetupRun, place: Place, isFirst: boolean): Promise<string> {
  const { options, questions, draft, present } = run;
  const known = draft.facts.N8N_BASE_URL ?? present.N8N_BASE_URL;
  const left = draft.facts.N8N_BASE_URL ?? (questions.isAttended ? undefined : known);
  let address = isFirst ? (options.url ?? left) : undefined;
  for (;;) {
    address ??= await questions.text(
      {
        message: "Where is your n8n? Paste its address.",
        option: "--url <address>",
        placeholder: "https://n8n.example.com",
        ...(known === undefined ? {} : { initial: known }),
      },
      (answer) => {
        const read = readN8nAddress(answer, place);
        return read.kind === "wrong" ? read.problem : undefined;
      },
    );
    const tried = await tryAddress(run, address, place);
    if (tried.kind === "address") return tried.baseUrl;
    if (!questions.isAttended) throw new CommandError(tried.problem);
    questions.tell("error", tried.problem);
    address = undefined;
  }
}

async function tryAddress(
  run: SetupRun,
  text: string,
  place: Place,
): Promise<ReturnType<typeof readN8nAddress>> {
  const read = readN8nAddress(text, place);
  if (read.kind === "wrong") return read;
  const refusal = refuseForHeaders(run.present, read.baseUrl);
  if (refusal !== undefined) return { kind: "wrong", problem: refusal };
  const check = await guarded(run, `Looking for n8n at ${read.baseUrl}`, async () =>
    testAddress(sourceOf(run, read.baseUrl, "")),
  );
  return check.status === "fail" ? { kind: "wrong", problem: tellProblem(check) } : read;
}

function tellProblem({ detail, solution }: Check): string {
  return toPlainText(`${detail} ${solution ?? ""}`.trim());
}

async function chooseKey(
  run: SetupRun,
  baseUrl: string,
  isFirst: boolean,
): Promise<ChosenN8n | "another address"> {
  const { options, questions, present } = run;
  const kept = present.N8N_BASE_URL === baseUrl ? present.N8N_API_KEY : undefined;
  let given =
    isFirst && options.key !== undefined
      ? await readSecret(options.key, run.environment)
      : questions.isAttended
        ? undefined
        : (run.draft.facts.N8N_API_KEY ?? kept);
  for (;;) {
    const apiKey = given ?? (await typeKey(run, kept));
    given = undefined;
    const problem = refuseKey(apiKey);
    if (problem !== undefined) {
      if (!questions.isAttended) throw new CommandError(problem);
      questions.tell("error", problem);
      continue;
    }
    const tested = await ask(run, baseUrl, apiKey);
    if (tested.isUsable) {
      if (!tested.canWrite || (await acceptsWritingKey(run)))
        return { baseUrl, apiKey, requestId: tested.requestId };
      continue;
    }
    if (!questions.isAttended)
      throw new CommandError("n8n cannot be read with this address and key. Nothing was written.");
    if (tested.checks.some(({ check, status }) => check === "n8n reachable" && status === "fail"))
      return "another address";
  }
}

async function typeKey(run: SetupRun, kept: string | undefined): Promise<string> {
  const { questions } = run;
  if (kept === undefined) questions.tell("info", HOW_TO_MAKE_A_KEY);
  const typed = await questions.secret(
    {
      message:
        kept === undefined
          ? "n8n's API key (it is not shown)"
          : "n8n's API key (it is not shown; Enter keeps the one in .dev.vars)",
      option: "--key-from-env or --key-file <file>",
    },
    (answer) => (answer.trim() === "" && kept !== undefined ? undefined : refuseKey(answer.trim())),
  );
  return typed.trim() === "" && kept !== undefined ? kept : typed.trim();
}

/** What is wrong with a key, in a sentence that does not quote it. */
function refuseKey(apiKey: string): string | undefined {
  if (apiKey === "") return `Paste the key. ${HOW_TO_MAKE_A_KEY}`;
  if (!keySchema.safeParse(apiKey).success) return `That is no key of n8n's. ${HOW_TO_MAKE_A_KEY}`;
  return canBeWritten(apiKey)
    ? undefined
    : "That is no key of n8n's: it holds quotes, $ or a backslash. Copy it again.";
}

async function acceptsWritingKey({ options, questions }: SetupRun): Promise<boolean> {
  if (options.yes || !questions.isAttended) return true;
  const answer = await questions.choose(
    { message: "This key can do more than read. What now?", option: "--yes" },
    [
      { value: "another", label: "I make one that only reads", hint: "safer" },
      { value: "take", label: "Take this one", hint: "nothing here uses more than reading" },
    ],
  );
  if (answer === "take") return true;
  questions.tell("info", HOW_TO_MAKE_A_KEY);
  return false;
}

const KINDS = { fail: "error", warning: "warning", skipped: "info" } as const;

async function ask(run: SetupRun, baseUrl: string, apiKey: string): Promise<TestedN8n> {
  const { questions } = run;
  const tested = await guarded(run, "Asking n8n what the key may do", async () =>
    testN8n(sourceOf(run, baseUrl, apiKey)),
  );
  const passed = tested.checks.filter(({ status }) => status === "pass");
  if (passed.length > 0)
    questions.tell("success", passed.map(({ detail }) => toPlainText(detail)).join("\n"));
  // After a failure, checks that were skipped because of it tell nothing new.
  for (const check of tested.checks)
    if (check.status !== "pass" && (tested.isUsable || check.status !== "skipped"))
      questions.tell(KINDS[check.status], tellProblem(check));
  return tested;
}

/** Invalid settings in .dev.vars, such as N8N_HEADERS, must be fixed by hand. */
async function guarded<Value>(
  { questions }: SetupRun,
  message: string,
  test: () => Promise<Value>,
): Promise<Value> {
  try {
    return await questions.busy(message, test);
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    throw new CommandError(`${error.message} ${error.details.solution}`);
  }
}
