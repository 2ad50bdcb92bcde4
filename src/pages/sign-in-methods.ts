/** The ways in that a page offers. Which of them are on is the settings' business, not the pages'. */

export interface SignInMethods {
  readonly passphrase: boolean;
  /** Host of the OpenID provider's issuer, as it stands on the button; absent when there is none. */
  readonly provider?: string | undefined;
}
