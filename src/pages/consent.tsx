/**
 * The consent page: who asks, where the access goes, what it covers, and how to sign in. It works
 * without script. The client's name is text of a stranger; the host is what the user can judge by.
 */
import type { Child } from "hono/jsx";
import type { Scope } from "../settings/index.ts";
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
  /** What was chosen when the page was shown before; nothing is at first. */
  readonly chosen?: Scope | undefined;
  /** The operator shows errors' own texts to every app. */
  readonly errorTextForAll: boolean;
  readonly signInMethods: SignInMethods;
  /** Set when the page is shown again, with the reason. */
  readonly again?:
    | { readonly reason: "no_choice" }
    | { readonly reason: "wrong_passphrase"; readonly triesLeft: number };
}

const TITLES = {
  first: "Allow",
  no_choice: "Choose what it may see: allow",
  wrong_passphrase: "Wrong passphrase: allow",
} as const;

export function consentPage(props: ConsentPageProps): Page {
  const name = toDisplayName(props.clientName);
  const triesLeft = props.again?.reason === "wrong_passphrase" ? props.again.triesLeft : undefined;
  return (
    <Layout title={`${TITLES[props.again?.reason ?? "first"]} ${name}?`}>
      <h1>
        Allow “<bdi>{name}</bdi>” to look into your n8n?
      </h1>
      <Destination host={props.redirectHost} isLoopback={props.redirectIsLoopback} />
      <form method="post" action="/authorize">
        <input type="hidden" name="handle" value={props.handle} />
        <Choice
          chosen={props.chosen}
          isMissing={props.again?.reason === "no_choice"}
          errorTextForAll={props.errorTextForAll}
        />
        <SignIn methods={props.signInMethods} triesLeft={triesLeft} />
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

interface ChoiceProps {
  readonly chosen: Scope | undefined;
  /** The form was sent without one. */
  readonly isMissing: boolean;
  readonly errorTextForAll: boolean;
}

function Choice({ chosen, isMissing, errorTextForAll }: ChoiceProps) {
  const texts = errorTextForAll ? "error texts" : "kinds of error";
  const also = errorTextForAll ? "Also all of" : "Also error texts, and all of";
  return (
    <fieldset aria-describedby={isMissing ? "choice-error" : undefined}>
      <legend>What may it see? It only ever reads.</legend>
      {isMissing && (
        <p class="error" id="choice-error" role="alert">
          Choose one of the two first.
        </p>
      )}
      <Option scope="n8n:read" id="scope-read" name="What happened" isChosen={chosen === "n8n:read"}>
        Which workflows ran, when, and which node failed: names, times, {texts}.
      </Option>
      <Option
        scope="n8n:data"
        id="scope-data"
        name="What happened and why, with the data"
        isChosen={chosen === "n8n:data"}
      >
        {also} what went into each node and came out. Passwords, tokens and keys are masked.
      </Option>
      {errorTextForAll && (
        <p class="muted choice-note">
          The operator of this server shows every app what errors say. That may hold people’s data.
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
