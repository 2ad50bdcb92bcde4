/** The plan of the hostile provider, which is part of its issuer. */

export const HOSTILE_CLIENT_ID = "client-of-the-hostile-provider";
export const HOSTILE_CLIENT_SECRET = "secret-of-the-hostile-provider-0123456789";

export type Place = "metadata" | "keys" | "token" | "userinfo";

/** How it misbehaves. */
export interface Plan {
  /** Overrides claims of the ID token; `null` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Overrides its metadata; `null` removes a member. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Overrides the token endpoint's answer; `null` removes a member. */
  readonly tokens?: Readonly<Record<string, unknown>>;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Overrides the parameters of its callback. */
  readonly callback?: Readonly<Record<string, string>>;
  /** The signature of the ID token, if not by its own key. */
  readonly signature?: "none" | "shared_secret" | "another_key" | "garbled";
  /** Where and how it fails. */
  readonly fault?: {
    readonly at: Place;
    readonly how: "hangs" | "is_huge" | "redirects" | "is_html" | "fails";
  };
  /** False: it does not check PKCE. */
  readonly checksPkce?: boolean;
}

/** The issuer that behaves as planned. */
export function hostileIssuer(base: string, plan: Plan = {}): string {
  return `${base}/${Buffer.from(JSON.stringify(plan)).toString("base64url")}`;
}
