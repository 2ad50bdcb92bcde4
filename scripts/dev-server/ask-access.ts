/**
 * How `npm run ask` gets into the server that `npm run dev` runs: by a service token of this one run, besides
 * those of the person; and how `npm run admin status`, `index`, `users` and `audit` do, by an operator's token of this run,
 * unless the person has set one. Promises: the Worker gets only the hashes of the tokens.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Settings } from "../serve/settings.ts";

const NAME = "npm-run-ask";
/** Without any of these nobody gets in, and the Worker must report it. */
const WAYS_IN = ["ACCESS_PASSPHRASE", "OIDC_ISSUER", "SERVICE_TOKENS"];

export interface AskAccess {
  /** The person's settings, with the hashes of the tokens. */
  readonly settings: Settings;
  /** Undefined where the person's settings leave no room for one. */
  readonly token: string | undefined;
  /** Undefined where the person has set one of their own, too. */
  readonly operatorToken: string | undefined;
}

export function withAskAccess(settings: Settings): AskAccess {
  const own = (settings.SERVICE_TOKENS ?? "").trim();
  const isSet = (name: string): boolean => Boolean(settings[name]?.trim());
  // With personal n8n keys no service token may be set.
  const hasRoom =
    WAYS_IN.some(isSet) && !own.includes(`${NAME} `) && settings.N8N_KEYS?.trim() !== "personal";
  if (!hasRoom) return { settings, token: undefined, operatorToken: undefined };
  const token = createToken();
  const operatorToken = isSet("OPERATOR_TOKEN_SHA256") ? undefined : createToken();
  const entry = `${NAME} ${sha256(token)} n8n:read n8n:data`;
  return {
    settings: {
      ...settings,
      SERVICE_TOKENS: own === "" ? entry : `${own};${entry}`,
      ...(operatorToken === undefined ? {} : { OPERATOR_TOKEN_SHA256: sha256(operatorToken) }),
    },
    token,
    operatorToken,
  };
}

const createToken = (): string => randomBytes(32).toString("base64url");
const sha256 = (token: string): string => createHash("sha256").update(token).digest("hex");
