/** The caller: as stored in the OAuth token, and as every layer behind sign-in sees it. */
import * as z from "zod";
import type { CallerAccess } from "../settings/index.ts";

/** Opaque and the same in every client, so that a trace can continue in another. In tokens, `:` follows it. */
const userId = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/);

/** A person's attributes for the allow list; those that the provider does not vouch for are absent. */
const identity = z.object({
  /** A verified address, in lower case. */
  email: z.string().optional(),
  /** The domain that vouches for the person, in lower case. */
  domain: z.string().optional(),
  /** Microsoft Entra: `<tenant id>/<object id>`, in lower case. */
  objectId: z.string().optional(),
  groups: z.array(z.string()).readonly(),
});
export type Identity = Readonly<z.infer<typeof identity>>;

/** Instance → the person's own n8n key, with the address that it was given for: it is sent to no other. */
export const givenKeys = z.record(z.string(), z.object({ address: z.string(), key: z.string() }));
export type GivenKeys = Readonly<z.infer<typeof givenKeys>>;

/** The `props` of the OAuth library: a token holds them encrypted. */
export const tokenProps = z.discriminatedUnion("via", [
  z.object({
    userId,
    via: z.literal("passphrase"),
    /** A new passphrase invalidates the token. */
    passphraseFingerprint: z.string().optional(),
    n8nKeys: givenKeys.optional(),
  }),
  z.object({
    userId,
    via: z.literal("oidc"),
    /** The provider whose claims these are. */
    issuer: z.string(),
    identity,
    /** For asking the provider again, and when that was last done (epoch ms). Only in the grant, never in a token of it. */
    upstream: z.object({ refreshToken: z.string(), askedAt: z.number() }).readonly().optional(),
    n8nKeys: givenKeys.optional(),
  }),
]);

export type TokenProps = z.infer<typeof tokenProps>;
export type PersonProps = Extract<TokenProps, { via: "oidc" }>;

/** With a passphrase there is a single user: everybody who knows it. */
export const OWNER = { userId: "owner", via: "passphrase" } as const;

/** What tools know of a caller: nothing that names a person. */
export interface CallerProps {
  readonly userId: string;
  readonly via: "passphrase" | "service-token" | "oidc";
  /** The sign-in; missing for a service token. */
  readonly grantId?: string;
  /** What limits their view; includes their own n8n keys. */
  readonly access: CallerAccess;
  /** True when signing in again would bring no more scopes. */
  readonly cannotStepUp?: boolean;
}
