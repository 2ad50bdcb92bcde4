/**
 * Reads the authorization code or refresh token of a token request, as the OAuth library does. Both, and access tokens,
 * have the form `<user id>:<grant id>:<secret>`. Nothing here checks that the token is valid.
 */
import { GrantType } from "@cloudflare/workers-oauth-provider";
import { sha256Text } from "../../platform/sha256.ts";
import type { GrantKey } from "./grant-ledger.ts";

export interface PresentedToken extends GrantKey {
  /** A `revocation` presents a token to be revoked (RFC 7009 §2.1), of either kind. */
  readonly kind: "code" | "refresh_token" | "revocation";
  readonly digest: string;
}

/** Our longest token has 178 characters. */
const MAXIMUM_LENGTH = 512;

/** `undefined` unless the request presents a token of that form, or an assertion (RFC 7523 §2.1). */
export async function readPresentedToken(
  request: Request,
): Promise<PresentedToken | "assertion" | undefined> {
  if (request.method !== "POST") return undefined;
  const form = await request
    .clone()
    .formData()
    .catch(() => new FormData());
  const grantType = form.get("grant_type");
  if (grantType === "authorization_code") return toPresentedToken("code", form.get("code"));
  if (grantType === "refresh_token") return toPresentedToken("refresh_token", form.get("refresh_token"));
  if (!grantType) return toPresentedToken("revocation", form.get("token"));
  return grantType === GrantType.JWT_BEARER ? "assertion" : undefined;
}

export const digestOf = (token: string): string => sha256Text("base64url", token);

function toPresentedToken(kind: PresentedToken["kind"], token: unknown): PresentedToken | undefined {
  if (typeof token !== "string") return undefined;
  const grant = grantOf(token);
  return grant && { kind, ...grant, digest: digestOf(token) };
}

/** How the user of a grant signed in. `oidc/user-ids.ts` makes these ids. */
export const viaOf = (userId: string) => (userId.startsWith("oidc-") ? "oidc" : "passphrase");

/** The grant that a token names; `undefined` if the token has another form. */
export function grantOf(token: string): GrantKey | undefined {
  if (token.length > MAXIMUM_LENGTH) return undefined;
  const [userId, grantId, secret, ...more] = token.split(":");
  return userId && grantId && secret && more.length === 0 ? { userId, grantId } : undefined;
}
