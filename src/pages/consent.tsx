/**
 * The consent page: who asks, where the access goes, what it covers, and how to sign in. It works
 * without script. The client's name is text of a stranger; the host is what the user can judge by.
 */
import { toDisplayName } from "./client-text.ts";
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";
import { SignIn } from "./sign-in.tsx";
import type { SignInMethods } from "./sign-in-methods.ts";

export interface ConsentPageProps {
  /** As the client gave it. */
  readonly clientName: string;
  readonly redirectHost: string;
  readonly redirectIsLoopback: boolean;
  /** What the form must send back: it stands for the request, once. */
  readonly handle: string;
  readonly dataTicked: boolean;
  readonly signInMethods: SignInMethods;
  /** Set when the page is shown again after a wrong passphrase. */
  readonly triesLeft?: number;
}

export function consentPage(props: ConsentPageProps): Page {
  const name = toDisplayName(props.clientName);
  const isShownAgain = props.triesLeft !== undefined;
  return (
    <Layout title={isShownAgain ? `Wrong passphrase: allow ${name}?` : `Allow ${name}?`}>
      <h1>
        Allow “<bdi>{name}</bdi>” to look into your n8n?
      </h1>
      <Destination host={props.redirectHost} isLoopback={props.redirectIsLoopback} />
      <form method="post" action="/authorize">
        <input type="hidden" name="handle" value={props.handle} />
        <Scopes dataTicked={props.dataTicked} />
        <SignIn methods={props.signInMethods} triesLeft={props.triesLeft} />
        <button type="submit" name="decision" value="deny" formnovalidate>
          Decline
        </button>
      </form>
    </Layout>
  );
}

function Destination({ host, isLoopback }: { host: string; isLoopback: boolean }) {
  return (
    <>
      <p>The app chose its name itself; nobody has checked it. What counts is where the access goes:</p>
      <p class="destination">
        <strong>{host}</strong>
        {isLoopback && <span class="muted">An app on this computer</span>}
      </p>
      {isLoopback && (
        <div class="note warn">
          <p>
            <strong>Any program on this computer could be asking.</strong> Allow it only if you have just
            started to connect an app yourself.
          </p>
        </div>
      )}
    </>
  );
}

function Scopes({ dataTicked }: { dataTicked: boolean }) {
  return (
    <fieldset>
      <legend>What it may see. It can never change anything.</legend>
      <div class="scope">
        <Tick />
        <p class="name">
          What happened <code>n8n:read</code>
        </p>
        <p class="muted">
          Workflows, executions, their status, times and errors, without the data that ran through them.
          Always included.
        </p>
      </div>
      <div class="scope">
        <input
          type="checkbox"
          id="scope-data"
          name="scope"
          value="n8n:data"
          checked={dataTicked}
          aria-describedby="scope-data-text"
        />
        <label for="scope-data">
          The data as well <code>n8n:data</code>
        </label>
        <p class="muted" id="scope-data-text">
          What went into each node and came out of it, webhook payloads included. Passwords, tokens and keys
          are masked.
        </p>
      </div>
    </fieldset>
  );
}

function Tick() {
  return (
    <svg
      width="17"
      height="17"
      viewBox="0 0 18 18"
      fill="none"
      stroke="currentColor"
      stroke-width="2.5"
      aria-hidden="true"
    >
      <path d="M3 9.5l4 4 8-9" />
    </svg>
  );
}
