/** Two weeks of an n8n, and a day in it on which eight things go wrong, with executions as n8n sends them. */
import type { FakeExecution } from "../../support/fake-n8n.ts";

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface MadeRun {
  readonly workflowId: string;
  readonly mode: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status?: string;
  /** Items of each node; the first one is "Start". */
  readonly items?: readonly number[];
  readonly error?: MadeError;
  readonly facts?: Record<string, unknown>;
}

interface MadeError {
  readonly node: string;
  readonly name: string;
  readonly message: string;
  readonly httpCode?: string;
}

const iso = (time: number): string => new Date(time).toISOString();

function runOf(order: number, items: number, error: unknown): object {
  return {
    startTime: 1,
    executionTime: 1,
    executionIndex: order,
    executionStatus: error === undefined ? "success" : "error",
    source: [],
    ...(error === undefined
      ? { data: { main: [Array.from({ length: items }, () => ({ json: { n: 1 } }))] } }
      : { error }),
  };
}

/** The executions with n8n's numbering: in the order of their starts. */
export function toExecutions(runs: readonly MadeRun[]): FakeExecution[] {
  const sorted = runs.toSorted((a, b) => a.startedAt - b.startedAt);
  return sorted.map((run, index) => toExecution(String(index + 1), run)).reverse();
}

function toExecution(id: string, run: MadeRun): FakeExecution {
  const { workflowId, mode, startedAt, durationMs, status = "success", items = [1, 3], error, facts } = run;
  const counts = items.map((count, index) => [index === 0 ? "Start" : `Step ${index}`, count] as const);
  const failing = error === undefined ? [] : [[error.node, 0] as const];
  const nodes = [...counts, ...failing];
  const { node, ...thrown } = error ?? {};
  return {
    ...{ id, workflowId, mode, status },
    startedAt: iso(startedAt),
    stoppedAt: status === "running" ? null : iso(startedAt + durationMs),
    workflowData: {
      name: `Workflow ${workflowId}`,
      nodes: nodes.map(([name]) => ({ name, type: "n8n-nodes-base.code" })),
    },
    data: {
      resultData: {
        runData: Object.fromEntries(
          nodes.map(([name, count], order) => [
            name,
            [runOf(order, count, name === node ? { ...thrown, node: { name } } : undefined)],
          ]),
        ),
        ...(error === undefined
          ? {}
          : { error: { ...thrown, node: { name: node } }, lastNodeExecuted: node }),
      },
    },
    customData: {},
    ...facts,
  };
}

export const every = (from: number, to: number, step: number, make: (at: number) => MadeRun): MadeRun[] =>
  Array.from({ length: Math.floor((to - from) / step) }, (_, index) => make(from + index * step));

/** The first and the fourth error are of one workflow. */
const KINDS: readonly MadeError[] = [
  { node: "Charge card", name: "NodeApiError", message: "The service refused", httpCode: "402" },
  { node: "Read order", name: "TypeError", message: "Cannot read properties of undefined (reading 'id')" },
  { node: "Store", name: "NodeOperationError", message: "duplicate key value" },
  { node: "Charge card", name: "NodeApiError", message: "The service is down", httpCode: "503" },
  { node: "Notify", name: "NodeApiError", message: "timed out", httpCode: "504" },
];

/** n8n's `WAIT_INDEFINITELY`. */
const FOR_EVER = "3000-01-01T00:00:00.000Z";

/** Its last node continues on an error, and did so here. */
const CAUGHT = {
  workflowData: {
    name: "Workflow caught",
    nodes: [
      { name: "Start", type: "n8n-nodes-base.code" },
      { name: "Call", type: "n8n-nodes-base.code", onError: "continueRegularOutput" },
    ],
  },
  data: {
    resultData: {
      runData: {
        Start: [runOf(0, 1, undefined)],
        Call: [{ ...runOf(1, 0, undefined), data: { main: [[{ json: { error: "refused" } }]] } }],
      },
    },
  },
};

/** Five others on the same day: nothing failed, but nothing is as usual. */
export function quietTroubles(now: number): MadeRun[] {
  const begin = now - 9 * DAY;
  const today = now - DAY;
  const hourly = (workflowId: string, of: (at: number) => Partial<MadeRun>): MadeRun[] =>
    every(begin, now - 60_000, HOUR, (startedAt) => ({
      ...{ workflowId, mode: "webhook", startedAt, durationMs: 400 },
      ...of(startedAt),
    }));
  const waits = (workflowId: string, startedAt: number, waitTill: string): MadeRun => ({
    ...{ workflowId, mode: "webhook", startedAt, durationMs: 0, status: "waiting" },
    facts: { waitTill, stoppedAt: null },
  });
  return [
    ...hourly("caught", (at) => (at < today ? {} : { facts: CAUGHT })),
    ...hourly("slow", (at) => ({ durationMs: at < today ? 400 : 9_000 })),
    ...hourly("approval", () => ({})),
    waits("approval", now - 5 * DAY, FOR_EVER),
    ...hourly("reminder", () => ({})),
    waits("reminder", now - 3 * HOUR, iso(now - HOUR)),
    // Called every quarter of an hour, and not at all for six hours.
    ...every(begin, now - 6 * HOUR, HOUR / 4, (startedAt) => ({
      ...{ workflowId: "hook", mode: "webhook", startedAt, durationMs: 300 },
    })),
  ];
}

/** Eight problems on the day before `now`, after two ordinary weeks. */
export function troubledDay(now: number): MadeRun[] {
  const begin = now - 9 * DAY;
  const today = now - DAY;
  const webhook = (workflowId: string, startedAt: number, more: Partial<MadeRun> = {}): MadeRun => ({
    ...{ workflowId, mode: "webhook", startedAt, durationMs: 400 },
    ...more,
  });
  return [
    // Five kinds of failure, twenty each, among successes.
    ...KINDS.flatMap((error, index) => [
      ...every(begin + index * 1_000, now - 60_000, HOUR, (at) => webhook(`w${index % 3}`, at)),
      ...every(today + 60_000 + index * 7_000, today + 60_000 + index * 7_000 + 20 * HOUR, HOUR, (at) =>
        webhook(`w${index % 3}`, at, { status: "error", error }),
      ),
    ]),
    // A half-hourly schedule that has been silent for five hours.
    ...every(begin, now - 5 * HOUR, HOUR / 2, (startedAt) => ({
      ...{ workflowId: "schedule", mode: "trigger", startedAt, durationMs: 900 },
    })),
    // A workflow that takes a second, with a run that has lasted three hours.
    ...every(begin + 5_000, now - 4 * HOUR, 2 * HOUR, (at) => webhook("hung", at, { durationMs: 1_000 })),
    webhook("hung", now - 3 * HOUR, { status: "running" }),
    // Forty items in each run, and none today.
    ...every(begin + 9_000, now - 60_000, HOUR, (at) =>
      webhook("empty", at, { items: at < today ? [1, 40, 40] : [1, 0] }),
    ),
  ];
}
