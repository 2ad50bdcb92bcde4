/**
 * How `npm run ask` gets into the server that `npm run dev` runs: by a service token of this one run, besides
 * those of the person; and how `npm run status`, `index`, `users` and `audit` do, by an operator's token of this run,
 * unless the person has set one. Promises: the tokens are in a file that only its owner can read; the Worker gets
 * their hashes.
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
  /** Undefined where the person has set an operator's token of their own. */
  readonly operatorToken: string | undefined;
  /** SERVICE_TOKENS with this one, and the operator's token, as an env file. */
  readonly envFile: string;
}

/** Undefined where the person's settings leave no room for it. Pure, apart from `token`. */
export function withAskToken(devVars: string, token: string): string | undefined {
  const settings = parseEnv(devVars);
  const own = (settings.SERVICE_TOKENS ?? "").trim();
  if (WAYS_IN.every((name) => !settings[name]?.trim())) return undefined;
  if (own.includes("'") || own.includes(`${NAME} `)) return undefined;
  const entry = `${NAME} ${sha256(token)} n8n:read n8n:data`;
  return `SERVICE_TOKENS='${own === "" ? entry : `${own};${entry}`}'\n`;
}

/** Undefined where the person has set one. Pure, apart from `token`. */
export function withOperatorToken(devVars: string, token: string): string | undefined {
  const isSet = Boolean(parseEnv(devVars).OPERATOR_TOKEN_SHA256?.trim());
  return isSet ? undefined : `OPERATOR_TOKEN_SHA256='${sha256(token)}'\n`;
}

const createToken = (): string => randomBytes(32).toString("base64url");
const sha256 = (token: string): string => createHash("sha256").update(token).digest("hex");

export async function createAskAccess(
  directory: string,
  devVarsFile: string,
): Promise<AskAccess | undefined> {
  const [token, operatorToken] = [createToken(), createToken()];
  const devVars = await readFile(devVarsFile, "utf8");
  const text = withAskToken(devVars, token);
  if (text === undefined) return undefined;
  const operator = withOperatorToken(devVars, operatorToken);
  return {
    token,
    operatorToken: operator === undefined ? undefined : operatorToken,
    envFile: await writePrivately(directory, "ask.env", text + (operator ?? "")),
  };
}
