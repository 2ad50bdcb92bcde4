/** The settings of a server on this machine: from the environment, else from .dev.vars. */
import { nearestNames } from "../../src/platform/nearest-names.ts";
import {
  readOidcSettings,
  readSignInSettings,
  type SettingProblem,
  settingProblems,
} from "../../src/settings/index.ts";
import { isSettingName, SETTING_NAMES } from "../../src/settings/settings-table.ts";
import { readSettings as readEnvFile } from "../setup/env-file.ts";

export type Settings = Readonly<Record<string, string>>;

/** @param path of .dev.vars, which need not be there */
export async function readSettings(path: string, environment: NodeJS.ProcessEnv): Promise<Settings> {
  const all: Record<string, string | undefined> = { ...(await readEnvFile(path)), ...environment };
  return Object.fromEntries(
    SETTING_NAMES.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
  );
}

/**
 * A sentence for each name that is no setting: a misspelt REDACT_KEYS would hide nothing.
 * @param place where the names stand, such as "in .dev.vars"
 */
export const describeUnknownSettings = (names: readonly string[], place: string): readonly string[] =>
  names
    .filter((name) => !isSettingName(name))
    .map((name) => {
      const [nearest = ""] = nearestNames(name, SETTING_NAMES, 1);
      return `${name} ${place} is not a setting of n8n-observer, and has no effect. Did you mean ${nearest}?`;
    });

/** Prints such a sentence for each unknown name. @param path of .dev.vars, which need not be there */
export async function warnOfUnknownSettings(path: string): Promise<void> {
  const names = Object.keys(await readEnvFile(path));
  for (const line of describeUnknownSettings(names, "in .dev.vars")) console.error(line);
}

const NO_WAY_IN: SettingProblem = {
  setting: "ACCESS_PASSPHRASE",
  problem: "Nobody could sign in: none of ACCESS_PASSPHRASE, OIDC_ISSUER and SERVICE_TOKENS is set.",
  solution: "Set ACCESS_PASSPHRASE; a good one comes from `openssl rand -base64 24`.",
};

/**
 * Why the server cannot start.
 * @param origin where it listens. If other machines can reach it, PUBLIC_URL must be set: without it, a request for the
 * host `localhost`, which anybody can send, counts as one from this machine.
 */
export function findProblems(settings: Settings, origin: string): readonly SettingProblem[] {
  const malformed = settingProblems(settings, origin);
  if (malformed.length > 0) return malformed;
  const { passphrase, serviceTokens } = readSignInSettings(settings);
  const isWayIn =
    passphrase !== undefined || serviceTokens.length > 0 || readOidcSettings(settings) !== undefined;
  return isWayIn ? [] : [NO_WAY_IN];
}

export function renderProblems(problems: readonly SettingProblem[]): string {
  const lines = problems.map(({ problem, solution }) => `  ${problem}\n    ${solution}`);
  return `Not started: settings are missing or malformed, in .dev.vars or the environment.\n\n${lines.join("\n")}\n\nnpm run setup asks for them and writes .dev.vars.`;
}
