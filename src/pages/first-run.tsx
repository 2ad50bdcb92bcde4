/**
 * The start page of a deployed server that nobody can use yet: what is missing, and how to set it.
 *
 * Anyone can read it, so it shows only whether each step is done. The log says which setting is wrong and why; no value
 * is shown, and nothing can be entered here.
 */
import type { Child } from "hono/jsx";
import { docsUrl } from "../platform/about.ts";
import { N8N_KEY_SCOPES } from "../platform/n8n-key-scopes.ts";
import { COPY_SCRIPT } from "./copy-script.ts";
import { Copyable, CopyStatus } from "./copyable.tsx";
import { Layout } from "./layout.tsx";
import { Marked, Paragraph } from "./marked.tsx";
import type { Page } from "./respond.ts";

export interface FirstRunPageProps {
  readonly hasN8n: boolean;
  readonly hasWayIn: boolean;
  readonly hasOtherProblem: boolean;
}

export function firstRunPage({ hasN8n, hasWayIn, hasOtherProblem }: FirstRunPageProps): Page {
  const missing = [
    ...(hasN8n ? [] : ["N8N_BASE_URL", "N8N_API_KEY"]),
    ...(hasWayIn ? [] : ["ACCESS_PASSPHRASE"]),
  ];
  return (
    <Layout title="Almost there" script={COPY_SCRIPT}>
      <h1>Almost there: this server needs its settings</h1>
      <p>
        n8n-observer is deployed, but nobody can use it until these settings are set. Whoever deployed it sets
        them as shown below; this page takes no input.
      </p>
      <Step number={1} title="Where n8n is" isDone={hasN8n}>
        <Paragraph
          text={`In n8n, open Settings > n8n API and create a key with \`${N8N_KEY_SCOPES.join("`, `")}\`. n8n-observer needs no others.`}
        />
        <Paragraph text="Set `N8N_BASE_URL` to the address at which you open n8n (https, without `/api/v1`) and `N8N_API_KEY` to the key." />
      </Step>
      <Step number={2} title="Who may sign in" isDone={hasWayIn}>
        <p>
          <Marked text="Set `ACCESS_PASSPHRASE` to at least 12 characters that nobody can guess, for example what `openssl rand -base64 24` prints. For an organisation, set `OIDC_ISSUER` and who is allowed instead: " />
          <a href={docsUrl("sign-in/README.md")} rel="noreferrer">
            how to
          </a>
          .
        </p>
      </Step>
      {hasOtherProblem && (
        <Step number={3} title="Another setting" isDone={false}>
          <Paragraph text="At least one more setting cannot be used. The Worker's log names it: `npx wrangler tail`, then load this page." />
        </Step>
      )}
      <HowToSet missing={missing} />
      <CopyStatus />
    </Layout>
  );
}

function Step(props: { number: number; title: string; isDone: boolean; children: Child }) {
  const { number, title, isDone, children } = props;
  const id = `step-${number}`;
  return (
    <section class={isDone ? "note" : "note warn"} aria-labelledby={id}>
      <h2 id={id}>
        {number}. {title}: {isDone ? "done" : "to do"}
      </h2>
      {!isDone && children}
    </section>
  );
}

function HowToSet({ missing }: { missing: readonly string[] }) {
  return (
    <section aria-labelledby="how-title">
      <h2 id="how-title">How to set them</h2>
      <p>
        In the Cloudflare dashboard: Workers &amp; Pages, this Worker, Settings, Variables and Secrets, Add.
        Choose the type Secret, type name and value, and deploy.
      </p>
      {missing.length > 0 && (
        <>
          <p>Or in a terminal, in the folder of the project; each command asks for the value:</p>
          {missing.map((name) => (
            <Copyable
              id={`set-${name}`}
              name={`Command for ${name}`}
              text={`npx wrangler secret put ${name}`}
            />
          ))}
        </>
      )}
      <Paragraph text="With `npm run serve` or in a container: in `.dev.vars` or the environment; then start it again." />
      <p>Then load this page again: it shows how to connect.</p>
    </section>
  );
}
