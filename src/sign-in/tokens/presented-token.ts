/**
 * What a token request shows: an authorization code or a refresh token, read as the OAuth library reads
 * it. Both have the form `<user id>:<grant id>:<secret>`. Nothing here says that it is a good one.
 */
import { sha256 } from "../digest.ts";

export interface PresentedToken {
  readonly kind: "code" | "refresh_token";
  readonly userId: string;
  readonly grantId: string;
  /** Of the whole, as `digestOf` makes it. */
  readonly digest: string;
}

/** The longest of ours has 178 characters. */
const MAXIMUM_LENGTH = 512;

/** `undefined` for whatever is not a token request, or shows nothing of that form. */
export async function readPresentedToken(request: Request): Promise<PresentedToken | undefined> {
  if (request.method !== "POST") return undefined;
  const form = await request
    .clone()
    .formData()
    .catch(() => new FormData());
  const grantType = form.get("grant_type");
  if (grantType === "authorization_code") return toPresentedToken("code", form.get("code"));
  if (grantType === "refresh_token") return toPresentedToken("refresh_token", form.get("refresh_token"));
  return undefined;
}

/** A digest of a code or token: SHA-256 in base64url. */
export function digestOf(token: string): string {
  return Buffer.from(sha256(token)).toString("base64url");
}

function toPresentedToken(kind: PresentedToken["kind"], token: unknown): PresentedToken | undefined {
  if (typeof token !== "string" || token.length > MAXIMUM_LENGTH) return undefined;
  const [userId, grantId, secret, ...more] = token.split(":");
  if (!userId || !grantId || !secret || more.length > 0) return undefined;
  return { kind, userId, grantId, digest: digestOf(token) };
}
