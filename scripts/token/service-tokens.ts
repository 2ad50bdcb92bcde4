/** The entries of SERVICE_TOKENS, for clients without a browser. Only the SHA-256 of a token is stored. */

import { randomBytes } from "node:crypto";
import { ObserverError } from "../../src/platform/errors.ts";
import { sha256Text } from "../../src/platform/sha256.ts";
import { readSignInSettings, type Scope, type ServiceToken } from "../../src/settings/index.ts";
import { CommandError } from "../command-line/command-error.ts";

/** Makes tokens recognizable in leaks and code searches. */
const PREFIX = "n8no_";

/** @throws CommandError when an entry is malformed */
export function readEntries(setting: string): readonly ServiceToken[] {
  try {
    return readSignInSettings({ SERVICE_TOKENS: setting }).serviceTokens;
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    throw new CommandError(`${error.message} ${error.details.solution}`);
  }
}

/** In the setting's form. */
export function writeEntries(entries: readonly ServiceToken[]): string {
  return entries.map(({ name, sha256, scopes }) => [name, sha256, ...scopes].join(" ")).join("; ");
}

/** A sentence about what is wrong with a name; undefined when it is valid. */
export function refuseName(name: string, entries: readonly ServiceToken[]): string | undefined {
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    return "A name is up to 64 letters, digits, dots, hyphens and underscores, without spaces: n8n, nightly-report.";
  if (entries.some((entry) => entry.name === name))
    return `There is a token called ${name} already. Take another name, or remove it first: npm run admin token -- remove ${name}`;
  return undefined;
}

/** @returns the token itself, too, which is shown once and never stored @throws CommandError if the name is malformed or taken */
export function addToken(entries: readonly ServiceToken[], name: string, scopes: readonly Scope[]) {
  const problem = refuseName(name, entries);
  if (problem !== undefined) throw new CommandError(problem);
  const token = PREFIX + randomBytes(32).toString("base64url");
  return { entries: [...entries, { name, sha256: sha256Text("hex", token), scopes: [...scopes] }], token };
}

/** @throws CommandError when there is none of that name */
export function removeToken(entries: readonly ServiceToken[], name: string): readonly ServiceToken[] {
  const left = entries.filter((entry) => entry.name !== name);
  if (left.length < entries.length) return left;
  const names = entries.map((entry) => entry.name).join(", ");
  throw new CommandError(
    `There is no token called ${name}. ${entries.length === 0 ? "There are none at all." : `There are: ${names}.`}`,
  );
}
