/**
 * Access for commands to the server that `npm run dev` runs, with tokens that last for this run: a service token for
 * `npm run ask`, besides the person's own, and an operator's token for `npm run admin`, unless one is set. Promises: the
 * Worker gets only the hashes of the tokens.
 */
import { randomBytes } from "node:crypto";
import { sha256Text } from "../../src/platform/sha256.ts";
import type { Settings } from "../serve/settings.ts";

const NAME = "npm-run-ask";
/** Without any of these nobody can sign in, which the Worker must report. */
const WAYS_IN = ["ACCESS_PASSPHRASE", "OIDC_ISSUER", "SERVICE_TOKENS"];

export interface AskAccess {
  /** The person's settings, with the hashes of the tokens. */
  readonly settings: Settings;
  /** Undefined if the person's settings do not allow another one. */
  readonly token: string | undefined;
  /** Undefined also if the person has set one. */
  readonly operatorToken: string | undefined;
}

export function withAskAccess(settings: Settings): AskAccess {
  const own = (settings.SERVICE_TOKENS ?? "").trim();
  const isSet = (name: string): boolean => Boolean(settings[name]?.trim());
  // With personal n8n keys no service token may be set.
  const canAddToken =
    WAYS_IN.some(isSet) && !own.includes(`${NAME} `) && settings.N8N_KEYS?.trim() !== "personal";
  if (!canAddToken) return { settings, token: undefined, operatorToken: undefined };
  const token = createToken();
  const operatorToken = isSet("OPERATOR_TOKEN_SHA256") ? undefined : createToken();
  const entry = `${NAME} ${sha256Text("hex", token)} n8n:read n8n:data`;
  return {
    settings: {
      ...settings,
      SERVICE_TOKENS: own === "" ? entry : `${own};${entry}`,
      ...(operatorToken === undefined ? {} : { OPERATOR_TOKEN_SHA256: sha256Text("hex", operatorToken) }),
    },
    token,
    operatorToken,
  };
}

const createToken = (): string => randomBytes(32).toString("base64url");
