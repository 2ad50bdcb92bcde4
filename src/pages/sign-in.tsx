/**
 * The part of the consent form that signs the user in, at the identity provider or with the passphrase, and its
 * buttons. The form's `decision` says which was pressed: `organisation`, `approve` or `deny`.
 */
import { counted } from "../platform/counted.ts";

export interface SignInMethods {
  readonly passphrase: boolean;
  /** Host of the OpenID provider's issuer, which the button shows; absent if there is none. */
  readonly provider?: string | undefined;
  /** People read n8n with their own keys. */
  readonly ownKeys?: boolean;
}

interface SignInProps {
  readonly methods: SignInMethods;
  /** After a wrong passphrase, how many tries are left. */
  readonly triesLeft: number | undefined;
  /** Sign-in to the page gives no app access, so there is no button to decline. */
  readonly isForPage?: boolean;
}

export function SignIn({ methods: { passphrase, provider }, triesLeft, isForPage = false }: SignInProps) {
  const verb = isForPage ? "Sign in" : "Allow";
  return (
    <>
      {passphrase && provider !== undefined && <EnterKeyMeansPassphrase verb={verb} />}
      {provider !== undefined && <Provider host={provider} isOnly={!passphrase} />}
      {passphrase && provider !== undefined && <p class="or">or</p>}
      {passphrase && <Passphrase triesLeft={triesLeft} />}
      <div class="decisions">
        {passphrase && (
          <button
            type="submit"
            name="decision"
            value="approve"
            class={provider === undefined ? "primary" : ""}
          >
            {provider === undefined ? verb : `${verb} with the passphrase`}
          </button>
        )}
        {!isForPage && (
          <button type="submit" name="decision" value="deny" formnovalidate>
            Decline
          </button>
        )}
      </div>
    </>
  );
}

/** The enter key presses the first button of a form, which would otherwise be the one of the provider. */
function EnterKeyMeansPassphrase({ verb }: { verb: string }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: no key reaches it, and it says what another button says.
    <button type="submit" name="decision" value="approve" class="unseen" tabindex={-1} aria-hidden="true">
      {verb}
    </button>
  );
}

/** A passphrase field next to it may stay empty, so the browser must not validate: the server requires the choice. */
function Provider({ host, isOnly }: { host: string; isOnly: boolean }) {
  return (
    <div class="field">
      <button
        type="submit"
        name="decision"
        value="organisation"
        class="primary"
        formnovalidate={!isOnly}
        aria-describedby="provider-hint"
      >
        Continue with {host}
      </button>
      <p class="muted" id="provider-hint">
        Your organisation signs you in there. It also decides whether you may see the data.
      </p>
    </div>
  );
}

function Passphrase({ triesLeft }: { triesLeft: number | undefined }) {
  const isWrong = triesLeft !== undefined;
  return (
    <div class="field">
      <input type="text" name="username" autocomplete="username" value="n8n-observer" hidden readonly />
      <label for="passphrase">Passphrase</label>
      <input
        type="password"
        id="passphrase"
        name="passphrase"
        autocomplete="current-password"
        required
        autofocus={isWrong}
        aria-invalid={isWrong ? "true" : undefined}
        aria-describedby={isWrong ? "passphrase-error" : "passphrase-hint"}
      />
      {isWrong ? (
        <p class="error" id="passphrase-error" role="alert">
          This passphrase is wrong. {counted(triesLeft, "try", "tries")} left before sign-in is locked.
        </p>
      ) : (
        <p class="muted" id="passphrase-hint">
          It was chosen when this server was set up.
        </p>
      )}
    </div>
  );
}
