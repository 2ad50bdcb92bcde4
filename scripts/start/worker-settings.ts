/** The Worker's settings for the recorded n8n. Pure. */
import { sha256Text } from "../../src/platform/sha256.ts";
import type { Settings } from "../serve/settings.ts";

export interface StartSecrets {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly passphrase: string;
  readonly serviceToken: string;
  /** For `npm run admin audit` and `npm run admin users`. */
  readonly operatorToken: string;
  /** Further callers: name → token. Each name is a user of its own. */
  readonly furtherTokens?: Readonly<Record<string, string>>;
  /** Further settings, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

const toEntry = ([name, token]: readonly [string, string]): string =>
  `${name} ${sha256Text("hex", token)} n8n:read n8n:data`;

export function toWorkerSettings({ serviceToken, furtherTokens = {}, ...others }: StartSecrets): Settings {
  const { baseUrl, apiKey, passphrase, operatorToken } = others;
  const tokens = { "npm-run-ask": serviceToken, ...furtherTokens };
  return {
    N8N_BASE_URL: baseUrl,
    N8N_API_KEY: apiKey,
    ACCESS_PASSPHRASE: passphrase,
    SERVICE_TOKENS: Object.entries(tokens).map(toEntry).join(";"),
    OPERATOR_TOKEN_SHA256: sha256Text("hex", operatorToken),
    ...others.settings,
  };
}
