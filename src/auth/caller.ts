/** Who is calling, as every layer behind sign-in sees them. It travels as the OAuth token's `props`. */
import * as z from "zod";

export const callerProps = z.object({
  /**
   * Opaque and stable across clients: the same person has the same id from every client, so that a
   * trace begun in one goes on in another. No `:` (it stands in clear in every token).
   */
  userId: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
  via: z.enum(["passphrase", "service-token"]),
});

export type CallerProps = z.infer<typeof callerProps>;

/** What a token keeps, encrypted: the `props` of the OAuth library. */
export const tokenProps = callerProps.extend({
  /** Of the passphrase that was given: with another one, the token is worth nothing. */
  passphraseFingerprint: z.string().optional(),
});

export type TokenProps = z.infer<typeof tokenProps>;
