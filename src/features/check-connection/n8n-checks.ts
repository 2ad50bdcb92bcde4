/**
 * What n8n shows of itself to a key, by what it answers: asked by `check_connection`, and by `npm run setup` before
 * there is a server. GET alone, one request after the other.
 */
import type { RequestIdPaths } from "../../history/request-ids/request-id-paths.ts";
import { type Capabilities, hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import { learnEverything } from "../../n8n/capabilities/learn.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { ObserverError } from "../../platform/errors.ts";
import { attempt, type Check } from "./check-line.ts";
import { checkRequestIds, checkSaved } from "./request-checks.ts";

/** Scopes that only read. Whatever else a key has, it has too much. */
const READING_SCOPE = /:(read|list)$/;

/** Whether n8n is there at all: a key that it refuses will do. */
export async function checkReachable(client: N8nClient): Promise<Check> {
  return await attempt("n8n reachable", async () => {
    try {
      await client.listExecutions({ limit: 1 });
    } catch (error) {
      // An answer, even a refusal of the key, shows that n8n is there; what stands in front of it refuses otherwise.
      if (!(error instanceof ObserverError && error.details.field === "N8N_API_KEY")) throw error;
    }
    return { status: "pass", detail: "n8n answers at N8N_BASE_URL." };
  });
}

async function checkKey(client: N8nClient): Promise<Check> {
  return await attempt("key valid", async () => {
    try {
      await client.listExecutions({ limit: 1 });
    } catch (error) {
      // A key without this one scope is a valid key.
      const isScope = error instanceof ObserverError && error.code === "N8N_FORBIDDEN";
      if (!isScope || error.details.field !== "N8N_API_KEY") throw error;
    }
    return { status: "pass", detail: "n8n accepts N8N_API_KEY." };
  });
}

async function checkWorkflows(client: N8nClient): Promise<Check> {
  return await attempt("workflows readable", async () => {
    await client.listWorkflows({ limit: 1 });
    return { status: "pass", detail: "Workflows can be listed." };
  });
}

async function checkExecutions(client: N8nClient): Promise<Check> {
  return await attempt("executions readable", async () => {
    const { executions } = await client.listExecutions({ limit: 1 });
    const [first] = executions;
    if (first === undefined)
      return { status: "pass", detail: "Executions can be listed; there are none yet." };
    await client.readExecutionItem(first.id);
    return { status: "pass", detail: "Executions can be listed and read." };
  });
}

const MAX_SCOPES = 10;
const MAX_SCOPE_LENGTH = 60;

/** They come from n8n: as much of them as always fits into an answer. */
function someOf(scopes: readonly string[]): string {
  const shown = scopes.slice(0, MAX_SCOPES).map((scope) => scope.slice(0, MAX_SCOPE_LENGTH));
  return [...shown, ...(scopes.length > MAX_SCOPES ? ["…"] : [])].join(", ");
}

async function checkKeyScopes(client: N8nClient): Promise<Check> {
  return await attempt("key only reads", async () => {
    const scopes = await client.discoverScopes();
    if (scopes === undefined) {
      return {
        status: "skipped",
        detail: "This n8n does not show which scopes a key has.",
        solution: "Look the key up in n8n, under Settings > n8n API.",
      };
    }
    const writing = scopes.filter((scope) => !READING_SCOPE.test(scope));
    if (writing.length === 0)
      return { status: "pass", detail: `The key has only reading scopes: ${someOf(scopes)}.` };
    return {
      status: "warning",
      detail: `The key can do more than read: ${someOf(writing)}.`,
      solution:
        "n8n-observer sends only GET requests, but a key that cannot write is safer: create one with workflow:read, workflow:list, execution:read, execution:list, tag:list.",
    };
  });
}

function checkDateFilters({ filtersDates }: Capabilities): Check {
  const name = "n8n filters by date";
  if (filtersDates === true)
    return { check: name, status: "pass", detail: "n8n can list executions by date." };
  if (filtersDates === null) return unanswered(name);
  return {
    check: name,
    status: "warning",
    detail:
      "This n8n cannot list executions by date, so they are read page by page, newest first, until the date is reached.",
    solution: "Traces work, but take longer the further back they look. n8n 2.36 and later can list by date.",
  };
}

function checkUnfinished(known: Capabilities): Check {
  const name = "n8n lists what has not ended";
  if (known.statuses === null) return unanswered(name);
  if (!hidesUnfinished(known)) {
    return { check: name, status: "pass", detail: "n8n lists executions that are waiting or running." };
  }
  return {
    check: name,
    status: "warning",
    detail: `This n8n does not list executions that are waiting or running; it can list by status: ${known.statuses.join(", ") || "none"}.`,
    solution:
      "trace_request asks for them one by one, up to 100 a call, and says how many are left. n8n 2 lists them.",
  };
}

function checkListedStatus({ listsStatus }: Capabilities): Check {
  const name = "n8n lists each status";
  if (listsStatus === true)
    return { check: name, status: "pass", detail: "n8n's lists show the status of each execution." };
  if (listsStatus === null) return unanswered(name);
  return {
    check: name,
    status: "warning",
    detail:
      "This n8n's lists show no status, so an execution that was canceled or crashed is listed as error.",
    solution: "get_execution shows the exact status. Later versions of n8n list it.",
  };
}

/** n8n failed, or has nothing yet that would show it. */
const unanswered = (check: string): Check => ({
  check,
  status: "skipped",
  detail: "Not known yet: n8n failed to answer, or has no executions.",
  solution: "Check again once the other checks pass and n8n has executions.",
});

const ASKED_OF_N8N = [checkReachable, checkKey, checkWorkflows, checkExecutions, checkKeyScopes];
/** Without these nothing else can be asked. */
const STOPS: ReadonlySet<(typeof ASKED_OF_N8N)[number]> = new Set([checkReachable, checkKey]);
/** How many steps `progress` is told of. */
export const N8N_STEPS = ASKED_OF_N8N.length + 2;

/** What n8n shows of itself; `known` is null when it does not answer, or refuses the key. */
export interface N8nReport {
  readonly checks: Check[];
  readonly known: Capabilities | null;
}

/**
 * Each check of n8n, one after the other.
 * @param progress is told how many of `N8N_STEPS` are done
 * @throws ObserverError `RATE_LIMITED`
 */
export async function checkN8nItself(
  client: N8nClient,
  paths: () => RequestIdPaths,
  progress: (done: number) => Promise<void> = async () => {},
): Promise<N8nReport> {
  const checks: Check[] = [];
  for (const [index, run] of ASKED_OF_N8N.entries()) {
    checks.push(await run(client));
    await progress(index + 1);
    // The same refusal of everything that follows would hide the one thing to do.
    if (STOPS.has(run) && checks.at(-1)?.status === "fail") return { checks, known: null };
  }
  const known = await learnEverything(client);
  checks.push(
    tellGeneration(known),
    checkDateFilters(known),
    checkUnfinished(known),
    checkListedStatus(known),
  );
  await progress(N8N_STEPS - 1);
  checks.push(await checkRequestIds(client, paths), await checkSaved(client));
  await progress(N8N_STEPS);
  return { checks, known };
}

/** n8n's public API does not tell its version: told is what its answers show. */
function tellGeneration({ filtersDates, statuses, tellsScopes }: Capabilities): Check {
  const name = "which n8n";
  if (statuses === null) return unanswered(name);
  const generation =
    filtersDates === true
      ? "n8n 2.36 or later"
      : statuses.includes("new") || tellsScopes === true
        ? "n8n 2 before 2.36"
        : "n8n 1";
  return {
    check: name,
    status: "pass",
    detail: `${generation}, judging by its answers: its API does not show the version.`,
  };
}
