/**
 * The sign-in to the page for people. A script fills the passphrase in from the fragment of the address, which browsers
 * do not send: `npm start` prints such a link, so that nothing has to be typed. It takes the fragment out of the address.
 */
import { type KeyFields, KeyFieldset } from "./key-fields.tsx";
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";
import { SignIn, type SignInMethods } from "./sign-in.tsx";

export const FILL_PASSPHRASE_SCRIPT = `
const [, passphrase] = /^#passphrase=(.+)$/.exec(location.hash) ?? [];
const field = document.getElementById("passphrase");
if (passphrase !== undefined) {
  history.replaceState(null, "", location.pathname + location.search);
  if (field !== null) {
    field.value = decodeURIComponent(passphrase);
    field.form.querySelector(".decisions button").focus();
  }
}
`;

interface PageSignInProps {
  /** A single-use value that identifies the sign-in; the form sends it back. */
  readonly handle: string;
  readonly signInMethods: SignInMethods;
  /** After a wrong passphrase, how many tries are left. */
  readonly triesLeft: number | undefined;
  /** Asked for where each person reads n8n with a key of their own. */
  readonly keys?: KeyFields | undefined;
}

export function pageSignInPage({ handle, signInMethods, triesLeft, keys }: PageSignInProps): Page {
  return (
    <Layout
      title={triesLeft === undefined ? "Sign in" : "Wrong passphrase: sign in"}
      script={FILL_PASSPHRASE_SCRIPT}
    >
      <h1>Sign in to see what happened in n8n</h1>
      <p class="muted">It only reads. Data that went through nodes stays hidden until you switch it on.</p>
      <form method="post" action="/authorize">
        <input type="hidden" name="handle" value={handle} />
        {/* As much as the person may see: what is shown is chosen on the page. */}
        <input type="hidden" name="scope" value="n8n:data" />
        {keys && <KeyFieldset keys={keys} />}
        <SignIn methods={signInMethods} triesLeft={triesLeft} isForPage />
      </form>
    </Layout>
  );
}
