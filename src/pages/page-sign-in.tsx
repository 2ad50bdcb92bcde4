/**
 * The sign-in to the page for people. Its script reads and removes the fragment of the address, which browsers do not
 * send. It fills in a passphrase from the link that `npm start` prints, or continues to the identity provider at once
 * to renew a session, unless an n8n key must be entered.
 */
import { type KeyFields, KeyFieldset } from "./key-fields.tsx";
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";
import { SignIn, type SignInMethods } from "./sign-in.tsx";

export const RENEW = "renew";

export const PAGE_SIGN_IN_SCRIPT = `
const [, passphrase] = /^#passphrase=(.+)$/.exec(location.hash) ?? [];
const field = document.getElementById("passphrase");
if (passphrase !== undefined) {
  history.replaceState(null, "", location.pathname + location.search);
  if (field !== null) {
    field.value = decodeURIComponent(passphrase);
    field.form.querySelector(".decisions button").focus();
  }
} else if (location.hash === "#${RENEW}") {
  history.replaceState(null, "", location.pathname + location.search);
  document.querySelector("form:not(:has([name^='key.'])) [value=organisation]")?.click();
}
`;

interface PageSignInProps {
  /** A single-use value that identifies the sign-in; the form sends it back. */
  readonly handle: string;
  readonly signInMethods: SignInMethods;
  readonly triesLeft: number | undefined;
  readonly keys?: KeyFields | undefined;
}

export function pageSignInPage({ handle, signInMethods, triesLeft, keys }: PageSignInProps): Page {
  return (
    <Layout
      title={triesLeft === undefined ? "Sign in" : "Wrong passphrase: sign in"}
      script={PAGE_SIGN_IN_SCRIPT}
    >
      <h1>Sign in to see what happened in n8n</h1>
      <p class="muted">It only reads. Data that went through nodes stays hidden until you switch it on.</p>
      <form method="post" action="/authorize">
        <input type="hidden" name="handle" value={handle} />
        {/* All that the person may see; the page has a switch for data. */}
        <input type="hidden" name="scope" value="n8n:data" />
        {keys && <KeyFieldset keys={keys} />}
        <SignIn methods={signInMethods} triesLeft={triesLeft} isForPage />
      </form>
    </Layout>
  );
}
