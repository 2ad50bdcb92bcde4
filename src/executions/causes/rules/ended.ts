/**
 * Executions that have not ended, or were ended from outside.
 * Facts: a waiting execution has `waitTill`; the year 3000 means "until somebody calls", and the day before (since n8n
 * 2.41; earlier the year 3000, too) "until its sub-workflow ends". What it waits for is in the Wait node's `resume`
 * parameter, or is the answer to a message that a node sent (`sendAndWait`). If a worker dies, n8n up to 2.41
 * gives the status `error` and no data but a `MaxStalledCountError`; since 2.42 the status `crashed`. If stopped by hand, n8n keeps
 * `ManualExecutionCancelledError`; a time-out leaves status `canceled`, an error of its own class or none, and a duration
 * of about `settings.executionTimeout` seconds; n8n 1.100 sets the status `crashed`. A real crash shows by its error
 * (`WorkflowCrashedError`), or no run is kept at all. The node that was running has no run, or an unfinished one: it is
 * first in `executionData.nodeExecutionStack`, or follows `lastNodeExecuted`.
 */
import { memberOf, partOf } from "../../../json/members.ts";
import type { ReadValue } from "../../../json/omitted.ts";
import { isInherited } from "../../../n8n/run-order.ts";
import { callsWorkflow } from "../../../n8n/workflow-callers.ts";
import { toErrorFacts, WORKER_DIED } from "../../error-sentence.ts";
import { WAITS_FOR_SUB_WORKFLOW, waitedFor } from "../../links.ts";
import { durationMs, usedOutputs } from "../../node-runs.ts";
import { waitsFor } from "../../waits.ts";
import { type ExecutionView, leadTo, nextOf, parameterOf } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { findAt } from "../field-origin.ts";
import { pathText } from "../field-references.ts";
import { fieldsTested } from "../fields-taken.ts";
import { resolvedFor } from "../parameter-reads.ts";
import type { Rule } from "../rule.ts";
import type { EndlessLoop, Resume } from "../wording/sentences.ts";

export const notEnded: Rule = (view) => {
  const { status, stoppedAt } = view.execution;
  if (status === "waiting") return [waiting(view)];
  if (status === "unknown" && stoppedAt !== null)
    return [{ kind: "unknown_status", node: null, at: stoppedAt }];
  if (status === "new") return [{ kind: "queued", node: null }];
  const isRunning = status === "running" || status === "unknown";
  return isRunning ? [{ kind: "running", node: runningNode(view) }] : [];
};

export const endedFromOutside: Rule = (view) => {
  const { status } = view.execution;
  if (wasGivenUp(view)) return [{ kind: "crashed.worker", node: null }];
  if (status === "crashed") return [isOverLimit(view) && !saysCrashed(view) ? timedOut(view) : crashed(view)];
  return status === "canceled" ? [canceled(view)] : [];
};

function runningNode(view: ExecutionView): string | null {
  const { execution, runs, nodes } = view;
  const pending = execution.data?.executionData?.nodeExecutionStack ?? [];
  const [next] = pending.flatMap((one) => ("node" in one ? [one.node.name] : []));
  if (next !== undefined) return next;
  const last = execution.data?.resultData?.lastNodeExecuted ?? [...runs.keys()].at(-1);
  if (last === undefined) return null;
  const lastRun = runs.get(last)?.at(-1);
  if (lastRun === undefined || !["success", undefined].includes(lastRun.executionStatus)) return last;
  const [after, ...others] = nextOf(view, last).filter((node) => nodes.has(node) && !runs.has(node));
  return after === undefined || others.length > 0 ? last : after;
}

/** Code could throw this too, but then its node has a run. */
const wasGivenUp = ({ execution, error, runs }: ExecutionView): boolean =>
  (execution.status === "crashed" || (execution.status === "error" && runs.size === 0)) &&
  toErrorFacts(error).name === WORKER_DIED;

function waiting(view: ExecutionView): Fact {
  const { execution, nodes } = view;
  const node = execution.data?.resultData?.lastNodeExecuted ?? runningNode(view);
  const { waitTill, stoppedAt: waitingSince } = execution;
  const isEndless = waitTill === null || waitTill >= WAITS_FOR_SUB_WORKFLOW;
  const until = isEndless ? null : new Date(waitTill).toISOString();
  const definition = nodes.get(node ?? "");
  const child = waitedFor(execution)[0] ?? calledBy(view, node);
  if (
    isEndless &&
    (child !== undefined || waitTill?.startsWith(WAITS_FOR_SUB_WORKFLOW) || callsWorkflow(definition?.type))
  )
    return {
      kind: "waiting.sub_workflow",
      node: child?.nodeName ?? node,
      waitingSince,
      ...(child === undefined ? {} : { executionId: child.executionId }),
    };
  const limited = definition?.type.endsWith(".wait") === true ? "time" : "either";
  const resume: Resume = waitsFor(definition) ?? (isEndless ? "somebody" : limited);
  return {
    kind: "waiting",
    node,
    waitingSince,
    resume,
    until,
    ...(resume === "answer" && askedOf(view, node)),
  };
}

/** The parameters by which nodes name whom they send a message to. */
const RECIPIENTS =
  "toEmail sendTo toRecipients recipientPhoneNumber user userId chatId channelId spaceId".split(" ");

/** Whom a message went to, unless that takes more than the node's own input to tell. */
function askedOf(view: ExecutionView, name: string | null): { field: string; value: ReadValue } | null {
  const node = view.nodes.get(name ?? "");
  const run = view.runsOf(name ?? "").at(-1);
  const json = run === undefined ? undefined : view.inputOf(run).items[0]?.json;
  for (const field of RECIPIENTS) {
    const set = parameterOf(node, field);
    const value = memberOf(set, "cachedResultName") ?? memberOf(set, "value") ?? set;
    if (typeof value !== "string" || value === "") continue;
    if (!value.startsWith("=")) return { field, value };
    const read = resolvedFor(node, json ?? null).find(
      ({ parameter }) => parameter.split(".", 1)[0] === field,
    );
    const [only, ...others] = Object.values(read?.values ?? {});
    return only === undefined || others.length > 0 ? null : { field, value: only };
  }
  return null;
}

/** The call of the run that waits, if n8n names it there. */
function calledBy({ runs }: ExecutionView, nodeName: string | null) {
  const run = runs.get(nodeName ?? "")?.at(-1);
  const called = run?.executionStatus === "waiting" ? run.metadata?.subExecution : undefined;
  return called === undefined || nodeName === null
    ? undefined
    : { executionId: called.executionId, nodeName };
}

const CRASHES: ReadonlySet<string | undefined> = new Set(["WorkflowCrashedError", "NodeCrashedError"]);

/** After a restart, n8n writes such an error to the executions and runs that were interrupted. */
const saysCrashed = ({ error, runs }: ExecutionView): boolean =>
  CRASHES.has(error?.name) || [...runs.values()].flat().some((run) => CRASHES.has(run.error?.name));

function crashed(view: ExecutionView): Fact {
  const node = view.failed?.name ?? nodeCutOff(view);
  return view.runs.size > 0 && !saysCrashed(view)
    ? { kind: "crashed.unexplained", node, confidence: "observed" }
    : { kind: "crashed", node };
}

function limitOf({ execution }: ExecutionView): number | null {
  const limit = partOf(execution.workflowData?.settings, "executionTimeout");
  return typeof limit === "number" && limit > 0 ? limit : null;
}

/** n8n checks its limits only periodically. */
const TOLERANCE_MS = 5_000;

function isOverLimit(view: ExecutionView): boolean {
  const limitS = limitOf(view);
  const duration = durationMs(view.execution);
  if (limitS === null || duration === null) return false;
  const over = duration - limitS * 1_000;
  return over >= -500 && over <= TOLERANCE_MS;
}

/**
 * The node that ran when it was ended from outside. n8n keeps what it saved last; if it saved nothing since the execution
 * began, was retried, or was resumed (which disables the pending node that waited), the node is not known.
 */
function nodeCutOff(view: ExecutionView): string | null {
  const [pending] = view.execution.data?.executionData?.nodeExecutionStack ?? [];
  const isResumed = pending !== undefined && "node" in pending && pending.node.disabled === true;
  const runs = [...view.runs.values()].flat();
  const isSaved = runs.some(({ startTime }) => !isInherited(view.execution, startTime));
  return isResumed || !isSaved ? null : runningNode(view);
}

/** In a loop, all runs of the next node may have ended: then it is unknown whether it had started again. */
function ended(view: ExecutionView) {
  const node = nodeCutOff(view);
  const runs = view.runsOf(node ?? "");
  return {
    node,
    isWaiting: runs.at(-1)?.executionStatus === "waiting",
    isNext: runs.some((run) => run.executionStatus === "success"),
    afterMs: durationMs(view.execution),
  };
}

function timedOut(view: ExecutionView): Fact {
  const loop = endlessLoop(view);
  const fact = { kind: "timed_out", ...ended(view), limitS: limitOf(view) } as const;
  return loop === null ? { ...fact, loop: null } : { ...fact, ...loop };
}

/** Fewer rounds are an ordinary loop that was cut short. */
const MIN_ROUNDS = 3;

/** A decision that sent every round back to itself: what it tests, and the value that it saw last. */
function endlessLoop(view: ExecutionView): (Pick<Fact, "field" | "value"> & { loop: EndlessLoop }) | null {
  for (const [name, runs] of view.runs) {
    const tested = fieldsTested(view.nodes.get(name));
    const taken = new Set(runs.map((run) => usedOutputs(run).join()));
    const [output] = taken;
    if (runs.length < MIN_ROUNDS || taken.size > 1 || !output || tested.length === 0) continue;
    if (!controlsLoop(view, name, Number(output))) continue;
    const [reference] = tested;
    const isKnown = view.hasAllRuns(name);
    const found = runs
      .slice(isKnown ? -1 : runs.length)
      .flatMap((run) => view.inputOf(run).items)
      .map(({ json }) => findAt(json, reference?.path ?? []))
      .findLast(({ kind }) => kind === "there");
    const loop = {
      test: name,
      rounds: runs.length,
      isKnown,
      fields: [...new Set(tested.map(({ path }) => pathText(path)))],
      output: Number(output),
    };
    return {
      loop,
      ...(tested.length === 1 && found?.kind === "there" && reference?.node === null
        ? { field: pathText(reference.path), value: found.value }
        : {}),
    };
  }
  return null;
}

/** Whether this output leads back to the node and another one out of the loop, so that the node ends the loop. */
function controlsLoop(view: ExecutionView, name: string, output: number): boolean {
  const leads = (other: number): boolean => leadTo(view, name, view.targetsOf(name)[other]);
  const isOut = (targets: readonly unknown[], other: number): boolean => targets.length > 0 && !leads(other);
  return leads(output) && view.targetsOf(name).some(isOut);
}

function canceled(view: ExecutionView): Fact {
  const name = view.error?.name;
  if (name === "ManualExecutionCancelledError") return { kind: "canceled_by_hand", ...ended(view) };
  if (name === "TimeoutExecutionCancelledError" || isOverLimit(view)) return timedOut(view);
  return name === "SystemShutdownExecutionCancelledError"
    ? { kind: "canceled.shutdown", ...ended(view) }
    : { kind: "canceled", ...ended(view), confidence: "observed" };
}
