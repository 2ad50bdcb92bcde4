/** The consent page. It works without script. The client's name is untrusted text; the user can rely on the host. */
import type { Child } from "hono/jsx";
import type { Scope } from "../settings/index.ts";
import { toDisplayName } from "./client-text.ts";
import { type KeyFields, KeyFieldset } from "./key-fields.tsx";
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";
import { SignIn, type SignInMethods } from "./sign-in.tsx";

export interface ConsentPageProps {
  readonly clientName: string;
  readonly redirectHost: string;
  readonly redirectIsLoopback: boolean;
  /** Access goes to an n8n, and belongs to the person who started the sign-in there. */
  readonly redirectIsN8n: boolean;
  /** Hosts of the n8n instances that could be read, with their names. Empty while none is configured. */
  readonly instances: readonly string[];
  /** A single-use value that identifies the request; the form sends it back. */
  readonly handle: string;
  /** The choice made on the previous form; undefined at first. */
  readonly chosen?: Scope | undefined;
  /** Access rules limit what each person sees, which is known only once they have signed in. */
  readonly hasRules: boolean;
  /** The operator lets every app see the texts of errors. */
  readonly errorTextForAll: boolean;
  readonly signInMethods: SignInMethods;
  /** Set if people read n8n with their own keys. */
  readonly keys?: KeyFields | undefined;
  readonly again?:
    | { readonly reason: "no_choice" | "n8n_key" }
    | { readonly reason: "wrong_passphrase"; readonly triesLeft: number };
}

const TITLES = {
  first: "Allow",
  no_choice: "Choose what it may see: allow",
  n8n_key: "Another n8n key: allow",
  wrong_passphrase: "Wrong passphrase: allow",
} as const;

export function consentPage(props: ConsentPageProps): Page {
  const name = toDisplayName(props.clientName);
  const triesLeft = props.again?.reason === "wrong_passphrase" ? props.again.triesLeft : undefined;
  return (
    <Layout title={`${TITLES[props.again?.reason ?? "first"]} ${name}?`}>
      <h1>
        Allow “<bdi>{name}</bdi>” to read your n8n?
      </h1>
      <Parties {...props} />
      {props.hasRules && (
        <p>It sees no more than you do: only the workflows that the access rules of this server give you.</p>
      )}
      <Warning {...props} />
      <form method="post" action="/authorize">
        <input type="hidden" name="handle" value={props.handle} />
        <Choice {...props} />
        {props.keys && <KeyFieldset keys={props.keys} />}
        <SignIn methods={props.signInMethods} triesLeft={triesLeft} />
      </form>
    </Layout>
  );
}

/** Who would read what. The app's name is only its claim; the hosts are verified. */
function Parties({ redirectHost, redirectIsLoopback, instances }: ConsentPageProps) {
  return (
    <dl class="parties">
      <div>
        <dt>Access goes to</dt>
        <dd>
          <strong>{redirectHost}</strong>
          {redirectIsLoopback && <span class="muted"> this computer</span>}
        </dd>
      </div>
      {instances.length > 0 && (
        <div>
          <dt>It can read</dt>
          <dd>
            <strong>{instances.join(", ")}</strong>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Another person's link can lead here; only the user knows who started the sign-in. */
function Warning({ redirectIsLoopback, redirectIsN8n }: ConsentPageProps) {
  if (redirectIsN8n)
    return (
      <p class="note warn">
        <strong>Everybody who can make credentials in that n8n could be asking</strong>, and would get what
        you allow. Allow only what you just started there yourself.
      </p>
    );
  if (redirectIsLoopback)
    return (
      <p class="note warn">
        <strong>Any program on this computer could be asking</strong>; nobody has checked its name. Allow only
        what you just started.
      </p>
    );
  return <p class="muted">The app chose its name; nobody has checked it.</p>;
}

function Choice({ chosen, again, errorTextForAll }: ConsentPageProps) {
  const isMissing = again?.reason === "no_choice";
  const texts = errorTextForAll ? "error texts" : "kinds of error";
  const also = errorTextForAll ? "Also" : "Also error texts, and";
  return (
    <fieldset aria-describedby={isMissing ? "choice-error" : undefined}>
      <legend>What may it see?</legend>
      {isMissing && (
        <p class="error" id="choice-error" role="alert">
          Choose one of the two first.
        </p>
      )}
      <Option scope="n8n:read" id="scope-read" name="What happened" isChosen={chosen === "n8n:read"}>
        Which workflows ran, when, which node failed, and {texts}.
      </Option>
      <Option
        scope="n8n:data"
        id="scope-data"
        name="What happened and why, with the data"
        isChosen={chosen === "n8n:data"}
      >
        {also} the data that went through each node. Passwords, tokens and keys are redacted.
      </Option>
      {errorTextForAll && (
        <p class="muted choice-note">
          This server shows every app the texts of errors, which may hold people’s data.
        </p>
      )}
    </fieldset>
  );
}

interface OptionProps {
  readonly scope: Scope;
  readonly id: string;
  readonly name: string;
  readonly isChosen: boolean;
  readonly children: Child;
}

function Option({ scope, id, name, isChosen, children }: OptionProps) {
  return (
    <div class="scope">
      <input
        type="radio"
        id={id}
        name="scope"
        value={scope}
        required
        checked={isChosen}
        aria-describedby={`${id}-text`}
      />
      <label for={id}>
        {name} <code>{scope}</code>
      </label>
      <p class="muted" id={`${id}-text`}>
        {children}
      </p>
    </div>
  );
}
