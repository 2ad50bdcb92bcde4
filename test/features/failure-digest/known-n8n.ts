/** An n8n with generated runs, at a known time, and a caller who asks about them. */
import { expect } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { type CallerOptions, createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, jsonAnswer } from "../../support/fake-n8n.ts";
import { type Made, toN8n } from "../living-counts/made-executions.ts";
import { type MadeRun, toExecutions } from "./troubles.ts";

/** Enough time for all calls. */
const timeBudgetMs = 55_000;
/** A Wednesday. */
export const NOW = Date.UTC(2026, 10, 18, 15);
export const HOUR = 3_600_000;
export const iso = (time: number): string => new Date(time).toISOString();

export const run = (workflowId: string, hoursAgo: number, more: Partial<MadeRun> = {}): MadeRun => ({
  ...{ workflowId, mode: "webhook", startedAt: NOW - hoursAgo * HOUR, durationMs: 100 },
  ...more,
});

export const failed = (workflowId: string, hoursAgo: number, more: Partial<MadeRun> = {}): MadeRun =>
  run(workflowId, hoursAgo, {
    status: "error",
    error: { node: "Call tax", name: "NodeApiError", message: "Busy", httpCode: "503" },
    ...more,
  });

/** An execution that waits for somebody who may never come. */
export const waits = (workflowId: string, hoursAgo: number): MadeRun =>
  run(workflowId, hoursAgo, {
    status: "waiting",
    facts: { waitTill: "3000-01-01T00:00:00.000Z", stoppedAt: null },
  });

/** The run with this id in n8n, whenever it started. */
export const at = (id: number, made: MadeRun): MadeRun => ({
  ...made,
  facts: { ...made.facts, id: String(id) },
});

/** An array of `count` elements. */
export const times = <Each>(count: number, make: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_one, index) => make(index));

/** The executions as n8n lists them: the highest id first. */
export const executionsOf = (runs: readonly MadeRun[]): FakeExecution[] =>
  toExecutions(runs).toSorted((a, b) => Number(b.id) - Number(a.id));

/** The same for executions that link to each other. */
export const sentBy = (all: readonly Made[]): FakeExecution[] =>
  all
    .toSorted((a, b) => b.id - a.id)
    .map((one) => toN8n(one, (id) => all.find((each) => each.id === id)?.workflowId));

/** The run after n8n has found it crashed. */
export const crashed = (made: MadeRun): MadeRun => ({
  ...made,
  status: "crashed",
  facts: { ...made.facts, stoppedAt: iso(NOW + 1_000) },
});

/** By default, a webhook that succeeded an hour ago. */
export const madeOf = (id: number, facts: Partial<Made>): Made => ({
  ...{ id, workflowId: "caller", name: "Workflow caller", mode: "webhook", status: "success" },
  ...{ startedAt: NOW - HOUR, stoppedAt: NOW - HOUR + 500, fault: null, isByHand: false, retryOf: null },
  ...{ parentId: null, childId: null, items: 1, isCaught: false },
  ...facts,
});

interface MadeWorkflow {
  readonly id: string;
}

/** By default, a published workflow without nodes. */
export const workflowOf = (id: string, more: object = {}): MadeWorkflow => ({
  ...{ id, name: `Workflow ${id}`, active: true, isArchived: false },
  ...{ createdAt: "2025-01-01T00:00:00.000Z", updatedAt: "2025-01-01T00:00:00.000Z", versionId: "v1" },
  ...{ nodes: [], connections: {}, settings: {}, tags: [] },
  ...more,
});

/** A published workflow with this schedule. */
export const scheduledBy = (expression: string, more: object = {}): MadeWorkflow =>
  workflowOf("report", {
    settings: { timezone: "UTC" },
    nodes: [
      {
        ...{ id: "1", name: "Schedule", type: "n8n-nodes-base.scheduleTrigger", typeVersion: 1.2 },
        position: [0, 0],
        parameters: { rule: { interval: [{ field: "cronExpression", expression }] } },
      },
    ],
    ...more,
  });

/** Answers requests for workflows: the list has these, and any other workflow comes from `other`. */
export function workflowsOf(
  listed: readonly MadeWorkflow[] = [],
  other: (id: string) => MadeWorkflow = workflowOf,
) {
  return (url: URL): Response | undefined => {
    const [found, id] = /\/workflows(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    if (found === undefined) return undefined;
    if (id === undefined) return jsonAnswer({ data: listed, nextCursor: null });
    return jsonAnswer(listed.find((each) => each.id === id) ?? other(id));
  };
}

export function knownN8n(executions: readonly FakeExecution[], more: Partial<CallerOptions> = {}) {
  const n8n = createFakeN8n(executions);
  n8n.intercept = workflowsOf();
  const clock = { time: NOW };
  const caller = createCaller({ fetch: n8n.fetch, now: () => clock.time, ...more });
  const ask = async (tool: string, args: object = {}): Promise<Envelope> =>
    await caller.call(tool, { timeBudgetMs, ...args });
  return {
    ...{ n8n, clock },
    /** Reads all executions, as the index's own alarm would. */
    learn: async () => await ask("trace_request", { requestId: "of-nobody" }),
    digest: async (args: object = {}) => await ask("summarize_failures", args),
    query: async (args: object = {}) => await ask("query_executions", args),
    ask,
  };
}

const found = z.array(z.looseObject({ workflowId: z.string(), kind: z.string() }));
const digest = z.looseObject({
  groups: z.array(z.looseObject({ group: z.string(), workflowId: z.string(), count: z.number() })),
  ...{ silent: found, hanging: found, unusual: found },
  incidents: z.array(z.looseObject({ kind: z.string() })),
  failedLater: z.array(z.looseObject({ workflowId: z.string() })).default([]),
  unhandled: z.array(z.looseObject({ workflowId: z.string() })).default([]),
  nextOffset: z.number().optional(),
  notShown: z.looseObject({ groups: z.number().default(0) }).default({ groups: 0 }),
});

/** The data of a digest. */
export function digestIn(envelope: Envelope) {
  expect(envelope.status, JSON.stringify(envelope)).toBe("success");
  return digest.parse(envelope.data);
}

const counted = z.looseObject({ count: z.number() });
const query = z.looseObject({
  totals: z.looseObject({ count: z.number(), before: z.looseObject({ count: z.number() }).optional() }),
  groups: z.array(counted),
  coverage: z.looseObject({ knownSince: z.string().nullable() }).optional(),
});

/** The data of a query. */
export function countedIn(envelope: Envelope) {
  expect(envelope.status, JSON.stringify(envelope)).toBe("success");
  return query.parse(envelope.data);
}
