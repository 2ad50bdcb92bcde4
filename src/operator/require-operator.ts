/**
 * The operator runs this server: sets its secrets, and is accountable for who looked at what. A separate token (RFC
 * 6750), of which only the hash is configured, lets them read the activity log and end sign-ins; it gives no access to
 * tools or payloads. Not for browsers: no cookie, no CORS, no page.
 */
import { sha256 } from "../platform/sha256.ts";
import { readOperatorSettings } from "../settings/index.ts";
import { RequestRefused } from "../sign-in/failure.ts";
import { sameDigest } from "../sign-in/same-secret.ts";
import { logSignIn } from "../sign-in/sign-in-log.ts";

/** The setting holds only a hash, so the length is checked here. */
const MINIMUM_TOKEN_LENGTH = 32;
const RETRY_AFTER_SECONDS = 60;

/** @throws RequestRefused unless the operator calls, from an address that does not call too often */
export async function requireOperator(request: Request, env: Env): Promise<void> {
  if (request.headers.has("Origin")) throw new RequestRefused(NOT_FOR_PAGES);
  // Counted before comparing, and per address: nobody else can use up the operator's tries.
  const address = request.headers.get("CF-Connecting-IP") ?? "unknown";
  const { success } = await env.OPERATOR_CALLS.limit({ key: address });
  if (!success) throw new RequestRefused(TOO_MANY);
  if (isOperatorToken(bearerOf(request), readOperatorSettings(env).tokenSha256)) return;
  logSignIn({ outcome: "refused", via: "operator" });
  throw new RequestRefused(WRONG_TOKEN);
}

const bearerOf = (request: Request): string =>
  /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? "";

function isOperatorToken(given: string, expected: string | undefined): boolean {
  if (expected === undefined || given.length < MINIMUM_TOKEN_LENGTH) return false;
  return sameDigest(sha256(given), Buffer.from(expected, "hex"));
}

const NOT_FOR_PAGES = {
  status: 403,
  code: "invalid_request",
  title: "This address is not for web pages",
  message: "The request was sent by a web page.",
  solution: "Use npm run admin audit, npm run admin users and npm run admin index.",
};

const TOO_MANY = {
  status: 429,
  code: "temporarily_unavailable",
  title: "Too many requests",
  message: "This address has called the operator endpoints too often.",
  solution: "Wait a minute, then try again.",
  retryAfter: RETRY_AFTER_SECONDS,
};

const WRONG_TOKEN = {
  status: 401,
  code: "invalid_token",
  title: "This is for the operator",
  message: "The operator's token is missing, wrong, or shorter than 32 characters.",
  solution: "Give the token whose SHA-256 is in OPERATOR_TOKEN_SHA256.",
};
