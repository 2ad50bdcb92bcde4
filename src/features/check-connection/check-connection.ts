import * as z from "zod";
import { defineTool } from "../../mcp/define-tool.ts";
import { type Capabilities, hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import { learnEverything } from "../../n8n/capabilities/learn.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { counted } from "../../platform/counted.ts";
import { ObserverError } from "../../platform/errors.ts";
import type { ToolContext } from "../tool-context.ts";

export const check = z.looseObject({
  check: z.string(),
  status: z.enum(["pass", "warning", "fail", "skipped"]),
  detail: z.string(),
  solution: z.string().optional(),
});
export type Check = z.infer<typeof check>;

/** Scopes that only read. Whatever else a key has, it has too much. */
const READING_SCOPE = /:(read|list)$/;

type Finding = Pick<Check, "status" | "detail" | "solution">;

async function attempt(name: string, body: () => Promise<Finding>): Promise<Check> {
  try {
    return { check: name, ...(await body()) };
  } catch (error) {
    // Says nothing of n8n: the check could not be made.
    if (!(error instanceof ObserverError) || error.code === "RATE_LIMITED") throw error;
    return { check: name, status: "fail", detail: error.message, solution: error.details.solution };
  }
}

export function checkSettings({ settingProblems }: Pick<ToolContext, "settingProblems">): Check[] {
  const problems = settingProblems();
  if (problems.length === 0)
    return [{ check: "settings", status: "pass", detail: "All settings are there and well-formed." }];
  return problems.map(({ setting, problem, solution }) => ({
    check: `setting ${setting}`,
    status: "fail",
    detail: problem,
    solution,
  }));
}

async function checkReachable(client: N8nClient): Promise<Check> {
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
        detail: "This n8n does not tell a key's scopes.",
        solution: "Look at the key under Settings > n8n API.",
      };
    }
    const writing = scopes.filter((scope) => !READING_SCOPE.test(scope));
    if (writing.length === 0)
      return { status: "pass", detail: `The key has only reading scopes: ${someOf(scopes)}.` };
    return {
      status: "warning",
      detail: `The key can do more than read: ${someOf(writing)}.`,
      solution:
        "Nothing here uses it, but a key that only reads is safer: create one with workflow:read, workflow:list, execution:read, execution:list, tag:list.",
    };
  });
}

function checkDateFilters({ filtersDates }: Capabilities): Check {
  const name = "n8n filters by date";
  if (filtersDates === true) return { check: name, status: "pass", detail: "Windows by date are cheap." };
  if (filtersDates === null) return unanswered(name);
  return {
    check: name,
    status: "warning",
    detail: "This n8n does not filter executions by date; dates are compared while paging.",
    solution: "Traces still work, but a window far back takes longer. n8n 2.36 or later filters.",
  };
}

function checkUnfinished(known: Capabilities): Check {
  const name = "n8n lists what has not ended";
  if (known.statuses === null) return unanswered(name);
  if (!hidesUnfinished(known)) {
    return { check: name, status: "pass", detail: "Executions that wait or run can be listed." };
  }
  return {
    check: name,
    status: "warning",
    detail: `This n8n leaves executions that wait or run out of its lists; it filters by ${known.statuses.join(", ") || "no status"}.`,
    solution:
      "trace_request asks for them one by one, 100 ids a call, and tells what is left. n8n 2 lists them.",
  };
}

function checkListedStatus({ listsStatus }: Capabilities): Check {
  const name = "n8n lists each status";
  if (listsStatus === true)
    return { check: name, status: "pass", detail: "Lists carry each execution's status." };
  if (listsStatus === null) return unanswered(name);
  return {
    check: name,
    status: "warning",
    detail: "Lists of this n8n carry no status: error then stands for canceled and crashed, too.",
    solution: "get_execution tells it exactly. A later n8n lists it.",
  };
}

/** n8n failed, or has nothing yet that would show it. */
const unanswered = (check: string): Check => ({
  check,
  status: "skipped",
  detail: "n8n did not show it.",
  solution: "Call again once the other checks pass and n8n has executions.",
});

async function checkCapabilities(
  client: N8nClient,
  context: ToolContext,
): Promise<{ lines: Check[]; known: Capabilities }> {
  const known = await learnEverything(client);
  await context.capabilities().learn(known);
  return { lines: [checkDateFilters(known), checkUnfinished(known), checkListedStatus(known)], known };
}

/** Where several n8ns are checked, it is told of each, also when it passes. */
export const HISTORY_CHECK = "history index";

async function checkHistory(context: ToolContext): Promise<Check> {
  return await attempt(HISTORY_CHECK, async () => {
    const { executions, syncedAt, knownSince, isWhole, failure } = await context.history().status();
    if (failure !== null) {
      return {
        status: "warning",
        detail: `It could not read n8n by itself (${failure}); it knows ${counted(executions, "execution")}.`,
        solution: "It tries again by itself. What the other checks say of n8n has to be mended first.",
      };
    }
    if (syncedAt === null)
      return { status: "pass", detail: "It knows nothing yet: it has just begun to read." };
    const back = isWhole
      ? ", all that n8n has"
      : knownSince === null
        ? ""
        : `, everything back to ${knownSince}, and reads further back`;
    return {
      status: "pass",
      detail: `It knows ${counted(executions, "execution")}${back}. It looked at what is new at ${syncedAt}.`,
    };
  });
}

/** A tool that writes would be named for it; the client has no method but GET besides. */
const WRITING_NAME =
  /^run_|(^|_)(create|update|delete|remove|activate|deactivate|retry|stop|execute|set|add|write|move|transfer)(_|$)/;

export function checkTools(toolNames: readonly string[]): Check {
  const writing = toolNames.filter((name) => WRITING_NAME.test(name));
  if (writing.length === 0) {
    return {
      check: "no tool writes",
      status: "pass",
      detail: `${counted(toolNames.length, "tool")}, all read-only; the n8n client can send nothing but GET.`,
    };
  }
  return {
    check: "no tool writes",
    status: "fail",
    detail: `These tools are named as if they wrote: ${writing.join(", ")}.`,
    solution: "Tell the operator: this should not be.",
  };
}

const N8N_CHECKS = [checkReachable, checkKey, checkWorkflows, checkExecutions, checkKeyScopes];

/** What n8n shows of itself; null when it does not answer. */
export interface N8nReport {
  readonly checks: Check[];
  readonly known: Capabilities | null;
}

export async function checkN8n(context: ToolContext): Promise<N8nReport> {
  const { checks, known } = await askN8n(context);
  return { checks: checks.map((line) => inWordsOf(line, context)), known };
}

function inWordsOf(line: Check, { inItsWords }: ToolContext): Check {
  const { detail, solution } = line;
  return {
    ...line,
    detail: inItsWords(detail),
    ...(solution === undefined ? {} : { solution: inItsWords(solution) }),
  };
}

async function askN8n(context: ToolContext): Promise<N8nReport> {
  const checks: Check[] = [];
  let client: N8nClient;
  try {
    client = context.n8n();
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    const { solution } = error.details;
    checks.push({ check: "n8n reachable", status: "skipped", detail: "n8n is not configured.", solution });
    return { checks, known: null };
  }
  const count = N8N_CHECKS.length + 1;
  await context.progress(0, "Asking n8n whether it answers", count);
  for (const [index, run] of N8N_CHECKS.entries()) {
    checks.push(await run(client));
    await context.progress(index + 1, `${index + 1} of ${counted(count, "check")} made`, count);
    // What does not answer is not asked again and again.
    if (run === checkReachable && checks[0]?.status === "fail") return { checks, known: null };
  }
  const { lines, known } = await checkCapabilities(client, context);
  await context.progress(count, `${count} of ${counted(count, "check")} made`, count);
  return { checks: [...checks, ...lines, await checkHistory(context)], known };
}

export function isReady(checks: readonly Check[]): boolean {
  return (
    checks.every((line) => line.status !== "fail") &&
    !checks.some((line) => line.check === "n8n reachable" && line.status === "skipped")
  );
}

function toShown(known: Capabilities | null) {
  if (known === null) return null;
  return { ...known, listsUnfinished: known.statuses === null ? null : !hidesUnfinished(known) };
}

export const checkConnection = defineTool({
  name: "check_connection",
  title: "Check the connection to n8n",
  description:
    "Checks settings, n8n, its key and the key's scopes, each line pass or fail with its fix. Use it when another tool fails, or right after setting up.",
  scope: "n8n:read",
  maxTokens: 4_000,
  audited: {},
  input: z.strictObject({}),
  output: z.looseObject({
    ready: z.boolean(),
    checks: z.array(check),
    // By name, true or false: null where it is not known. A schema of each would cost every model its tokens.
    capabilities: z.looseObject({}).nullable(),
  }),
  async run(_input, context: ToolContext) {
    const n8n = await checkN8n(context);
    const checks = [...checkSettings(context), ...n8n.checks, checkTools(context.toolNames)];
    const failed = checks.filter((line) => line.status === "fail" || line.status === "skipped");
    const ready = isReady(checks);
    const passed = checks.filter((line) => line.status === "pass").length;
    const next = ready ? "Ready." : `Not ready: ${failed.map((line) => line.check).join(", ")}.`;
    return {
      message: `${passed} of ${counted(checks.length, "check")} passed. ${next}`,
      data: { ready, checks, capabilities: toShown(n8n.known) },
    };
  },
});
