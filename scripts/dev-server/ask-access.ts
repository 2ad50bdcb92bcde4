/**
 * How `npm run ask` gets into the server that `npm run dev` runs: by a service token of this one run, besides
 * those of the person. Promises: the token is in a file that only its owner can read; the Worker gets its hash.
 */
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { writePrivately } from "./session-file.ts";

const NAME = "npm-run-ask";
/** With none of these nobody gets in, and the Worker is to say so. */
const WAYS_IN = ["ACCESS_PASSPHRASE", "OIDC_ISSUER", "SERVICE_TOKENS"];

export interface AskAccess {
  readonly token: string;
  /** SERVICE_TOKENS with this one, as an env file. */
  readonly envFile: string;
}

/** Undefined where the person's settings leave no room for it. Pure, apart from `token`. */
export function withAskToken(devVars: string, token: string): string | undefined {
  const settings = parseEnv(devVars);
  const own = (settings.SERVICE_TOKENS ?? "").trim();
  if (WAYS_IN.every((name) => !settings[name]?.trim())) return undefined;
  if (own.includes("'") || own.includes(`${NAME} `)) return undefined;
  const entry = `${NAME} ${createHash("sha256").update(token).digest("hex")} n8n:read n8n:data`;
  return `SERVICE_TOKENS='${own === "" ? entry : `${own};${entry}`}'\n`;
}

export async function createAskAccess(
  directory: string,
  devVarsFile: string,
): Promise<AskAccess | undefined> {
  const token = randomBytes(32).toString("base64url");
  const text = withAskToken(await readFile(devVarsFile, "utf8"), token);
  return text === undefined
    ? undefined
    : { token, envFile: await writePrivately(directory, "ask.env", text) };
}
