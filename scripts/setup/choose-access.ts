/** Asks how people and programs sign in: the passphrase, and a token for a client without a browser. */

import type { ServiceToken } from "../../src/settings/index.ts";
import { SETTINGS } from "../../src/settings/settings-table.ts";
import { CommandError } from "../command-line/command-error.ts";
import { createPassphrase } from "../start/passphrase.ts";
import { addToken, refuseName } from "../token/service-tokens.ts";
import { canBeWritten } from "./env-text.ts";
import { readSecret } from "./read-secret.ts";
import type { SetupRun } from "./setup-run.ts";

export interface ChosenPassphrase {
  readonly passphrase: string;
  /** Made by this set-up, so that the person must be shown it. */
  readonly isNew: boolean;
}

/** What is wrong with a passphrase, in a sentence that does not quote it. */
export function refusePassphrase(passphrase: string): string | undefined {
  const { value, fix } = SETTINGS.ACCESS_PASSPHRASE;
  if (!value.safeParse(passphrase).success)
    return `That is too short. ${fix} Leave it empty, and one is made.`;
  return canBeWritten(passphrase)
    ? undefined
    : "A passphrase has no quotes ('), no $, no backslash, and no space at its ends.";
}

const made = (): ChosenPassphrase => ({ passphrase: createPassphrase(), isNew: true });

/**
 * Does not ask again for a choice made in an earlier set-up.
 * @param present the current passphrase
 * @throws CommandError, Cancelled
 */
export async function choosePassphrase(
  run: SetupRun,
  present: string | undefined,
): Promise<ChosenPassphrase> {
  const { options, questions, draft } = run;
  const { ACCESS_PASSPHRASE: left, SETUP_MADE_PASSPHRASE: wasMade } = draft.facts;
  if (left !== undefined && options.passphrase === undefined) {
    questions.tell("info", "Going on with the passphrase of last time.");
    return { passphrase: left, isNew: wasMade === "yes" };
  }
  const chosen = await askPassphrase(run, present);
  await draft.keep({
    ACCESS_PASSPHRASE: chosen.passphrase,
    SETUP_MADE_PASSPHRASE: chosen.isNew ? "yes" : undefined,
  });
  return chosen;
}

async function askPassphrase(
  { options, questions, environment }: SetupRun,
  present: string | undefined,
): Promise<ChosenPassphrase> {
  if (options.passphrase === "make") return made();
  if (options.passphrase !== undefined) {
    const passphrase = await readSecret(options.passphrase, environment);
    const problem = refusePassphrase(passphrase);
    if (problem !== undefined) throw new CommandError(problem);
    return { passphrase, isNew: false };
  }
  const usable = present !== undefined && refusePassphrase(present) === undefined ? present : undefined;
  const withoutTyping = () => (usable === undefined ? made() : { passphrase: usable, isNew: false });
  if (!questions.isAttended) return withoutTyping();
  const typed = await questions.secret(
    {
      message: `A passphrase for signing in, 12 characters or more (it is not shown; Enter ${usable === undefined ? "makes one" : "keeps the present one"})`,
      option: "--passphrase-file <file> or --make-passphrase",
    },
    (answer) => (answer === "" ? undefined : refusePassphrase(answer)),
  );
  return typed === "" ? withoutTyping() : { passphrase: typed, isNew: false };
}

export interface ChosenTokens {
  readonly entries: readonly ServiceToken[];
  /** Made here, shown once. */
  readonly made: { readonly name: string; readonly token: string } | undefined;
}

/** @param present the current tokens @throws CommandError, Cancelled */
export async function chooseServiceToken(
  { options, questions }: SetupRun,
  present: readonly ServiceToken[],
): Promise<ChosenTokens> {
  const name = options.serviceToken ?? (questions.isAttended ? await askName(questions, present) : "");
  if (name === false || name === "") return { entries: present, made: undefined };
  const { entries, token } = addToken(present, name, ["n8n:read"]);
  return { entries, made: { name, token } };
}

async function askName(questions: SetupRun["questions"], present: readonly ServiceToken[]): Promise<string> {
  const typed = await questions.text(
    {
      message:
        "A token for a client without a browser, such as n8n itself or a script? Its name (Enter: none)",
      option: "--service-token <name> or --no-service-token",
      placeholder: "none",
    },
    (answer) => (answer.trim() === "" ? undefined : refuseName(answer.trim(), present)),
  );
  return typed.trim();
}
