/**
 * `trace_request` against a simulated n8n (`request-world.ts`) in which the truth about each request is known, however
 * often it was delivered, whatever it called, whoever retried it, and whatever n8n does not keep of it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TreeNode } from "../../../src/features/request-node.ts";
import type { TraceAnswer } from "../../../src/features/trace-request/trace.ts";
import type { TraceQuery } from "../../../src/history/trace/history-trace.ts";
import { NOTHING_KNOWN } from "../../../src/n8n/capabilities/capabilities.ts";
import { traced } from "../../support/called-workflows.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n, N8N_1_123 } from "../../support/fake-n8n.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { ALL_IS_OVER, type Case, cases } from "../../support/request-plans.ts";
import { OUTCOMES, type Outcome, Truth } from "../../support/request-truth.ts";
import { type Made, RequestWorld, recorded, timeOf } from "../../support/request-world.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";

// ---- Known differences from the truth

interface Known {
  readonly reason: string;
  readonly isIn: (truth: Truth, requestId: string) => boolean;
}

/** Known faults and limits: what one of them changes is not compared. */
const KNOWN = {
  "failed at a call that is not named": {
    reason:
      "where a node fails, n8n names none of its calls: only their times distinguish them from the cause",
    isIn: (truth, requestId) =>
      truth
        .partsOf(requestId)
        .some(({ failed }) => failed !== null && failed.called !== null && !failed.isNamed),
  },
  "decided by a batch": {
    reason: "where only a batch is known to hold the id, it decides with all that it called",
    isIn: (truth, requestId) => truth.isOnlyInBatch(requestId),
  },
  "taken over": {
    reason: "a call that a retry has taken over is not reported",
    isIn: (truth, requestId) =>
      truth.partsOf(requestId).some(({ retryOf, calls }) => retryOf !== null && calls.length > 0),
  },
  "in a window": {
    reason: "a window that has only a batch decides by it",
    isIn: (truth, requestId) =>
      truth.begun.some(
        ({ isBatch, isAnswered, holds }) => isBatch && (isAnswered || holds.includes(requestId)),
      ),
  },
  "called again outside of a window": {
    reason:
      "further calls of the caller, or of its retry, for the same id are not searched outside of the window",
    isIn: (truth, requestId) => {
      const callers = truth
        .partsOf(requestId)
        .filter(({ role, parent }) => role === "sub_workflow" && parent?.requestId !== requestId)
        .map(({ parent }) => parent?.firstTry);
      return new Set(callers).size < callers.length;
    },
  },
  crashed: {
    reason: "n8n loses the runs of what crashed, and so whether it waited for what it called",
    isIn: (truth, requestId) => truth.partsOf(requestId).some(({ status }) => status === "crashed"),
  },
} satisfies Record<string, Known>;

const isKnown = (
  name: keyof typeof KNOWN,
  { truth, requestId }: Pick<Asked, "truth" | "requestId">,
): boolean => KNOWN[name].isIn(truth, requestId);

// ---- Comparisons with the truth

const worst = (outcomes: readonly Outcome[]): Outcome =>
  OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? "not_found";

interface Asked {
  readonly truth: Truth;
  readonly requestId: string;
  readonly answer: TraceAnswer;
}

function expectTruth({ truth, requestId, answer }: Asked): void {
  const parts = truth.partsOf(requestId);
  const { failure, executions } = answer;
  const family = executions.filter(({ role }) => role !== "related");
  const byId = new Map(truth.begun.map((one) => [one.id, one]));
  // No execution of another request.
  if (!isKnown("decided by a batch", { truth, requestId })) {
    const above = truth.aboveOf(requestId);
    const others = family.filter(({ id }) => {
      const one = byId.get(id);
      return one === undefined || !(parts.includes(one) || above.has(one));
    });
    expect(
      others.map(({ id, role }) => `${role} ${id}`),
      "of another request",
    ).toEqual([]);
  }
  if (failure !== null) {
    const failed = byId.get(failure.executionId);
    expect(failed && truth.outcomeOf(failed), "the reported failure").toBe("error");
  }
  if (truth.isWhole) expectWhole({ truth, requestId, answer });
  else expectPart({ truth, requestId, answer });
}

function expectWhole(asked: Asked): void {
  const { truth, requestId, answer } = asked;
  const { outcome, failure, executions, sentence, deliveries } = answer;
  const sendings = truth.sendingsOf(requestId);
  const outcomes = sendings.map((one) => truth.outcomeOf(one));
  expect(outcome).toBe(worst(outcomes));
  if (sendings.length === 0) return;
  compared += 1;
  expect(deliveries.map((one) => one.outcome).toSorted(), "each delivery").toEqual(outcomes.toSorted());
  expect(deliveries.map(({ node }) => node.id).toSorted(), "which execution decides each delivery").toEqual(
    sendings.map(({ id }) => id).toSorted(),
  );
  const times = /It was sent (\d+) times/.exec(sentence)?.[1] ?? "1";
  expect(Number(times), "number of deliveries").toBe(sendings.length);
  expectSentence(asked, sendings);
  const parts = truth.partsOf(requestId);
  const shownIds = new Set(executions.map(({ id }) => id));
  expect(
    parts.filter(({ id }) => !shownIds.has(id)).map(({ id }) => id),
    "missing from the answer",
  ).toEqual([]);
  for (const { id, role, parentId } of executions) {
    const one = truth.begun.find((each) => each.id === id);
    expect([id, role, parentId]).toEqual([id, one?.role, one?.retryOf?.id ?? one?.parent?.id ?? null]);
  }
  if (outcome !== "error") {
    expect(failure).toBeNull();
    return;
  }
  if (isKnown("failed at a call that is not named", asked) || isKnown("decided by a batch", asked)) return;
  if (isKnown("crashed", asked)) return;
  const origins = sendings
    .filter((one) => truth.outcomeOf(one) === "error")
    .map((one) => truth.originOf(one).id);
  expect(origins, "where the failure began").toContain(failure?.executionId);
}

const isOfEditor = ({ isInEditor, parent, retryOf }: Made): boolean =>
  isInEditor || [parent, retryOf].some((cause) => cause !== null && isOfEditor(cause));

/** What the sentence says beside the outcome. */
function expectSentence(
  { truth, requestId, answer: { outcome, sentence, executions } }: Asked,
  sendings: readonly Made[],
): void {
  const again = /succeeded when it was sent again \(execution (\d+)\)/.exec(sentence)?.[1];
  if (again !== undefined) {
    const one = sendings.find(({ id }) => id === again);
    expect(one && truth.outcomeOf(one), "sent again with success").toBe("success");
  }
  const runs = /With (?:at least )?(\d+) sub-workflow run/.exec(sentence)?.[1] ?? "0";
  expect(Number(runs), "sub-workflow runs").toBe(
    executions.filter(({ role }) => role === "sub_workflow").length,
  );
  if (outcome !== "success" || isKnown("taken over", { truth, requestId })) return;
  const deciding = new Set(sendings.map(({ firstTry }) => firstTry));
  const failed = truth.partsOf(requestId).filter((one) => {
    const { role, parent } = one;
    if (role !== "sub_workflow" || deciding.has(one) || parent === null) return false;
    // Beside production runs, those in the editor do not count, nor does what they called.
    if (isOfEditor(one) && !sendings.some(isOfEditor)) return false;
    // Of a canceled call whose retry failed, the sentence reports only the cancellation.
    const outcomes = [one, truth.lastTryOf(one)].map((each) => truth.outcomeOf(each));
    return truth.outcomeOf(parent) === "success" && outcomes.every((each) => each === "error");
  });
  if (failed.length > 0) expect(sentence, `${failed[0]?.id} failed`).toMatch(/failed/);
}

function expectPart(asked: Asked): void {
  const { truth, requestId, answer } = asked;
  const { outcome, coverage, deliveries, failure } = answer;
  if (truth.recordedHoldersOf(requestId).length === 0) {
    expect(outcome, "no kept execution holds the id").toBe("not_found");
    return;
  }
  expect(outcome === "not_found" && coverage.complete, "not found although it is kept").toBe(false);
  const sendings = truth.sendingsOf(requestId);
  const lastKnown = sendings.map((one) => truth.lastKnownOf(one));
  if (lastKnown.some((one) => one?.isKept === true && truth.outcomeOf(one) === "error"))
    expect(outcome, "the last known run of a delivery failed").toBe("error");
  if (failure !== null) {
    const failed = truth.begun.find(({ id }) => id === failure.executionId);
    expect(failed?.isKept).toBe(true);
  }
  if (isKnown("decided by a batch", asked)) return;
  // From here on, only requests of which every deciding execution is kept.
  if (!sendings.every((one) => truth.isSendingKept(one, requestId)) || truth.orphansOf(requestId).length > 0)
    return;
  const outcomes = sendings.map((one) => truth.outcomeOf(one));
  expect(outcome, "all deciding executions are kept").toBe(worst(outcomes));
  expect(deliveries.map((one) => one.outcome).toSorted(), "each delivery").toEqual(outcomes.toSorted());
  if (outcome !== "error") return;
  if (isKnown("failed at a call that is not named", asked)) return;
  if (isKnown("crashed", asked)) return;
  const origins = sendings
    .filter((one) => truth.outcomeOf(one) === "error")
    .map((one) => truth.deepestKeptOf(one).id);
  expect(origins, "where the failure began, as far as it is kept").toContain(failure?.executionId);
}

/** Traces of an n8n 2, or of an n8n 1.123 of which nothing is known yet. */
type Traces = TestTraces & { readonly isOld: boolean };

const tracesOf = (isOld: boolean): Traces =>
  Object.assign(createTestTraces(undefined, createLocalCapabilities(isOld ? NOTHING_KNOWN : N8N_2)), {
    isOld,
  });

const seenBefore2 = new WeakMap<FakeExecution, FakeExecution>();

/** In n8n 1, an error workflow's run names the failed execution at its first node run only: while it runs, nothing is known. */
function shownBefore2(one: FakeExecution): FakeExecution {
  const known = seenBefore2.get(one);
  if (known !== undefined) return known;
  const { parentExecution: _parent, ...data } = one.data as Record<string, unknown>;
  const seen = one.mode === "error" && one.status !== "running" ? { ...one, data } : one;
  seenBefore2.set(one, seen);
  return seen;
}

function n8nOf(executions: readonly FakeExecution[], isOld: boolean): FakeN8n {
  const n8n = createFakeN8n(executions);
  n8n.old = isOld ? N8N_1_123 : null;
  if (isOld) n8n.shown = shownBefore2;
  return n8n;
}

async function ask(
  traces: Traces,
  world: RequestWorld,
  moment: number,
  requestId: string,
  more: Partial<TraceQuery> = {},
  deleted?: Made,
) {
  const n8n = n8nOf(
    recorded(world, moment).filter(({ id }) => id !== deleted?.id),
    traces.isOld,
  );
  traces.clock.time =
    Math.max(traces.clock.time, timeOf(moment) + 1_000) + (deleted === undefined ? 0 : 600_000);
  return await traces.ask(n8n, { requestId, ...more });
}

/** An execution belongs to the request of the nearest id: its own, or that of what caused it. */
function expectOfExecution(
  truth: Truth,
  asked: Made,
  { outcome }: TraceAnswer,
  answers: ReadonlyMap<string, TraceAnswer>,
): void {
  const chain = [asked];
  for (let one = asked.retryOf ?? asked.parent; one !== null; one = one.retryOf ?? one.parent)
    chain.push(one);
  const holder = chain.find((one) => truth.holdsNow(one));
  if (holder === undefined) {
    const top = chain.at(-1) ?? asked;
    expect(outcome, "that of its topmost cause").toBe(truth.outcomeOf(truth.lastTryOf(top)));
    return;
  }
  const [requestId = "", ...others] = holder.holds;
  if (others.length > 0) return;
  const isInEditor = chain.some((one) => one.isInEditor);
  const sent = truth.sendingsOf(requestId, undefined, chain).map((one) => truth.outcomeOf(one));
  const expected = isInEditor ? worst(sent) : answers.get(requestId)?.outcome;
  expect(outcome, `that of ${requestId}, which ${holder.id} holds`).toBe(expected);
}

/** A window selects whole deliveries: each one with an execution in the window that holds the id. */
function expectInWindow(asked: Asked, workflow: string): void {
  const { truth, requestId, answer } = asked;
  if (isKnown("in a window", asked) || isKnown("called again outside of a window", asked)) return;
  const holders = truth.recordedHoldersOf(requestId).filter((one) => one.workflow === workflow);
  const isAsked = (sending: Made): boolean => holders.some((holder) => truth.isOf(holder, sending));
  const sent = truth.sendingsOf(requestId, isAsked);
  expect(answer.outcome, `in ${workflow}`).toBe(worst(sent.map((one) => truth.outcomeOf(one))));
}

function shown(answer: TraceAnswer | undefined) {
  if (answer === undefined) return null;
  const { traceId: _traceId, coverage: _coverage, asOf: _asOf, stop: _stop, sentence, ...said } = answer;
  // Which retry n8n names is learnt only where it changes anything.
  const withoutRetry = <Node extends TreeNode>({ retrySuccessId: _retry, ...node }: Node) => node;
  const rest = {
    ...said,
    executions: said.executions.map(withoutRetry),
    deliveries: said.deliveries.map((one) => ({ ...one, node: withoutRetry(one.node) })),
  };
  // The executions searched, and where, depend on what is already known (docs/trace.md).
  const searched = / In \d+ executions? only values at known .*| Not everything could be read\./g;
  return { ...rest, sentence: sentence.replaceAll(searched, "") };
}

/** @throws the error of the check, with the world and the answer */
function withStory(world: RequestWorld, moment: number, answer: TraceAnswer, check: () => void): void {
  try {
    check();
  } catch (error) {
    const { requestId, sentence, failure } = answer;
    const said = `${sentence}\n${JSON.stringify(failure)}`;
    throw new Error(`${requestId} at ${moment}: ${String(error)}\n${story(world, moment)}\n${said}`);
  }
}

/** Asks all questions about a world at a moment. @param traces already know what was asked before */
async function expectAllTrue(
  asked: Case,
  world: RequestWorld,
  moment: number,
  traces: Traces,
  isLast: boolean,
) {
  const { order, pick, pruned, isOld } = asked;
  const truth = new Truth(world, moment);
  const first = new Map<string, TraceAnswer>();
  for (const requestId of order) {
    const answer = await ask(traces, world, moment, requestId);
    first.set(requestId, answer);
    withStory(world, moment, answer, () => expectTruth({ truth, requestId, answer }));
  }
  const [requestId = ""] = order;
  const whole = first.get(requestId);
  const again = await ask(traces, world, moment, requestId);
  withStory(world, moment, again, () => expect(shown(again), "asked again").toEqual(shown(whole)));
  const fresh = await ask(tracesOf(isOld), world, moment, requestId);
  withStory(world, moment, fresh, () => expect(shown(fresh), "asked anew").toEqual(shown(whole)));
  if (isLast && pick % WAITS === 0)
    await expectSameIfWaiting(world, moment, requestId, whole?.outcome, isOld);
  const picked = truth.begun[pick % truth.begun.length];
  if (picked === undefined || !truth.isWhole) return;
  const ofOne = await ask(traces, world, moment, `execution:${picked.id}`);
  withStory(world, moment, ofOne, () => expectOfExecution(truth, picked, ofOne, first));
  const window = { ...WINDOW, workflowId: picked.workflow };
  const inWindow = await ask(traces, world, moment, requestId, { window });
  withStory(world, moment, inWindow, () =>
    expectInWindow({ truth, requestId, answer: inWindow }, picked.workflow),
  );
  // Deleted executions stay known; n8n deletes none that has not ended.
  if (!pruned || !isLast || picked.status === "waiting") return;
  const deleted = await ask(traces, world, moment, requestId, {}, picked);
  withStory(world, moment, deleted, () => {
    expect(deleted.outcome, `${picked.id} deleted`).toBe(whole?.outcome);
    expect(deleted.failure?.executionId).toBe(whole?.failure?.executionId);
    expect(shown(deleted)?.deliveries).toEqual(shown(whole)?.deliveries);
  });
}

/** One in so many cases also waits, which takes longer. */
const WAITS = 8;

async function expectSameIfWaiting(
  world: RequestWorld,
  moment: number,
  requestId: string,
  outcome: string | undefined,
  isOld: boolean,
): Promise<void> {
  const n8n = n8nOf(recorded(world, moment), isOld);
  let time = timeOf(moment) + 1_000;
  const sleep = async (milliseconds: number): Promise<void> => {
    time += milliseconds;
  };
  const waited = await traced(n8n, { requestId, waitMs: 5_000 }, { now: () => time, sleep });
  expect(waited.outcome, `${requestId} waited for`).toBe(outcome);
}

/** How many fully known requests were compared. */
let compared = 0;

test("what a trace says of a request is true", { timeout: 600_000, ...inBothLanes }, async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (asked) => {
      const world = new RequestWorld(asked.plans);
      const { moments } = world;
      const at = (part: number): number =>
        moments[Math.floor((part * (moments.length - 1)) / ALL_IS_OVER)] ?? 0;
      const end = at(ALL_IS_OVER);
      const traces = tracesOf(asked.isOld);
      traces.clock.time = 0;
      for (const moment of new Set([at(asked.early), end]))
        await expectAllTrue(asked, world, moment, traces, moment === end);
    }),
    { numRuns: runs(400) },
  );
  // Guards against a test that never compares anything.
  expect(compared).toBeGreaterThan(runs(200));
});

/** A world as text, for the reader of a counterexample. */
const story = (world: RequestWorld, moment: number): string =>
  world.all
    .map((one) => {
      const { id, role, requestId, parent, retryOf, holds, startedAt, stoppedAt, status, calls, failed } =
        one;
      const called = calls.map(
        ({ called, isNamed, isCaught, node }) =>
          `${node}->${called.id}${isNamed ? "" : " unnamed"}${isCaught ? " caught" : ""}`,
      );
      const why =
        failed === null
          ? ""
          : ` failed at ${failed.node}${failed.called ? `->${failed.called.id}${failed.isNamed ? "" : " unnamed"}` : ""}`;
      return `${id} ${role}${one.isBatch ? " batch" : ""} of ${requestId} ${startedAt > moment ? "(later) " : stoppedAt > moment ? "(running) " : ""}${status}${one.isKept ? "" : " NOT KEPT"} ${startedAt}-${stoppedAt} parent ${parent?.id} retryOf ${retryOf?.id} holds ${holds.join()} [${called.join(", ")}]${why}`;
    })
    .join("\n");
