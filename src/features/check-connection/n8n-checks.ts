/**
 * Checks n8n through its API with a key, for `check_connection` and for `npm run setup` before a server runs. It sends
 * only GET requests. If n8n is slow, the checks for which time ran out are reported as not made.
 */
import type { RequestIdPaths } from "../../history/request-ids/request-id-paths.ts";
import { hidesUnfinished, type ReportedCapabilities } from "../../n8n/capabilities/capabilities.ts";
import type { UnsavedWorkflows } from "../../n8n/unsaved-workflows.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { ObserverError, OWN_KEY } from "../../platform/errors.ts";
import { N8N_KEY_SCOPES } from "../../platform/n8n-key-scopes.ts";
import { CLIENT_PATIENCE_MS, REQUEST_MS } from "../../platform/time-limits.ts";
import { attempt, type Check, type Finding, pass, unanswered, warning } from "./check-line.ts";
import { checkRequestIds, checkSaved } from "./request-checks.ts";

/** A key needs no other scopes. */
export const READING_SCOPE = /:(read|list)$/;

/** Lists executions; some refusals count as an answer, too. */
async function askForExecutions(client: VisibleN8n, isAnswer: (refusal: ObserverError) => boolean) {
  try {
    await client.probe();
  } catch (error) {
    if (!(error instanceof ObserverError && isAboutKey(error) && isAnswer(error))) throw error;
  }
}

const isAboutKey = ({ details: { field } }: ObserverError): boolean =>
  field === "N8N_API_KEY" || field === OWN_KEY;

/** Whether n8n is reachable: its refusal of the key proves it, but a proxy's refusal does not. */
export const checkReachable = async (client: VisibleN8n): Promise<Check> =>
  await attempt("n8n reachable", async () => {
    await askForExecutions(client, () => true);
    return pass("n8n answers at N8N_BASE_URL.");
  });

const checkKey = async (client: VisibleN8n): Promise<Check> =>
  await attempt("key valid", async () => {
    // A key that only lacks this scope is valid.
    await askForExecutions(client, ({ code }) => code === "N8N_FORBIDDEN");
    return pass("n8n accepts N8N_API_KEY.");
  });

const checkWorkflows = async (client: VisibleN8n): Promise<Check> =>
  await attempt("workflows readable", async () => {
    await client.listWorkflows({ limit: 1 });
    return pass("Workflows can be listed.");
  });

const checkExecutions = async (client: VisibleN8n): Promise<Check> =>
  await attempt("executions readable", async () => {
    const { executions } = await client.listExecutions({ limit: 1 });
    const [first] = executions;
    if (first === undefined)
      return pass(
        "Executions can be listed; there are none yet, or none that the key may see: since n8n 2.41, its role needs execution:read in the project.",
      );
    await client.readExecutionItem(first.id);
    return pass("Executions can be listed and read.");
  });

const MAX_SCOPES = 10;
const MAX_SCOPE_LENGTH = 60;

/** Scopes come from n8n, so their number is limited to what always fits into an answer. */
function someOf(scopes: readonly string[]): string {
  const shown = scopes.slice(0, MAX_SCOPES).map((scope) => scope.slice(0, MAX_SCOPE_LENGTH));
  return [...shown, ...(scopes.length > MAX_SCOPES ? ["…"] : [])].join(", ");
}

const checkKeyScopes = async (client: VisibleN8n): Promise<Check> =>
  await attempt("key only reads", async () => {
    const scopes = await client.discoverScopes();
    if (scopes === undefined)
      return {
        status: "skipped",
        detail: "This n8n does not show which scopes a key has.",
        solution: "Look the key up in n8n, under Settings > n8n API.",
      };
    const writing = scopes.filter((scope) => !READING_SCOPE.test(scope));
    if (writing.length === 0) return pass(`The key has only reading scopes: ${someOf(scopes)}.`);
    return warning(
      `The key can do more than read: ${someOf(writing)}.`,
      `n8n-observer sends only GET requests, but a key that cannot write is safer: create one with ${N8N_KEY_SCOPES.join(", ")}.`,
    );
  });

/** Checks of n8n's capabilities; `has` is null where one is unknown. */
const CAPABILITY_CHECKS: readonly {
  readonly check: string;
  readonly has: (known: ReportedCapabilities) => boolean | null;
  readonly yes: (known: ReportedCapabilities) => string;
  readonly no: (known: ReportedCapabilities) => Finding;
}[] = [
  {
    check: "which n8n",
    // Its public API does not show its version.
    has: ({ statuses }) => statuses !== null || null,
    yes: (known) => `${generationOf(known)}, judging by its answers: its API does not show the version.`,
    no: () => UNKNOWN,
  },
  {
    check: "n8n filters by date",
    has: ({ filtersDates }) => filtersDates,
    yes: () => "n8n can list executions by date.",
    no: () =>
      warning(
        "This n8n cannot list executions by date, so they are read page by page, newest first, until the date is reached.",
        "Traces work, but take longer the further back they look. n8n 2.36 and later can list by date.",
      ),
  },
  {
    check: "n8n lists what has not ended",
    has: (known) => (known.statuses === null ? null : !hidesUnfinished(known)),
    yes: () => "n8n lists executions that are waiting or running.",
    no: ({ statuses }) =>
      warning(
        `This n8n does not list executions that are waiting or running; it can list by status: ${statuses?.join(", ") || "none"}.`,
        "trace_request asks for them one by one, up to 100 a call, and says how many are left. n8n 2 lists them.",
      ),
  },
  {
    check: "n8n lists each status",
    has: ({ listsStatus }) => listsStatus,
    yes: () => "n8n's lists show the status of each execution.",
    no: () =>
      warning(
        "This n8n's lists show no status, so an execution that was canceled or crashed is listed as error.",
        "get_execution shows the exact status. Later versions of n8n list it.",
      ),
  },
];

const UNKNOWN = unanswered("Check again once the other checks pass and n8n has executions.");

function checkCapabilities(known: ReportedCapabilities): Check[] {
  return CAPABILITY_CHECKS.map(({ check, has, yes, no }) => {
    const answer = has(known);
    return { check, ...(answer === null ? UNKNOWN : answer ? pass(yes(known)) : no(known)) };
  });
}

function generationOf({ filtersDates, statuses, tellsScopes }: ReportedCapabilities): string {
  if (filtersDates === true) return "n8n 2.36 or later";
  return statuses?.includes("new") || tellsScopes === true ? "n8n 2 before 2.36" : "n8n 1";
}

const N8N_CHECKS = [checkReachable, checkKey, checkWorkflows, checkExecutions, checkKeyScopes];
/** After this, no check starts, so that the last request keeps its full timeout. */
const MAX_CHECKING_MS = CLIENT_PATIENCE_MS - REQUEST_MS.usual - 10_000;
/** If one of these fails, no other check can run. */
const ESSENTIAL_CHECKS: ReadonlySet<(typeof N8N_CHECKS)[number]> = new Set([checkReachable, checkKey]);

const tooSlow = (status: Check["status"]): Check => ({
  check: "n8n answers in time",
  status,
  detail: `n8n took more than ${MAX_CHECKING_MS / 1_000} s for the checks before, so the others were not made.`,
  solution:
    "Check again. If it happens again, n8n is overloaded, or too many people ask at once: see N8N_MAX_CONCURRENT.",
});

export const N8N_STEPS = N8N_CHECKS.length + 2;

export interface N8nReport {
  readonly checks: Check[];
  /** Null when n8n does not answer, is too slow, or refuses the key. */
  readonly known: ReportedCapabilities | null;
}

/** @param unsaved published workflows that n8n does not save. @param progress called with the number of finished steps. @param now epoch ms. @throws ObserverError `RATE_LIMITED` */
export async function checkN8nItself(
  client: VisibleN8n,
  paths: () => RequestIdPaths,
  unsaved: () => Promise<UnsavedWorkflows | null>,
  progress: (done: number) => Promise<void> = async () => {},
  now: () => number = Date.now,
): Promise<N8nReport> {
  const checks: Check[] = [];
  const until = now() + MAX_CHECKING_MS;
  const isOutOfTime = (): boolean => now() > until;
  for (const [index, run] of N8N_CHECKS.entries()) {
    if (isOutOfTime()) return { checks: [...checks, tooSlow("fail")], known: null };
    checks.push(await run(client));
    await progress(index + 1);
    // Repeating the same failure for every later check would hide the one thing to fix.
    if (ESSENTIAL_CHECKS.has(run) && checks.at(-1)?.status === "fail") return { checks, known: null };
  }
  const known = await client.learnEverything(isOutOfTime);
  checks.push(...checkCapabilities(known));
  await progress(N8N_STEPS - 1);
  if (isOutOfTime()) return { checks: [...checks, tooSlow("warning")], known };
  checks.push(await checkRequestIds(client, paths), await checkSaved(unsaved));
  await progress(N8N_STEPS);
  return { checks, known };
}
