/** What the hostile provider is to do: it stands in its issuer. */

export const HOSTILE_CLIENT_ID = "client-of-the-hostile-provider";
export const HOSTILE_CLIENT_SECRET = "secret-of-the-hostile-provider-0123456789";

export type Place = "metadata" | "keys" | "token" | "userinfo";

/** What it does that it should not. */
export interface Plan {
  /** Over the claims of the ID token; `null` takes one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Over its metadata; `null` takes a member out. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Over the token endpoint's answer; `null` takes a member out. */
  readonly tokens?: Readonly<Record<string, unknown>>;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Over the parameters with which it sends the browser back. */
  readonly callback?: Readonly<Record<string, string>>;
  /** How the ID token is signed, if not with its own key. */
  readonly signature?: "none" | "shared_secret" | "another_key" | "garbled";
  /** Where it does not answer as it should. */
  readonly fault?: {
    readonly at: Place;
    readonly how: "hangs" | "is_huge" | "redirects" | "is_html" | "fails";
  };
  /** False: it asks nobody for PKCE. */
  readonly checksPkce?: boolean;
}

/** The issuer that behaves as planned. */
export function hostileIssuer(base: string, plan: Plan = {}): string {
  return `${base}/${Buffer.from(JSON.stringify(plan)).toString("base64url")}`;
}
