/** Who is calling: as the OAuth token keeps it, and as every layer behind sign-in sees it. */
import * as z from "zod";

/**
 * Opaque and stable across clients: the same person has the same id from every client, so that a
 * trace begun in one goes on in another. No `:` (it stands in clear in every token).
 */
const userId = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/);

/** The attributes that the allow list checks again at each refresh and each request. */
const identity = z.object({
  email: z.string().optional(),
  domain: z.string().optional(),
  objectId: z.string().optional(),
  groups: z.array(z.string()).readonly(),
});

/** The `props` of the OAuth library: a token holds them encrypted. */
export const tokenProps = z.discriminatedUnion("via", [
  z.object({
    userId,
    via: z.literal("passphrase"),
    /** Fingerprint of the passphrase at sign-in: a new passphrase invalidates the token. */
    passphraseFingerprint: z.string().optional(),
  }),
  z.object({
    userId,
    via: z.literal("oidc"),
    /** Whose claims these are, as a URL is written. */
    issuer: z.string(),
    identity,
  }),
]);

export type TokenProps = z.infer<typeof tokenProps>;

/** The caller as tools see it, without anything that names a person. */
export interface CallerProps {
  readonly userId: string;
  readonly via: "passphrase" | "service-token" | "oidc";
  /** True when to sign in again would not bring more scopes. */
  readonly cannotStepUp?: boolean;
}
