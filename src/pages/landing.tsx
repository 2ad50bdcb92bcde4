/** The start page. Anyone can open it: it names n8n instances and their indexes only on the user's own machine. */
import type { SettingProblem } from "../settings/index.ts";
import { ClientSteps } from "./client-steps.tsx";
import { COPY_SCRIPT } from "./copy-script.ts";
import { Copyable, CopyStatus } from "./copyable.tsx";
import { dayOf } from "./day.ts";
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";
import { SampleTrace } from "./sample-trace.tsx";
import type { SignInMethods } from "./sign-in.tsx";

/** How much of an instance's history is indexed. Times are ISO 8601; null when unknown. */
export interface KnownHistory {
  readonly instance: string;
  readonly executions: number;
  /** The indexed share of the configured history, at least; null when complete or unknown. */
  readonly percent: number | null;
  readonly knownSince: string | null;
  /** When it was last fully up to date. */
  readonly syncedAt: string | null;
}

export interface LandingPageProps {
  readonly connectorUrl: string;
  /** Runs on the user's own machine, where claude.ai cannot reach it. */
  readonly isLoopback: boolean;
  /** Names of the n8n instances, if they have names. Shown only on the user's own machine. */
  readonly instances: readonly string[];
  /** State of each history index, if known. Shown only on the user's own machine. */
  readonly histories: readonly KnownHistory[];
  /** Epoch ms. */
  readonly now: number;
  readonly problems: readonly SettingProblem[];
  readonly signInMethods: SignInMethods;
  readonly hasPage: boolean;
}

export function landingPage(props: LandingPageProps): Page {
  const { connectorUrl, isLoopback, instances, histories, now, problems, signInMethods, hasPage } = props;
  return (
    <Layout title="What happened in n8n?" wide script={COPY_SCRIPT}>
      <div class="hero">
        <h1>What happened in n8n?</h1>
        <p class="lead">
          Ask your AI assistant what happened to a request, which node failed, and why. This server reads n8n
          for it, and changes nothing there.
        </p>
        {hasPage && (
          <p class="lead">
            Without an app: <a href="/app">look for yourself</a>.
          </p>
        )}
      </div>
      {problems.length > 0 && (isLoopback ? <Problems problems={problems} /> : <NotConfigured />)}
      <section class="panel" aria-labelledby="url-title">
        <h2 id="url-title">Connector URL</h2>
        <Copyable id="connector-url" name="Connector URL" text={connectorUrl} />
        <p class="muted">Copy it, and add it to your app as shown below.</p>
        {isLoopback && instances.length > 0 && <p class="muted">It reads: {instances.join(", ")}.</p>}
        {isLoopback &&
          histories.map((history) => (
            <HistoryLine history={history} now={now} isNamed={instances.length > 0} />
          ))}
      </section>
      <h2>Connect your app</h2>
      <ClientSteps connectorUrl={connectorUrl} isLoopback={isLoopback} />
      <h2>A question, and the answer</h2>
      <SampleTrace />
      <div class="columns">
        <SignIn methods={signInMethods} />
        <Questions />
      </div>
      <CopyStatus />
    </Layout>
  );
}

/** Renders nothing while the index is empty. */
function HistoryLine({ history, now, isNamed }: { history: KnownHistory; now: number; isNamed: boolean }) {
  const { instance, executions, percent, knownSince, syncedAt } = history;
  if (executions === 0) return null;
  const count = `${executions.toLocaleString("en-US")} ${executions === 1 ? "execution" : "executions"} known`;
  const share = percent === null ? "" : ` (${percent} %)`;
  const back = knownSince === null ? "" : `, back to ${dayOf(new Date(knownSince))}`;
  const looked = syncedAt === null ? "" : `, looked at ${toAge(now - Date.parse(syncedAt))} ago`;
  const name = isNamed ? ` of ${instance}` : "";
  return <p class="muted">{`History index${name}: ${count}${share}${back}${looked}.`}</p>;
}

/** A duration in its largest unit, rounded down. */
function toAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`;
}

function SignIn({ methods }: { methods: SignInMethods }) {
  return (
    <section>
      <h2>When you connect</h2>
      <p>
        <WayIn methods={methods} />{" "}
        {methods.ownKeys && "You also give an n8n API key of yours, with which n8n is read for you. "}
        Passwords, tokens and keys in the data are always redacted.
      </p>
    </section>
  );
}

function WayIn({ methods: { passphrase, provider } }: { methods: SignInMethods }) {
  if (provider === undefined && !passphrase)
    return <>Browser sign-in is not set up: only an app with a service token can connect.</>;
  return (
    <>
      A page of this server opens and asks what the app may see: what happened, or also why, with the data.{" "}
      {provider === undefined ? (
        "You type the passphrase of this server."
      ) : (
        <>
          Then you sign in at <strong>{provider}</strong>
          {passphrase && ", or with the passphrase of this server"}.
        </>
      )}
    </>
  );
}

function Questions() {
  return (
    <section>
      <h2>Then ask</h2>
      <ul class="questions">
        <li>What happened to request req-8f21c0?</li>
        <li>Why did the order workflow fail this morning?</li>
        <li>What broke since yesterday?</li>
      </ul>
    </section>
  );
}

function Problems({ problems }: { problems: readonly SettingProblem[] }) {
  return (
    <section class="note warn" aria-labelledby="problems-title">
      <h2 id="problems-title">Not ready yet</h2>
      <p>Change these settings, then start the server again:</p>
      <ul>
        {problems.map(({ setting, problem, solution }) => (
          <li>
            <code>{setting}</code>: {problem} {solution}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Strangers see this page too, so it does not say what is missing. */
function NotConfigured() {
  return (
    <section class="note warn" aria-labelledby="problems-title">
      <h2 id="problems-title">This server is not fully configured</h2>
      <p>
        Whoever runs it finds what is missing in its logs, or with the tool <code>check_connection</code>.
      </p>
    </section>
  );
}
