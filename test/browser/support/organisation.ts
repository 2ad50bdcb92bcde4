/**
 * An organisation: a real OpenID provider, and a Worker that admits its members by a list. The list can be
 * changed as an operator does it, by new settings for the same Worker, which keeps its storage.
 */
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";
import { type Accounts, type RunningOidcProvider, startOidcProvider } from "../../support/oidc-provider.ts";
import {
  findTestPlace,
  removeTestPlace,
  startTestWorker,
  type TestPlace,
  type TestWorker,
} from "../../support/test-worker.ts";

export interface Lists {
  readonly ALLOWED_EMAILS: string;
  readonly DATA_EMAILS: string;
}

export interface Organisation {
  /** The Worker's origin. */
  readonly origin: string;
  readonly provider: RunningOidcProvider;
  /** Restarts the same Worker with other lists. */
  redeploy(lists: Lists): Promise<void>;
  stop(): Promise<void>;
}

export async function startOrganisation(accounts: Accounts, lists: Lists): Promise<Organisation> {
  const place = await findTestPlace();
  const origin = `http://localhost:${place.port}`;
  const n8n = await startRecordedN8n();
  const provider = await startOidcProvider({ accounts, redirectUris: [`${origin}/callback`] });
  let worker = await deploy(n8n, provider, place, lists);
  return {
    origin,
    provider,
    redeploy: async (changed) => {
      await worker.stop();
      worker = await deploy(n8n, provider, place, changed);
    },
    stop: async () => {
      await worker.stop();
      await provider.stop();
      await n8n.close();
      await removeTestPlace(place);
    },
  };
}

function deploy(
  n8n: RecordedN8n,
  { issuer, clientId, clientSecret }: RunningOidcProvider,
  place: TestPlace,
  lists: Lists,
): Promise<TestWorker> {
  const settings = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    ...lists,
  };
  return startTestWorker(n8n, {}, { place, settings });
}
