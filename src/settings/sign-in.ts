/** Who may sign in: the passphrase and the service tokens. */
import * as z from "zod";
import { fail, keepingLast, type SettingsSource, text } from "./source.ts";

export const SCOPES = ["n8n:read", "n8n:data"] as const;
/** `n8n:read` is everything without payload; `n8n:data` adds payloads, always redacted. */
export type Scope = (typeof SCOPES)[number];

/** A headless client that signs in with a fixed token. Only the token's hash is configured. */
export interface ServiceToken {
  readonly name: string;
  /** Lower-case hex of the token's SHA-256: 64 characters. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
}

export interface SignInSettings {
  /** The passphrase for solo use. Without it, sign-in with a passphrase is disabled. */
  readonly passphrase: string | undefined;
  readonly serviceTokens: readonly ServiceToken[];
}

const serviceTokenEntry = z.tuple(
  [z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), z.string().regex(/^[0-9a-fA-F]{64}$/), z.enum(SCOPES)],
  z.enum(SCOPES),
);

function readServiceTokens(source: SettingsSource): ServiceToken[] {
  const raw = text(source, "SERVICE_TOKENS");
  if (raw === undefined) return [];
  const entries = raw
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const tokens = entries.map((entry, index) => {
    const parsed = serviceTokenEntry.safeParse(entry.split(/\s+/));
    if (!parsed.success) {
      fail(
        "SERVICE_TOKENS",
        `has a malformed entry (number ${index + 1})`,
        `Each entry is: name, SHA-256 of the token in hex, then scopes (${SCOPES.join(", ")}), separated by spaces. Entries are separated by ";" or new lines.`,
      );
    }
    const [name, sha256, ...scopes] = parsed.data;
    return { name, sha256: sha256.toLowerCase(), scopes: [...new Set(scopes)] };
  });
  const names = new Set(tokens.map((token) => token.name));
  if (names.size !== tokens.length) {
    fail(
      "SERVICE_TOKENS",
      "uses a name twice",
      "Give each entry a name of its own: it is the caller's identity.",
    );
  }
  return tokens;
}

/** Shorter ones can be guessed even behind the lock-out. */
const MINIMUM_PASSPHRASE_LENGTH = 12;

/**
 * Who may sign in, in the solo form.
 * @throws ObserverError `CONFIGURATION_ERROR` for a malformed entry: it fails closed.
 */
export const readSignInSettings = keepingLast((source): SignInSettings => {
  const passphrase = text(source, "ACCESS_PASSPHRASE");
  if (passphrase !== undefined && passphrase.length < MINIMUM_PASSPHRASE_LENGTH) {
    fail(
      "ACCESS_PASSPHRASE",
      "is too short",
      `Use at least ${MINIMUM_PASSPHRASE_LENGTH} characters, for example from \`openssl rand -base64 24\`.`,
    );
  }
  return { passphrase, serviceTokens: readServiceTokens(source) };
});
