/** The privacy page: what is stored, where and for how long. */
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";

/** Something that is stored, in words for a person. */
export interface StoredKind {
  readonly what: string;
  readonly holds: string;
  readonly place: string;
  readonly kept: string;
}

export function privacyPage(stored: readonly StoredKind[]): Page {
  return (
    <Layout title="Privacy" wide>
      <div class="hero">
        <h1>What this server stores</h1>
        <p class="lead">
          It reads n8n when an app asks, and passes the answer on with secrets masked. It stores no payload of
          any execution, shows nothing to anybody who is not signed in, and sends nothing to anyone but the
          app that you allowed.
        </p>
      </div>
      <div class="cards">
        {stored.map(({ what, holds, place, kept }) => (
          <section class="card">
            <h2>{what}</h2>
            <p>{holds}</p>
            <p>
              <strong>Kept:</strong> {kept}.
            </p>
            <p class="muted">{place}</p>
          </section>
        ))}
      </div>
      <p>
        All of it is in the Cloudflare account of whoever runs this server, or on their own machine. Ask them
        what is kept about you, or to delete it: they can list and end sign-ins, and delete the rest.
      </p>
    </Layout>
  );
}
