/**
 * Tests an address and a key before anything is written, by the checks of `check_connection`. Promises: the key is sent
 * only to an address that has answered as n8n does; all requests are GET.
 */
import type { Check } from "../../src/features/check-connection/check-line.ts";
import { checkN8nItself, checkReachable } from "../../src/features/check-connection/n8n-checks.ts";
import { sampleRequestIds } from "../../src/features/check-connection/request-checks.ts";
import { type ComparableIds, createComparableIds } from "../../src/history/request-ids/comparable-ids.ts";
import { compileRequestIdPaths } from "../../src/history/request-ids/request-id-paths.ts";
import { createN8nClient, type N8nClient } from "../../src/n8n/client.ts";
import type { Fetch } from "../../src/n8n/requests.ts";
import { readPublishedWorkflows, unsavedWorkflows } from "../../src/n8n/unsaved-workflows.ts";
import { View } from "../../src/n8n/view.ts";
import { VisibleN8n } from "../../src/n8n/visible-n8n.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { readRequestIdPaths } from "../../src/settings/index.ts";
import { readN8nSettings } from "../../src/settings/instances.ts";

/** No valid key: an n8n that refuses it is reachable. */
const NO_KEY = "npm-run-setup-has-no-key-yet";

/** The settings that affect requests to n8n, as the env file holds them. */
export type N8nSource = Readonly<Record<string, string>>;

export interface TestedN8n {
  readonly checks: readonly Check[];
  readonly isUsable: boolean;
  /** The key has scopes that write. */
  readonly canWrite: boolean;
  /** Id of a request that can be traced. */
  readonly requestId: string | undefined;
}

/** @returns the check, with the network's reason if there was no answer @throws ObserverError for invalid settings */
export async function testAddress(source: N8nSource): Promise<Check> {
  const network = watchNetwork();
  const check = await checkReachable(
    VisibleN8n.whole(clientOf({ ...source, N8N_API_KEY: NO_KEY }, network.fetch)),
  );
  return network.explain(check);
}

/** @throws ObserverError for invalid settings */
export async function testN8n(source: N8nSource): Promise<TestedN8n> {
  const network = watchNetwork();
  const client = clientOf(source, network.fetch);
  const paths = createComparableIds(compileRequestIdPaths(readRequestIdPaths(source)), createRedactor([]));
  const whole = VisibleN8n.whole(client);
  const { checks } = await checkN8nItself(
    whole,
    () => paths,
    () => unsavedWorkflows(View.everything, () => readPublishedWorkflows(client)),
  );
  const isUsable = checks.every(({ status }) => status !== "fail");
  return {
    checks: checks.map(network.explain),
    isUsable,
    canWrite: checks.some(({ check, status }) => check === "key only reads" && status === "warning"),
    requestId: isUsable ? await findRequestId(whole, paths) : undefined,
  };
}

async function findRequestId(client: VisibleN8n, paths: ComparableIds): Promise<string | undefined> {
  try {
    return (await sampleRequestIds(client, paths)).seen[0]?.value;
  } catch (error) {
    // The checks have reported the failure already.
    if (error instanceof ObserverError) return undefined;
    throw error;
  }
}

function clientOf(source: N8nSource, fetchFromN8n: Fetch): N8nClient {
  return createN8nClient(readN8nSettings(source), { fetch: fetchFromN8n });
}

const UNTRUSTED = "The certificate there is issued by nobody whom this machine trusts.";

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "There is no host of that name.",
  EAI_AGAIN: "The name of the host cannot be looked up: is this machine online?",
  ENETUNREACH: "This machine has no way there: is it online?",
  EHOSTUNREACH: "This machine has no way there.",
  ECONNREFUSED: "Nothing listens at that address and port.",
  ECONNRESET: "The connection was cut off.",
  ETIMEDOUT: "Nobody answers at that address.",
  UND_ERR_CONNECT_TIMEOUT: "Nobody answers at that address.",
  UND_ERR_SOCKET: "The connection was cut off: is it https?",
  HPE_INVALID_CONSTANT: "That port does not speak http: is it https?",
  CERT_HAS_EXPIRED: "The certificate of that address has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate there is one for another host.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate there is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: "That port does not speak https: is it http?",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "That port does not speak https: is it http?",
};

const TRUST =
  "Give n8n a certificate of a known authority. A server on this machine also trusts the authority whose certificate is in the file that SSL_CERT_FILE names: set it for this command and for the server (docs/self-hosting.md).";

/** Instead of the usual advice, which is to see whether n8n runs. */
const SOLUTIONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: TRUST,
  SELF_SIGNED_CERT_IN_CHAIN: TRUST,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TRUST,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TRUST,
};

/** `fetch` reports only the failure; the reason is in its cause. */
function watchNetwork(): { readonly fetch: Fetch; readonly explain: (check: Check) => Check } {
  let known = "";
  return {
    async fetch(url, init) {
      try {
        return await fetch(url, init);
      } catch (error) {
        const code = codeOf(error);
        if (code in REASONS) known = code;
        throw error;
      }
    },
    explain: (check) =>
      known === "" || check.status !== "fail"
        ? check
        : {
            ...check,
            detail: `${check.detail} ${REASONS[known]}`,
            solution: SOLUTIONS[known] ?? check.solution,
          },
  };
}

/** The code of the innermost cause that has one; Node tries each address of a host, and reports all failures. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const [first] = error instanceof AggregateError ? error.errors : [];
  const deeper = codeOf(error.cause ?? first);
  if (deeper !== "") return deeper;
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
