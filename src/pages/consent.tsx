/**
 * The consent page: who asks, where the access goes, what it covers, and the passphrase. It works
 * without script. The client's name is text of a stranger; the host is what the user can judge by.
 */
import { toDisplayName } from "./client-text.ts";
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";

export interface ConsentPageProps {
  /** As the client gave it. */
  readonly clientName: string;
  readonly redirectHost: string;
  readonly redirectIsLoopback: boolean;
  /** What the form must send back: it stands for the request, once. */
  readonly handle: string;
  /** Whether the passphrase is a way in. */
  readonly hasPassphrase: boolean;
  /** The host at which people of the organisation sign in, where that is a way in. */
  readonly organisation?: string | undefined;
  readonly dataTicked: boolean;
  /** Set when the page is shown again after a wrong passphrase. */
  readonly triesLeft?: number;
}

export function consentPage(props: ConsentPageProps): Page {
  const name = toDisplayName(props.clientName);
  return (
    <Layout title={`Allow ${name}?`}>
      <h1>
        Allow “<bdi>{name}</bdi>” to look into your n8n?
      </h1>
      <Destination host={props.redirectHost} isLoopback={props.redirectIsLoopback} />
      <form method="post" action="/authorize">
        <input type="hidden" name="handle" value={props.handle} />
        <input type="text" name="username" autocomplete="username" value="n8n-observer" hidden readonly />
        <Scopes dataTicked={props.dataTicked} />
        {props.hasPassphrase && <Passphrase triesLeft={props.triesLeft} />}
        <div class="actions">
          {props.hasPassphrase && (
            <button type="submit" name="decision" value="approve" class="primary">
              Allow
            </button>
          )}
          {props.organisation !== undefined && (
            <button
              type="submit"
              name="decision"
              value="organisation"
              class={props.hasPassphrase ? undefined : "primary"}
              formnovalidate
            >
              Continue with your organisation
            </button>
          )}
          <button type="submit" name="decision" value="deny" formnovalidate>
            Decline
          </button>
        </div>
        {props.organisation !== undefined && <Organisation host={props.organisation} />}
      </form>
    </Layout>
  );
}

function Destination({ host, isLoopback }: { host: string; isLoopback: boolean }) {
  return (
    <>
      <p>
        Access goes to <span class="destination">{host}</span>
        {isLoopback ? ", an app on this computer." : "."}
      </p>
      <p class="muted">The app chose its name itself; nobody has checked it.</p>
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
        <input type="checkbox" id="scope-read" checked disabled aria-describedby="scope-read-text" />
        <label for="scope-read">What happened</label>
        <p class="muted" id="scope-read-text">
          Workflows, executions, their status, times and errors, without the data that ran through them.
          Always included. <code>n8n:read</code>
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
        <label for="scope-data">The data as well</label>
        <p class="muted" id="scope-data-text">
          What went into each node and came out of it, webhook payloads included. Passwords, tokens and keys
          are masked. <code>n8n:data</code>
        </p>
      </div>
    </fieldset>
  );
}

function Organisation({ host }: { host: string }) {
  return (
    <p class="muted">
      Your organisation signs you in at <span class="destination">{host}</span>. It also says whether you may
      see the data that ran through workflows.
    </p>
  );
}

function Passphrase({ triesLeft }: { triesLeft: number | undefined }) {
  const isWrong = triesLeft !== undefined;
  return (
    <div class="field">
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
          This passphrase is wrong. {triesLeft} {triesLeft === 1 ? "try" : "tries"} left before sign-in is
          locked.
        </p>
      ) : (
        <p class="muted" id="passphrase-hint">
          The one that was set, or printed, when this server was started.
        </p>
      )}
    </div>
  );
}
