/** `summarize_failures` over an n8n with known problems. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { RunRows } from "../../../src/history/digest/run-rows.ts";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { renderAnswer } from "../../../src/mcp/rendering/render-answer.ts";
import { type Caller, createCaller, FAKE_SETTINGS } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, jsonAnswer } from "../../support/fake-n8n.ts";
import { countTokens } from "../../support/token-counts.ts";
import { NOW } from "./known-n8n.ts";
import { DAY, toExecutions, troubledDay } from "./troubles.ts";

const data = z.looseObject({
  groups: z.array(
    z.looseObject({ group: z.string(), count: z.number(), before: z.number(), nodeName: z.string() }),
  ),
  silent: z.array(z.looseObject({ workflowId: z.string(), kind: z.string() })),
  hanging: z.array(z.looseObject({ workflowId: z.string(), kind: z.string() })),
  unusual: z.array(z.looseObject({ workflowId: z.string(), kind: z.string() })),
});

const incidentsIn = z.looseObject({
  silent: z.array(z.unknown()),
  incidents: z.array(z.looseObject({ kind: z.string(), workflowNames: z.array(z.string()).optional() })),
});

interface Asked {
  readonly caller: Caller;
  readonly n8n: FakeN8n;
}

/** @param settings the settings of a workflow, by its id; undefined for a deleted one */
function ask(settings: (id: string) => object | undefined = () => ({})): Asked {
  const n8n = createFakeN8n(toExecutions(troubledDay(NOW)));
  n8n.intercept = (url) => {
    const [, id] = /\/workflows\/([^/]+)$/.exec(url.pathname) ?? [];
    if (id === undefined) return undefined;
    const own = settings(id);
    if (own === undefined) return Response.json({ message: "Not Found" }, { status: 404 });
    const isActive = id !== "unpublished";
    return jsonAnswer({
      id,
      name: `Workflow ${id}`,
      active: isActive,
      nodes: [],
      connections: {},
      settings: own,
    });
  };
  return { caller: createCaller({ fetch: n8n.fetch, now: () => NOW }), n8n };
}

describe("a day on which eight things went wrong", () => {
  let asked: Asked;
  let answer: Envelope;
  beforeAll(async () => {
    asked = ask();
    answer = await asked.caller.call("summarize_failures", { timeBudgetMs: 55_000 });
  });

  test("is reported by one call with all eight", () => {
    expect(answer.status, JSON.stringify(answer)).toBe("success");
    const found = data.parse(answer.data);
    expect(found.groups.map(({ count, nodeName }) => [nodeName, count]).toSorted()).toEqual([
      ["Charge card", 20],
      ["Charge card", 20],
      ["Notify", 20],
      ["Read order", 20],
      ["Store", 20],
    ]);
    expect(found.silent).toMatchObject([{ workflowId: "schedule", kind: "schedule" }]);
    expect(found.hanging).toMatchObject([{ workflowId: "hung", kind: "running" }]);
    expect(found.unusual).toMatchObject([{ workflowId: "empty", kind: "empty" }]);
    expect(answer.message).toBe(
      `From ${new Date(NOW - DAY).toISOString()} to ${new Date(NOW).toISOString()}: 5 kinds of failure in 3 workflows (100 executions; 0 of these kinds in the window before); 1 schedule is silent ("Workflow schedule"); 1 execution hangs ("Workflow hung"); 1 workflow succeeded but did next to nothing ("Workflow empty"). In total: 286 runs of 6 workflows. Whether an execution from before 2026-11-16T15:00:00.000Z hangs is not known yet.`,
    );
  });

  test("is reported within the token budget", () => {
    expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(3_000);
    expect(answer.meta).not.toHaveProperty("leftOut");
  });

  test("has a group whose executions can be requested", async () => {
    const [first] = data.parse(answer.data).groups;
    const details = await asked.caller.call("summarize_failures", { group: first?.group });
    const { executions } = z
      .looseObject({ executions: z.array(z.looseObject({ id: z.string(), url: z.string() })) })
      .parse(details.data);
    expect(executions.length).toBe(20);
    expect(new Set(executions.map(({ id }) => id)).size).toBe(20);
  });
});

const groupsOf = async (said: readonly string[], scopes: string[], settings = FAKE_SETTINGS) => {
  const runs = said.map((message, index) => ({
    ...{ workflowId: "w1", mode: "webhook", status: "error", startedAt: NOW - (index + 1) * 60_000 },
    ...{ durationMs: 5, error: { node: "Find", name: "NodeApiError", message, httpCode: "404" } },
  }));
  const n8n = createFakeN8n(toExecutions(runs));
  const caller = createCaller({ settings, fetch: n8n.fetch, now: () => NOW, scopes });
  const answer = await caller.call("summarize_failures", {});
  return { answer, counts: data.parse(answer.data).groups.map(({ count }) => count) };
};
const [OWN, SAME, OTHER] = ["Jane", "Jane", "John"].map((name) => `There is no patient ${name} here`);

test("the text of an error separates failures only for callers who may see it", async () => {
  const all = ["n8n:read", "n8n:data"];
  const read = ["n8n:read"];
  expect((await groupsOf([OWN ?? "", SAME ?? ""], all)).counts).toEqual([2]);
  expect((await groupsOf([OWN ?? "", OTHER ?? ""], all)).counts).toEqual([1, 1]);
  const shown = { ...FAKE_SETTINGS, ERROR_TEXT: "read" };
  expect((await groupsOf([OWN ?? "", OTHER ?? ""], read, shown)).counts).toEqual([1, 1]);
  const ofSame = await groupsOf([OWN ?? "", SAME ?? ""], read);
  expect(ofSame.counts).toEqual([2]);
  expect(await groupsOf([OWN ?? "", OTHER ?? ""], read)).toEqual(ofSame);
});

test("the twenty largest groups fit, and nextOffset leads to the rest", async () => {
  const runs = Array.from({ length: 25 }, (_one, at) => ({
    ...{ workflowId: `w${at}`, mode: "webhook", status: "error", startedAt: NOW - (at + 1) * 60_000 },
    durationMs: 5,
    error: {
      node: `Find ${at}`,
      name: "NodeApiError",
      message: `No ${"abcdefghijklmnopqrstuvwxyz"[at]}${"x".repeat(at)}`,
      httpCode: "404",
    },
  }));
  const n8n = createFakeN8n(toExecutions(runs));
  const caller = createCaller({ fetch: n8n.fetch, now: () => NOW });
  const page = z.looseObject({ groups: z.array(z.unknown()), nextOffset: z.number().optional() });
  const first = await caller.call("summarize_failures", {});
  expect(page.parse(first.data)).toMatchObject({ nextOffset: 20, groups: { length: 20 } });
  expect(first.meta).not.toHaveProperty("leftOut");
  expect(countTokens(renderAnswer(first))).toBeLessThanOrEqual(3_000);
  const rest = page.parse((await caller.call("summarize_failures", { offset: 20 })).data);
  expect(rest.groups).toHaveLength(5);
  expect(rest.nextOffset).toBeUndefined();
});

const unhandled = z.looseObject({
  unhandled: z.array(z.looseObject({ workflowId: z.string(), reason: z.string() })),
});
const reasons = async (errorWorkflow: string | undefined): Promise<readonly string[]> => {
  const { caller } = ask((id) => {
    if (id === "missing") return undefined;
    return id === "w1" ? { errorWorkflow } : {};
  });
  const answer = await caller.call("summarize_failures", { timeBudgetMs: 55_000 });
  return unhandled.parse(answer.data).unhandled.map(({ workflowId, reason }) => `${workflowId} ${reason}`);
};

test.each([
  ["missing", ["w1 missing"]],
  ["unpublished", ["w1 unpublished"]],
  // The runs of a published one may not be saved anywhere.
  ["published", []],
  [undefined, []],
] as const)(
  "an error workflow that should have run is reported if it is %s: %j",
  async (errorWorkflow, expected) => {
    expect(await reasons(errorWorkflow)).toEqual(expected);
  },
);

test("an unpublished schedule is reported while its last run is in the window", async () => {
  const { caller, n8n } = ask();
  const { intercept } = n8n;
  n8n.intercept = (url) =>
    url.pathname.endsWith("/workflows/schedule")
      ? jsonAnswer({ id: "schedule", name: "S", active: false, nodes: [], connections: {}, settings: {} })
      : intercept(url);
  // The index knows all executions.
  await caller.call("trace_request", { requestId: "of-nobody" });
  const found = async (hours: number) => {
    const { data: answer } = await caller.call("summarize_failures", { hours, timeBudgetMs: 55_000 });
    const { silent, incidents } = incidentsIn.parse(answer);
    return {
      silent,
      incidents: incidents.map(({ kind, workflowNames }) => [kind, ...(workflowNames ?? [])]),
    };
  };
  expect(await found(24)).toEqual({ silent: [], incidents: [["unpublished", "Workflow schedule"]] });
  expect(await found(2)).toEqual({ silent: [], incidents: [] });
});

describe("a window", () => {
  test.each([
    [{ hours: 24, startedAfter: "2026-11-17" }, "hours"],
    [{ startedAfter: "2026-11-19" }, "startedAfter"],
    [{ startedAfter: "1970-01-01" }, "startedAfter"],
    [{ startedAfter: "2026-11-17", group: "f-0123456789" }, "group"],
  ])("%j is rejected for its %s", async (args, field) => {
    const answer = await ask().caller.call("summarize_failures", args);
    expect(answer.data).toMatchObject({ code: "VALIDATION_ERROR", details: { field } });
  });

  test("that was not read in time says since when it is known", async () => {
    const { caller, n8n } = ask();
    n8n.intercept = (url) => {
      const isOld = /"lastId":"(\d+)"/.exec(atob(url.searchParams.get("cursor") ?? ""))?.[1];
      return isOld === undefined ? undefined : Response.json({ message: "no" }, { status: 500 });
    };
    const answer = await caller.call("summarize_failures", { hours: 96 });
    expect(answer.data).toMatchObject({ coverage: { stoppedBy: "n8n", error: { code: "N8N_UNREACHABLE" } } });
    expect(answer.message).toContain("the rest was not read in time");
  });

  test("before the oldest execution of n8n is empty", async () => {
    const { caller } = ask();
    await caller.call("summarize_failures", { hours: 480, timeBudgetMs: 55_000 });
    const answer = await caller.call("summarize_failures", {
      ...{ startedAfter: "2026-08-01", startedBefore: "2026-08-02", timeBudgetMs: 55_000 },
    });
    expect(answer.message).toMatch(
      /nothing broke: 0 runs of 0 workflows\. Nothing is known from before 2026-11-\d\dT/,
    );
  });
});

test("a window with more runs than are held says since when they are counted", async () => {
  const cutAt = NOW - DAY / 12;
  const { newest } = RunRows.prototype;
  vi.spyOn(RunRows.prototype, "newest").mockImplementation(async function (this: RunRows, ...asked) {
    return { ...(await newest.apply(this, asked)), cutAt };
  });
  try {
    const { message } = await ask().caller.call("summarize_failures", { timeBudgetMs: 55_000 });
    expect(message).toContain(`workflows since ${new Date(cutAt).toISOString()}, and more before.`);
  } finally {
    vi.restoreAllMocks();
  }
});

test("failures count by the clock of an n8n that is hours ahead", async () => {
  const { n8n } = ask();
  const now = () => NOW - DAY / 2;
  const { data: counted } = await createCaller({ fetch: n8n.fetch, now }).call("summarize_failures", {
    timeBudgetMs: 55_000,
  });
  expect(data.parse(counted).groups.map(({ count }) => count)).toEqual([20, 20, 20, 20, 20]);
});
