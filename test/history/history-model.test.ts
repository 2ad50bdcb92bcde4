/**
 * After any sequence of scans, growth, resumptions, deletions, pruning and failures of n8n, a trace finds what a naive
 * reading of everything finds, or names the execution it could not read. So does a trace begun earlier and continued.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceQuery } from "../../src/history/trace/history-trace.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import {
  createLivingN8n,
  happen,
  happening,
  holds,
  isInWindow,
  kindOfN8n,
  type LivingN8n,
  REQUEST_IDS,
  window,
} from "../support/living-n8n.ts";
import { modelParameters, patient, sayingAtOnce } from "../support/model-runs.ts";
import { WINDOW } from "../support/test-traces.ts";

const limit = fc.constantFrom(5, 40, 130, 2_000);
const args = fc.record({ requestId: fc.constantFrom(...REQUEST_IDS), window, limit, deep: fc.boolean() });

const command = fc.oneof(
  { weight: 6, arbitrary: happening },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("ask" as const), args, isBusy: fc.boolean() }) },
  fc.record({ kind: fc.constant("ask twice" as const), first: args, second: args, isBusy: fc.boolean() }),
  fc.record({ kind: fc.constant("continue" as const), at: fc.nat(), limit, isBusy: fc.boolean() }),
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

interface Begun {
  readonly requestId: string;
  readonly window: TraceQuery["window"];
  readonly traceId: string;
}

async function run(living: LivingN8n, begun: Begun[], one: Command): Promise<void> {
  if (one.kind === "ask")
    await living.whileBusy(one.isBusy, async () => {
      const answer = await living.ask(one.args);
      if (answer !== null) begun.push({ ...one.args, traceId: answer.traceId });
    });
  else if (one.kind === "ask twice")
    await living.whileBusy(
      one.isBusy,
      async () => await Promise.all([living.ask(one.first), living.ask(one.second)]),
    );
  else if (one.kind === "continue") {
    const traceId = begun[one.at % Math.max(1, begun.length)]?.traceId;
    if (traceId !== undefined)
      await living.whileBusy(one.isBusy, async () => await living.ask({ traceId, limit: one.limit }));
  } else happen(living, one);
}

/** Expects a trace to find what a naive reading finds; it may also find deleted executions that are still known. */
async function expectAsNaive(
  living: LivingN8n,
  asked: { requestId: string; window: TraceQuery["window"]; traceId?: string },
): Promise<void> {
  if (!living.canBeAskedFor(asked.window)) return;
  const answer = await living.askToTheEnd({ ...asked, limit: 300 });
  const found = new Set(answer.executions.filter(({ match }) => match?.kind === "exact").map(({ id }) => id));
  const expected = living.n8n.executions.filter(
    (one) => isInWindow(one, asked.window) && holds(one, asked.requestId),
  );
  const named = new Set(answer.coverage.skipped.map(({ executionId }) => executionId));
  const missed = expected.filter(({ id }) => !found.has(id) && !named.has(id));
  const present = new Map(living.n8n.executions.map((one) => [one.id, one]));
  const wrong = [...found].filter((id) => {
    const one = present.get(id);
    return one === undefined ? !living.deleted.has(id) : !holds(one, asked.requestId);
  });
  if (missed.length + wrong.length === 0) return;
  const difference = JSON.stringify({
    asked,
    missed: missed.map(({ id, status, startedAt }) => ({ id, status, startedAt })),
    wrong,
    coverage: answer.coverage,
  });
  throw new Error(`The trace differs from a naive reading: ${difference}`);
}

async function expectNothingMissed(
  kind: Parameters<typeof createLivingN8n>[0],
  commands: readonly Command[],
  windows: readonly TraceQuery["window"][],
): Promise<void> {
  const living = createLivingN8n(kind);
  const begun: Begun[] = [];
  for (const one of commands) await run(living, begun, one);
  if (!living.canBeReadToTheEnd) return;
  living.mend();
  for (const one of begun) if (await living.canGoOn(one.traceId)) await expectAsNaive(living, one);
  for (const asked of [WINDOW, ...windows])
    for (const requestId of REQUEST_IDS) await expectAsNaive(living, { requestId, window: asked });
  expect(living.isMistakenForQueueing).toBe(false);
}

test("after any sequence of events, a trace finds what a naive reading finds", {
  ...inBothLanes,
  ...patient,
}, async () => {
  const parameters = modelParameters(runs(60));
  await fc.assert(
    fc.asyncProperty(
      kindOfN8n,
      fc.array(command, { minLength: 1, maxLength: 14 }),
      fc.array(window, { maxLength: 2 }),
      sayingAtOnce(parameters, expectNothingMissed),
    ),
    parameters,
  );
});

test("an execution that arrives after a scan's lists, and is read by it, is no sign of a queue", async () => {
  const asked = { requestId: "req-0", window: WINDOW, limit: 5 as const, deep: false };
  const ask = (requestId: string, isBusy: boolean): Command => ({
    kind: "ask",
    args: { ...asked, requestId },
    isBusy,
  });
  const second = { ...asked, deep: true };
  await expectNothingMissed(
    {
      seed: 5,
      skewMs: 0,
      aheadMs: 0,
      dates: "filtered",
      hasOpaqueCursors: false,
      gaps: 0,
      ways: "lists all",
    },
    [
      ask("req-0", true),
      { kind: "delete" },
      ask("req-3", true),
      ask("req-0", false),
      {
        kind: "ask twice",
        first: { ...asked, window: { ...WINDOW, workflowId: "w1" } },
        second,
        isBusy: true,
      },
      ask("req-0", false),
    ],
    [],
  );
});
