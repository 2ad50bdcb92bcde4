/** `summarize_failures` reports each incident of an n8n in one line, and whether it is over. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { describeIncidents } from "../../../src/features/failure-digest/incident-answer.ts";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { renderAnswer } from "../../../src/mcp/rendering/render-answer.ts";
import { createN8nUrls } from "../../../src/n8n/n8n-urls.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, jsonAnswer } from "../../support/fake-n8n.ts";
import { countTokens } from "../../support/token-counts.ts";
import { HOUR, NOW } from "./known-n8n.ts";
import { DAY, every, type MadeRun, toExecutions } from "./troubles.ts";

const MINUTE = 60_000;
const ALL = ["n8n:read", "n8n:data"];

interface MadeWorkflow {
  readonly id: string;
  readonly active?: boolean;
  readonly nodes?: readonly unknown[];
  readonly settings?: object;
  readonly activeVersion?: object;
}

const published = (id: string, nodes: readonly unknown[] = [], more: object = {}): MadeWorkflow => ({
  ...{ id, active: true, nodes, settings: { timezone: "Europe/Berlin" } },
  activeVersion: {
    ...{ versionId: "v", nodes, connections: {}, createdAt: "2026-10-01T00:00:00.000Z" },
    workflowPublishHistory: [{ event: "activated", createdAt: "2026-10-01T00:00:00.000Z", userId: "u" }],
  },
  ...more,
});
const weekly = (triggerAtHour: number) => ({
  ...{ name: "Clock", type: "n8n-nodes-base.scheduleTrigger" },
  parameters: { rule: { interval: [{ field: "weeks", triggerAtDay: [1], triggerAtHour }] } },
});

/** @param workflows all workflows of n8n; the published ones are listed */
function n8nOf(runs: readonly MadeRun[], workflows: readonly MadeWorkflow[]): FakeN8n {
  const n8n = createFakeN8n(toExecutions(runs));
  const whole = workflows.map((each) => ({
    name: `Workflow ${each.id}`,
    nodes: [],
    connections: {},
    ...each,
  }));
  n8n.intercept = (url) => {
    const found = /\/workflows(?:\/([^/]+))?$/.exec(url.pathname);
    if (found === null) return undefined;
    const [, id] = found;
    if (id === undefined) return jsonAnswer({ data: whole.filter(({ active }) => active), nextCursor: null });
    const one = whole.find((each) => each.id === id);
    return one === undefined ? Response.json({ message: "Not Found" }, { status: 404 }) : jsonAnswer(one);
  };
  return n8n;
}

async function ask(n8n: FakeN8n, args: object = {}, now = NOW, scopes = ALL): Promise<Envelope> {
  const caller = createCaller({ fetch: n8n.fetch, now: () => now, scopes });
  await caller.call("trace_request", { requestId: "of-nobody", timeBudgetMs: 55_000 });
  return await caller.call("summarize_failures", { timeBudgetMs: 55_000, ...args });
}

const digest = z.looseObject({
  incidents: z.array(z.looseObject({ kind: z.string(), says: z.string(), state: z.string() })),
  silent: z.array(z.looseObject({ workflowId: z.string(), dueAt: z.string().optional() })),
  groups: z.array(z.looseObject({ group: z.string(), state: z.string() })),
});
const answerIn = (answer: Envelope) => digest.parse(answer.data);
const kindsIn = (answer: Envelope): string[] => answerIn(answer).incidents.map(({ kind }) => kind);

const hook = (workflowId: string, startedAt: number, more: Partial<MadeRun> = {}): MadeRun => ({
  ...{ workflowId, mode: "webhook", startedAt, durationMs: 400 },
  ...more,
});
const well = (workflowId: string, until = NOW - MINUTE): MadeRun[] =>
  every(NOW - 9 * DAY, until, HOUR, (at) => hook(workflowId, at));

const refused = (host: string) => ({
  name: "NodeApiError",
  message: "The service refused the connection - perhaps it is offline",
  ...{ context: { request: { uri: `https://${host}/orders?secret=1` } }, node: { name: "Call" } },
});
const down = (workflowId: string, startedAt: number, host = "api.example.com"): MadeRun =>
  hook(workflowId, startedAt, {
    status: "error",
    facts: { data: { resultData: { runData: {}, error: refused(host), lastNodeExecuted: "Call" } } },
  });
const SHOPS = ["north", "south", "east", "west", "centre"];
const outage = SHOPS.flatMap((id, index) => [
  ...well(id, NOW - 2 * HOUR),
  ...[1, 2, 3].map((times) => down(id, NOW - 2 * HOUR + (times * 30 + index) * MINUTE)),
]);

describe("a service that is down for five workflows", () => {
  const n8n = () =>
    n8nOf(
      outage,
      SHOPS.map((id) => published(id)),
    );

  test("is one line, and its host is shown to callers who may see errors", async () => {
    const answer = await ask(n8n());
    expect(answerIn(answer).incidents).toMatchObject([
      { kind: "shared_cause", state: "goes_on", workflows: 5, executions: 15, host: "api.example.com" },
    ]);
    expect(answer.message).toContain(
      "15 executions of 5 workflows failed with NodeApiError at one host, from 2026-11-18T13:30:00.000Z to 2026-11-18T14:34:00.000Z; goes on",
    );
    expect(JSON.stringify(answer)).not.toContain("secret=1");
  });

  test("is reported without its host to other callers", async () => {
    const answer = await ask(n8n(), {}, NOW, ["n8n:read"]);
    expect(JSON.stringify(answer)).not.toContain("api.example.com");
  });
});

test("a crash of n8n is one line, with the executions it cut off", async () => {
  const crash = (id: string): MadeRun =>
    hook(id, NOW - 3 * HOUR, {
      ...{ status: "crashed", durationMs: 90_000 },
      facts: { data: { version: 1, resultData: { runData: {} } } },
    });
  const runs = [...well("a"), ...well("b", NOW - 4 * HOUR), crash("a"), crash("b")];
  const answer = await ask(n8nOf(runs, [published("a"), published("b")]));
  expect(answerIn(answer).incidents).toMatchObject([
    { kind: "crash", state: "over", executions: 2, workflows: 2, lastAt: "2026-11-18T12:01:30.000Z" },
  ]);
  expect(answer.message).toContain("n8n or a worker crashed and cut off 2 executions of 2 workflows");
});

describe("a workflow that is no longer published", () => {
  const crashes = [1, 2, 3].map((hours) =>
    hook("gone", NOW - hours * HOUR, { status: "crashed", facts: { data: { version: 1, resultData: {} } } }),
  );
  test.each([
    ["unpublished by somebody", { id: "gone", active: false }, [], "was unpublished, after its last run"],
    ["archived", { id: "gone", active: false, isArchived: true }, [], "was archived, after"],
    ["deleted", { id: "other", active: false }, [], "was deleted, after"],
    [
      "unpublished after crashes",
      { id: "gone", active: false },
      crashes,
      "probably by n8n, since its last runs crashed",
    ],
  ])("is reported if it was %s, but a published one is not", async (_how, workflow, more, words) => {
    const runs = [...well("stays"), ...well("gone", NOW - 4 * HOUR), ...more];
    const answer = await ask(n8nOf(runs, [published("stays"), workflow]));
    expect(kindsIn(answer).filter((kind) => kind !== "crash")).toEqual(["unpublished"]);
    expect(answer.message).toContain(`"Workflow gone" `);
    expect(answer.message).toContain(words);
  });

  test("is not reported where n8n's list has more pages", async () => {
    const n8n = n8nOf([...well("stays"), ...well("gone", NOW - 4 * HOUR)], [published("stays")]);
    const { intercept } = n8n;
    n8n.intercept = (url) =>
      url.pathname.endsWith("/workflows")
        ? jsonAnswer({ data: [{ ...published("stays"), name: "S", connections: {} }], nextCursor: "more" })
        : intercept(url);
    expect(kindsIn(await ask(n8n))).toEqual([]);
  });
});

test("a schedule that was tried out but never published is reported, but no other draft", async () => {
  const byHand = (id: string): MadeRun => ({ ...hook(id, NOW - 2 * HOUR), mode: "manual" });
  const answer = await ask(
    n8nOf(
      [...well("a"), byHand("draft"), byHand("plain")],
      [
        published("a"),
        { id: "draft", active: false, nodes: [weekly(9)] },
        { id: "plain", active: false, nodes: [] },
      ],
    ),
  );
  expect(answerIn(answer).incidents).toMatchObject([
    { kind: "not_published", workflowNames: ["Workflow draft"] },
  ]);
  expect(answer.message).toContain(
    '"Workflow draft" has a schedule but is not published; it was run by hand',
  );
});

describe("a weekly schedule", () => {
  /** Mondays at nine in Berlin; the third week has no run. */
  const mondays = [2, 9].map(
    (day): MadeRun => ({
      ...{ workflowId: "report", mode: "trigger", durationMs: 900 },
      startedAt: Date.UTC(2026, 10, day, 8, 0, 31),
    }),
  );
  const due = Date.UTC(2026, 10, 16, 8, 0, 31);
  const asked = async (now: number, workflow = published("report", [weekly(9)]), runs = mondays) =>
    answerIn(await ask(n8nOf([...runs, ...well("a", now)], [published("a"), workflow]), {}, now)).silent;

  test("is silent from its first missed run on", async () => {
    expect(await asked(due + 9 * MINUTE)).toEqual([]);
    expect(await asked(due + 11 * MINUTE)).toMatchObject([
      {
        workflowId: "report",
        kind: "schedule",
        dueAt: new Date(due).toISOString(),
        isPublished: true,
        expectedRuns: 1,
      },
    ]);
  });

  test("may be monthly, and silent without a run for two weeks", async () => {
    const monthly = {
      ...weekly(9),
      parameters: { rule: { interval: [{ field: "months", triggerAtDayOfMonth: 18, triggerAtHour: 9 }] } },
    };
    const last = Date.UTC(2026, 9, 18, 7, 0, 31);
    const runs = [last, Date.UTC(2026, 8, 18, 7, 0, 31)].map(
      (startedAt): MadeRun => ({ workflowId: "report", mode: "trigger", durationMs: 900, startedAt }),
    );
    const workflow = published("report", [monthly]);
    expect(await asked(Date.UTC(2026, 10, 18, 7, 55), workflow, runs)).toEqual([]);
    expect(await asked(Date.UTC(2026, 10, 18, 9), workflow, runs)).toMatchObject([
      { workflowId: "report", workflowName: "Workflow report", lastStartedAt: new Date(last).toISOString() },
    ]);
    const n8n = n8nOf([...runs, ...well("a")], [published("a"), workflow]);
    expect((await ask(n8n, { workflowId: "report" })).message).toMatch(/It ran last at 2026-10-18T07:00:31/);
  });

  test("is not silent where it is disabled, or where successes are not saved", async () => {
    expect(await asked(NOW, published("report", [{ ...weekly(9), disabled: true }]))).toEqual([]);
    const settings = { timezone: "Europe/Berlin", saveDataSuccessExecution: "none" };
    expect(await asked(NOW, published("report", [weekly(9)], { settings }))).toEqual([]);
    const called = every(NOW - 9 * DAY, NOW - 6 * HOUR, HOUR / 4, (at) => hook("report", at));
    expect(await asked(NOW, published("report"), called)).toMatchObject([{ kind: "webhook" }]);
    expect(await asked(NOW, published("report", [], { settings }), called)).toEqual([]);
  });

  test("is expected by its new rule from the time of an edit on", async () => {
    const now = published("report", [weekly(14)]);
    const edited = (createdAt: string) => ({ ...now, activeVersion: { ...now.activeVersion, createdAt } });
    expect(await asked(NOW, edited("2026-11-16T14:00:00.000Z"))).toEqual([]);
    expect(await asked(NOW, edited("2026-11-16T10:00:00.000Z"))).toMatchObject([
      { workflowId: "report", dueAt: "2026-11-16T13:00:00.000Z" },
    ]);
  });

  test("with a pattern that only n8n can read is compared with its past", async () => {
    const odd = {
      ...weekly(9),
      parameters: { rule: { interval: [{ field: "cronExpression", expression: "*/90 * * * *" }] } },
    };
    const hourly = every(NOW - 9 * DAY, NOW - 10 * HOUR, HOUR, (at) => ({
      ...hook("report", at),
      mode: "trigger",
    }));
    expect(await asked(NOW, published("report", [odd]), hourly)).toMatchObject([{ kind: "schedule" }]);
  });

  test("is not expected while it was unpublished", async () => {
    const now = published("report", [weekly(9)]);
    const again = (createdAt: string) => ({
      ...now,
      activeVersion: {
        ...now.activeVersion,
        workflowPublishHistory: [
          { event: "activated", createdAt },
          { event: "deactivated", createdAt: "2026-11-15T00:00:00.000Z" },
          { event: "activated", createdAt: "2026-10-01T00:00:00.000Z" },
        ],
      },
    });
    expect(await asked(NOW, again("2026-11-17T10:00:00.000Z"))).toEqual([]);
    expect(await asked(NOW, again("2026-11-15T10:00:00.000Z"))).toHaveLength(1);
  });
});

describe("a failure", () => {
  const failure = { node: "Tax", name: "NodeApiError", message: "Not now", httpCode: "503" };
  const fails = (at: number): MadeRun => hook("tax", at, { status: "error", error: failure });
  const passes = (at: number, isThrough: boolean): MadeRun =>
    hook("tax", at, {
      facts: {
        ...{ workflowVersionId: "22222222-0000", workflowData: { name: "Workflow tax", nodes } },
        ...(isThrough ? through : {}),
      },
    });
  const nodes = [{ name: "Tax", type: "n8n-nodes-base.httpRequest" }];
  const through = {
    data: {
      resultData: { runData: { Tax: [{ startTime: 1, executionTime: 1, executionStatus: "success" }] } },
    },
  };
  const failing = [5, 4, 3].map((hours) => ({
    ...fails(NOW - hours * HOUR),
    facts: { workflowVersionId: "11111111-0000" },
  }));
  const about = { workflowName: "Workflow tax" };
  const asked = async (runs: readonly MadeRun[], args: object = about) => {
    const n8n = n8nOf(runs, [published("tax")]);
    const { intercept } = n8n;
    n8n.intercept = (url) => {
      if (url.pathname.endsWith("/workflows") && url.searchParams.has("name"))
        return jsonAnswer({
          data: [
            { ...published("tax"), name: "Workflow tax", createdAt: "2026-01-01", updatedAt: "2026-01-01" },
          ],
          nextCursor: null,
        });
      return intercept(url);
    };
    return await ask(n8n, args);
  };

  test("is over after successes through the node, with another version", async () => {
    const answer = await asked([...failing, passes(NOW - HOUR, true), passes(NOW - 2 * HOUR, false)]);
    expect(answer.message).toContain(
      "None since 2026-11-18T12:00:00.000Z: over, 2 successes since; 1 of the 2 newest ran the node that had failed; they ran another version (22222222).",
    );
    expect(answerIn(answer).groups).toMatchObject([{ state: "over", succeededSince: 2, edited: true }]);
    expect(countTokens(renderAnswer(answer))).toBeLessThanOrEqual(1_200);
  });

  test("continues or is unknown if nothing ran since", async () => {
    const answer = await asked([...failing]);
    expect(answer.message).toContain("goes on.");
    const began = [...well("tax", NOW - 30 * HOUR), ...every(NOW - 30 * HOUR, NOW, HOUR, fails)];
    expect((await asked(began)).message).toContain(
      "None since 2026-11-18T14:00:00.000Z: goes on, last success at 2026-11-17T08:00:00.000Z.",
    );
    const later = await asked([5, 4.9, 4.8].map((hours) => fails(NOW - hours * HOUR)));
    expect(later.message).toContain("not known yet whether it is over: nothing ran since");
  });

  test('is "too early" to judge where it failed only sometimes', async () => {
    const often = every(NOW - 20 * HOUR, NOW - 3 * HOUR, HOUR / 2, (at) => passes(at, true));
    const answer = await asked([...often, ...failing, passes(NOW - HOUR, true)]);
    expect(answerIn(answer).groups).toMatchObject([{ state: "too_early", succeededSince: 1 }]);
  });

  test("is unknown if the successes took another branch, unless the node was renamed", async () => {
    const since = [passes(NOW - HOUR, false), passes(NOW - 2 * HOUR, false)];
    const answer = await asked([...failing, ...since]);
    expect(answer.message).toContain(
      "not known yet whether it is over: 2 successes since; 0 of the 2 newest ran the node that had failed",
    );
    expect(answerIn(answer).groups).toMatchObject([{ state: "unknown" }]);
    expect((await asked([...failing, ...since], { ...about, hours: 2 })).message).toContain(
      'at node "Tax": not known yet whether it is over: 2 successes since; 0 of the 2',
    );
    const renamed = { workflowData: { name: "Workflow tax", nodes: [{ ...nodes[0], name: "Taxes" }] } };
    const others = since.map((each) => ({ ...each, facts: { ...each.facts, ...renamed } }));
    expect((await asked([...failing, ...others])).message).toContain("over, 2 successes since; they ran");
  });

  test('is "too early" to judge where it failed once in days', async () => {
    const answer = await asked([
      ...well("tax", NOW - 3 * HOUR),
      fails(NOW - 2 * HOUR),
      passes(NOW - HOUR, true),
    ]);
    expect(answerIn(answer).groups).toMatchObject([{ state: "too_early", succeededSince: 1 }]);
  });

  test("is reported with the time before which n8n has deleted the former window", async () => {
    const of = "1 kind of failure in 1 workflow (3 executions; 0 of these kinds in the window before";
    expect((await asked(failing)).message).toContain(
      `${of}, of which nothing is known from before 2026-11-18T10:00:00.000Z)`,
    );
    expect((await asked([...failing, ...well("a")])).message).toContain(`${of})`);
  });

  test("continues if one of two workflows still fails", async () => {
    const other = (at: number) => ({ ...fails(at), workflowId: "vat" });
    const runs = [...failing, ...every(NOW - 2 * HOUR, NOW, HOUR / 10, (at) => passes(at, true))];
    const still = [4, 3, 2, 1].map((hours) => other(NOW - hours * HOUR - MINUTE));
    expect(answerIn(await asked([...runs, ...still], {})).groups).toMatchObject([
      { workflows: 2, state: "goes_on" },
    ]);
  });

  test("before the window is reported with the successes since", async () => {
    const answer = await asked([...failing, passes(NOW - HOUR, true)], { ...about, hours: 2 });
    expect(answer.message).toContain(
      'It failed last at 2026-11-18T12:00:00.000Z at node "Tax": over, 1 success since; 1 of the 1 newest ran the node that had failed; they ran another version (22222222).',
    );
    expect(answerIn(answer).groups).toEqual([]);
  });

  test("is reported in a group's details, too", async () => {
    const [group] = answerIn(await asked([...failing, passes(NOW - HOUR, true)])).groups;
    const answer = await asked([...failing, passes(NOW - HOUR, true)], { group: group?.group });
    expect(answer.message).toContain("None since 2026-11-18T12:00:00.000Z: over, 1 success since");
  });
});

test("a queue is stuck only as far as n8n was looked at", () => {
  const urls = createN8nUrls({ baseUrl: "http://localhost:1", editorUrl: "http://localhost:1" });
  const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();
  const queue = {
    ...{ length: 2, unread: 0, isAtLeast: false },
    ...{ oldestSince: at(-5), lastBegunAt: at(-5) },
  };
  const incidentsSeen = (seenAt: string) =>
    describeIncidents(
      { incidents: [], unpublished: [], queue: { ...queue, seenAt }, hosts: new Map(), names: {} },
      urls,
    );
  expect(incidentsSeen(at(0))).toEqual([]);
  expect(incidentsSeen(at(120))).toMatchObject([{ kind: "queue", executions: 2 }]);
});

test("an answer with an incident of each kind is small", async () => {
  const crash = hook("c", NOW - 5 * HOUR, {
    status: "crashed",
    facts: { data: { version: 1, resultData: {} } },
  });
  const runs = [...outage, ...well("c"), ...well("gone", NOW - 4 * HOUR), crash];
  const answer = await ask(
    n8nOf(
      runs,
      [...SHOPS, "c"].map((id) => published(id)),
    ),
  );
  expect(kindsIn(answer)).toEqual(["shared_cause", "crash", "unpublished"]);
  expect(countTokens(renderAnswer(answer))).toBeLessThanOrEqual(2_000);
});
