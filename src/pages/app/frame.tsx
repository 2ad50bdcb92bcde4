/** The frame around an answer: the search field and the session's switches. */
import type { Child } from "hono/jsx";
import { Layout } from "../layout.tsx";
import type { Page } from "../respond.ts";
import { FIND, homePath, SIGN_OUT } from "./addresses.ts";
import { APP_SCRIPT } from "./app-script.ts";
import { APP_STYLE } from "./app-style.ts";
import { DataSwitch } from "./data-switch.tsx";
import type { Visitor } from "./page-request.ts";
import { revealed } from "./text.tsx";
import { WORDS } from "./words.ts";

interface FrameProps {
  readonly title: string;
  readonly visitor: Visitor;
  readonly asked: string;
  readonly instance: string | undefined;
  readonly children: Child;
}

export function frame({ title, visitor, asked, instance, children }: FrameProps): Page {
  const bar = (
    <>
      <a class="skip" href="#answer">
        {WORDS.skip}
      </a>
      <a class="name" href={homePath({ instance })}>
        n8n-observer
      </a>
      <Field asked={asked} instance={instance} visitor={visitor} />
      <Session visitor={visitor} />
    </>
  );
  return (
    <Layout title={revealed(title)} wide bar={bar} script={APP_SCRIPT} styles={[APP_STYLE]}>
      <div id="answer" tabindex={-1}>
        {children}
      </div>
    </Layout>
  );
}

function Field({ asked, instance, visitor: { instances } }: Omit<FrameProps, "title" | "children">) {
  return (
    <search>
      <form class="find" action={FIND}>
        <label class="unseen" for="q">
          {WORDS.field}
        </label>
        <input
          type="search"
          id="q"
          name="q"
          value={asked}
          placeholder={WORDS.field}
          title={WORDS.fieldHint}
          maxlength={512}
          required
          spellcheck={false}
          autocomplete="off"
        />
        {instances.length > 0 && (
          <select name="instance" aria-label={WORDS.instance}>
            <option value="">{WORDS.allInstances}</option>
            {instances.map((name) => (
              <option value={name} selected={name === instance}>
                {name}
              </option>
            ))}
          </select>
        )}
        <button type="submit" class="primary">
          {WORDS.find}
        </button>
      </form>
    </search>
  );
}

function Session({ visitor }: { visitor: Visitor }) {
  const { account, dataOn, dataOff, mayNot, signOut, signOutEverywhere } = WORDS.session;
  return (
    <details class="session">
      <summary>
        {account} <span class="words">{visitor.showsData ? dataOn : dataOff}</span>
      </summary>
      <div class="card">
        {visitor.mayReadData ? <DataSwitch visitor={visitor} /> : <p>{mayNot}</p>}
        <form method="post" action={SIGN_OUT}>
          <input type="hidden" name="token" value={visitor.formToken} />
          <button type="submit">{signOut}</button>
          <button type="submit" name="everywhere" value="yes">
            {signOutEverywhere}
          </button>
        </form>
      </div>
    </details>
  );
}
