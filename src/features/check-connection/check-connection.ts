import * as z from "zod";
import { MAX_INDEX_BYTES, type QueueFacts } from "../../history/report/index-report.ts";
import { defineTool } from "../../mcp/define-tool.ts";
import { hidesUnfinished, type ReportedCapabilities } from "../../n8n/capabilities/capabilities.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { counted } from "../../platform/counted.ts";
import { ObserverError } from "../../platform/errors.ts";
import { isStalled, queueSentence } from "../queue-sentence.ts";
import type { ToolContext } from "../tool-context.ts";
import { attempt, type Check, check, pass, warning } from "./check-line.ts";
import { checkN8nItself, N8N_STEPS, type N8nReport } from "./n8n-checks.ts";

export function checkSettings({ settingProblems }: Pick<ToolContext, "settingProblems">): Check[] {
  const problems = settingProblems();
  if (problems.length === 0) return [{ check: "settings", ...pass("All settings are usable.") }];
  return problems.map(({ setting, problem, solution }) => ({
    check: `setting ${setting}`,
    status: "fail",
    detail: problem,
    solution,
  }));
}

/** With several n8n instances, this check is shown for each, even when it passes. */
export const HISTORY_CHECK = "history index";

const FULL = `has no room for older ones (${MAX_INDEX_BYTES / 1e9} GB): the oldest are removed`;

const BACKGROUND = {
  back: "reads further back",
  new: "reads no further back by itself (INDEX_DAYS, INDEX_MAX_EXECUTIONS)",
  off: "reads only when somebody asks (INDEX_INTERVAL=off)",
};

async function checkHistory(context: ToolContext): Promise<Check[]> {
  const waiting: Check[] = [];
  const index = await attempt(HISTORY_CHECK, async () => {
    const { executions, syncedAt, knownSince, isWhole, isFull, background, failure, queue } = await context
      .history()
      .status();
    waiting.push(...queueChecks(queue));
    const known = counted(executions, "execution");
    if (failure !== null && background !== "off")
      return warning(
        `It could not read n8n by itself (${failure}); it knows ${known}.`,
        "It tries again by itself. First fix what the other checks report about n8n.",
      );
    if (syncedAt === null)
      return pass(
        `It knows nothing yet: it ${background === "off" ? BACKGROUND.off : "has just begun to read"}.`,
      );
    const back = isWhole
      ? ", all that n8n has"
      : knownSince === null
        ? ""
        : `, everything back to ${knownSince}, and ${isFull ? FULL : BACKGROUND[background]}`;
    return pass(`It knows ${known}${back}. It last checked for new executions at ${syncedAt}.`);
  });
  return [index, ...waiting];
}

/** Empty if n8n reports every fact that the caller's access rules need. Only the operator sees which rules lack one. */
async function checkRules({ unreportedFacts }: ToolContext): Promise<Check[]> {
  const unreported = await unreportedFacts();
  if (unreported.length === 0) return [];
  const detail = `An access rule selects workflows by ${unreported.join(" and ")}, which this n8n does not report, so it gives none.`;
  const solution =
    "Whoever runs the server can give workflows by tags, names or ids in ACCESS_RULES instead.";
  return [{ check: "access rules", status: "fail", detail, solution }];
}

function queueChecks(queue: QueueFacts | null): Check[] {
  if (queue === null) return [];
  const detail = `${queueSentence(queue)}${queue.seenAt === null ? "" : ` Looked at ${queue.seenAt}.`}`;
  const solution =
    "See whether n8n's workers run, are connected to Redis, and have room for more: N8N_CONCURRENCY_PRODUCTION_LIMIT, or --concurrency of each.";
  return [{ check: "what waits in n8n", ...(isStalled(queue) ? warning(detail, solution) : pass(detail)) }];
}

const WRITING_NAME =
  /^run_|(^|_)(create|update|delete|remove|activate|deactivate|retry|stop|execute|set|add|write|move|transfer)(_|$)/;

export function checkTools(toolNames: readonly string[]): Check {
  const check = "no tool writes";
  const writing = toolNames.filter((name) => WRITING_NAME.test(name));
  const tools = counted(toolNames.length, "tool");
  if (writing.length === 0)
    return { check, ...pass(`${tools}, all read-only; the n8n client can send nothing but GET.`) };
  return {
    check,
    status: "fail",
    detail: `The names of these tools suggest that they write: ${writing.join(", ")}.`,
    solution: "This is a fault of n8n-observer: report it as SECURITY.md says.",
  };
}

/** Checks n8n, and uses the instance's own names for settings. @throws ObserverError `RATE_LIMITED` */
export async function checkN8n(context: ToolContext): Promise<N8nReport> {
  const { renameSettings } = context;
  const { checks, known } = await askN8n(context);
  const lines = checks.map(({ detail, solution, ...line }) => ({
    ...line,
    detail: renameSettings(detail),
    solution: solution === undefined ? undefined : renameSettings(solution),
  }));
  return { checks: lines, known };
}

async function askN8n(context: ToolContext): Promise<N8nReport> {
  let client: VisibleN8n;
  try {
    client = context.n8n();
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    const { solution } = error.details;
    const line = { check: "n8n reachable", status: "skipped", detail: "n8n is not configured." } as const;
    return { checks: [{ ...line, solution }], known: null };
  }
  await context.progress(0, "Checking whether n8n answers", N8N_STEPS);
  const unsaved = async () => await context.history().unsavedWorkflows();
  const progress = async (done: number): Promise<void> =>
    await context.progress(done, `${done} of ${counted(N8N_STEPS, "check")} made`, N8N_STEPS);
  const report = await checkN8nItself(client, context.requestIdPaths, unsaved, progress, context.clock.now);
  if (report.known === null) return report;
  // Another check, for any caller, may have learned what this one could not.
  const learnt = Object.entries(report.known).filter(([, value]) => value !== null);
  await context.capabilities().learn(Object.fromEntries(learnt));
  const known = await context.capabilities().get();
  const checks = [...report.checks, ...(await checkHistory(context)), ...(await checkRules(context))];
  return { known, checks };
}

export function isReady(checks: readonly Check[]): boolean {
  return (
    checks.every((line) => line.status !== "fail") &&
    !checks.some((line) => line.check === "n8n reachable" && line.status === "skipped")
  );
}

/** A check that was only skipped is a reason if none failed. */
export function reasonsOf(checks: readonly Check[]): string {
  const failed = checks.filter(({ status }) => status === "fail");
  const reasons = failed.length > 0 ? failed : checks.filter(({ status }) => status === "skipped");
  return reasons.map((line) => line.check).join(", ");
}

const toShown = (known: ReportedCapabilities) => ({
  ...known,
  listsUnfinished: known.statuses === null ? null : !hidesUnfinished(known),
});

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
    // By name: true, false, or null where it is unknown. Listing each one here would cost every client tokens.
    capabilities: z.looseObject({}).nullable(),
  }),
  async run(_input, context: ToolContext) {
    const n8n = await checkN8n(context);
    const checks = [...checkSettings(context), ...n8n.checks, checkTools(context.toolNames)];
    const ready = isReady(checks);
    const passed = checks.filter((line) => line.status === "pass").length;
    const next = ready ? "Ready." : `Not ready: ${reasonsOf(checks)}.`;
    return {
      message: `${passed} of ${counted(checks.length, "check")} passed. ${next}`,
      data: { ready, checks, capabilities: n8n.known && toShown(n8n.known) },
    };
  },
});
