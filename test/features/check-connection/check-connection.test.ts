/** The checklist: correct things pass, and wrong ones are named with their solution. */
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { reasonsOf } from "../../../src/features/check-connection/check-connection.ts";
import { TOOLS } from "../../../src/features/index.ts";
import { defineTool } from "../../../src/mcp/define-tool.ts";
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";

const report = z.object({
  ready: z.boolean(),
  capabilities: z.record(z.string(), z.unknown()).nullable(),
  checks: z.array(
    z.object({
      check: z.string(),
      status: z.enum(["pass", "warning", "fail", "skipped"]),
      detail: z.string().min(5),
      solution: z.string().min(10).optional(),
    }),
  ),
});

const n8n = await startRecordedN8n();
beforeEach(() => {
  n8n.faults.clear();
  n8n.requests.length = 0;
});
afterAll(async () => await n8n.close());

type Report = z.infer<typeof report> & { status: (check: string) => string | undefined };

async function check(settings: Record<string, string>, tools = TOOLS): Promise<Report> {
  const data = dataOf(await createCaller({ settings, tools }).call("check_connection"), report);
  for (const line of data.checks) if (line.status !== "pass") expect(line.solution).toBeDefined();
  return { ...data, status: (name) => data.checks.find((line) => line.check === name)?.status };
}

/** An n8n for this test alone. */
async function startOtherN8n(options: Parameters<typeof startRecordedN8n>[0]): Promise<RecordedN8n> {
  const other = await startRecordedN8n(options);
  onTestFinished(async () => await other.close());
  return other;
}

const N8N_LINES = [
  "n8n reachable",
  "key valid",
  "workflows readable",
  "executions readable",
  "key only reads",
  "which n8n",
  "n8n filters by date",
  "n8n lists what has not ended",
  "n8n lists each status",
  "requests carry ids",
  "executions are saved",
  "history index",
];

test("all checks pass with a key that only reads", async () => {
  const { ready, checks } = await check(settingsFor(n8n));
  expect(ready).toBe(true);
  expect(checks.map((line) => line.check)).toEqual(["settings", ...N8N_LINES, "no tool writes"]);
  expect(new Set(checks.map((line) => line.status))).toEqual(new Set(["pass"]));
  expect(n8n.requests.every(({ method }) => method === "GET")).toBe(true);
});

test("the index is reported as empty at first, and as complete after a trace", async () => {
  const caller = createCaller({ settings: settingsFor(n8n) });
  const detail = async (): Promise<string | undefined> => {
    const { checks } = dataOf(await caller.call("check_connection"), report);
    return checks.find((line) => line.check === "history index")?.detail;
  };
  expect(await detail()).toContain("knows nothing yet");
  await caller.call("trace_request", { requestId: "never sent" });
  expect(await detail()).toMatch(
    /^It knows \d\d executions, all that n8n has\. It last checked for new executions at 2/,
  );
});

test("a key that can write is a warning, and still ready", async () => {
  const writing = ["workflow:read", "workflow:list", "execution:read", "execution:list", "workflow:delete"];
  const other = await startOtherN8n({ scopes: writing });
  other.faults.always({ kind: "status", status: 200, body: { data: { scopes: writing } } }, /\/discover/);
  const result = await check(settingsFor(other));
  expect(result.ready).toBe(true);
  expect(result.status("key only reads")).toBe("warning");
  const line = result.checks.find(({ check: name }) => name === "key only reads");
  expect(line?.detail).toContain("workflow:delete");
  expect(line?.detail).not.toContain("workflow:list");
});

test("a wrong key is reported once, by an n8n that is reachable", async () => {
  const result = await check({ ...settingsFor(n8n), N8N_API_KEY: "another-key-than-this" });
  expect(result.ready).toBe(false);
  expect(result.status("n8n reachable")).toBe("pass");
  expect(result.status("key valid")).toBe("fail");
  expect(result.checks.map((line) => line.check)).toEqual([
    "settings",
    "n8n reachable",
    "key valid",
    "no tool writes",
  ]);
  expect(JSON.stringify(result)).not.toContain("another-key-than-this");
});

test.each([
  ["workflow:list", "workflows readable"],
  ["execution:list", "executions readable"],
  ["execution:read", "executions readable"],
])("a key without %s fails its check", async (scope, line) => {
  const scopes = ["workflow:read", "workflow:list", "execution:read", "execution:list"].filter(
    (each) => each !== scope,
  );
  const other = await startOtherN8n({ scopes });
  const result = await check(settingsFor(other));
  expect(result.ready).toBe(false);
  expect(result.status("key valid")).toBe("pass");
  expect(result.status(line)).toBe("fail");
  expect(result.checks.find((each) => each.check === line)?.solution).toContain(scope);
});

test("an unreachable n8n is reported once, not six times", async () => {
  const result = await check({ ...settingsFor(n8n), N8N_BASE_URL: "http://127.0.0.1:1" });
  expect(result.ready).toBe(false);
  expect(result.status("n8n reachable")).toBe("fail");
  expect(result.checks.map((line) => line.check)).toEqual(["settings", "n8n reachable", "no tool writes"]);
});

test("a check that was only skipped is no reason where another one failed", () => {
  const line = (check: string, status: "pass" | "fail" | "skipped") => ({ check, status, detail: "x" });
  const skipped = line("key only reads", "skipped");
  expect(reasonsOf([line("a", "pass"), line("executions readable", "fail"), skipped])).toBe(
    "executions readable",
  );
  expect(reasonsOf([line("a", "pass"), skipped])).toBe("key only reads");
});

test.each([
  ["HTML", { kind: "html" } as const],
  ["500", { kind: "status", status: 500 } as const],
  ["a redirect", { kind: "redirect", to: "https://login.test/" } as const],
  ["broken JSON", { kind: "broken-json" } as const],
])("an n8n that answers with %s is not reachable", async (_name, fault) => {
  n8n.faults.always(fault);
  const result = await check(settingsFor(n8n));
  expect(result).toMatchObject({ ready: false });
  expect(result.status("n8n reachable")).toBe("fail");
});

describe("settings", () => {
  test("are each named if missing", async () => {
    const result = await check({});
    expect(result.ready).toBe(false);
    expect(result.status("setting N8N_BASE_URL")).toBe("fail");
    expect(result.status("n8n reachable")).toBe("skipped");
  });

  test("fail without a key", async () => {
    const result = await check({ N8N_BASE_URL: n8n.baseUrl });
    expect(result.status("setting N8N_API_KEY")).toBe("fail");
    expect(result.ready).toBe(false);
  });

  test("unrelated to n8n do not hide n8n's checks", async () => {
    const result = await check({ ...settingsFor(n8n), SERVICE_TOKENS: "nonsense", REQUEST_ID_PATHS: "." });
    expect(result.status("setting SERVICE_TOKENS")).toBe("fail");
    expect(result.status("setting REQUEST_ID_PATHS")).toBe("fail");
    expect(result.status("executions readable")).toBe("pass");
    expect(result.ready).toBe(false);
  });
});

describe("an n8n that", () => {
  test("refuses date filters is a warning", async () => {
    n8n.faults.always({ kind: "status", status: 400 }, /startedAfter=/);
    const result = await check(settingsFor(n8n));
    expect(result).toMatchObject({ ready: true });
    expect(result.status("n8n filters by date")).toBe("warning");
  });

  test("ignores date filters is a warning", async () => {
    const unfiltered = await fetch(`${n8n.baseUrl}/api/v1/executions?limit=1`, {
      headers: { "X-N8N-API-KEY": n8n.apiKey },
    });
    n8n.faults.always({ kind: "status", status: 200, body: await unfiltered.text() }, /startedAfter=/);
    expect((await check(settingsFor(n8n))).status("n8n filters by date")).toBe("warning");
  });

  test("does not reveal a key's scopes is no failure", async () => {
    n8n.faults.always({ kind: "status", status: 404 }, /discover/);
    const result = await check(settingsFor(n8n));
    expect(result).toMatchObject({ ready: true });
    expect(result.status("key only reads")).toBe("skipped");
  });

  test("has no execution yet is ready", async () => {
    n8n.faults.always({ kind: "status", status: 200, body: { data: [], nextCursor: null } }, /executions/);
    expect(await check(settingsFor(n8n))).toMatchObject({ ready: true });
  });
});

describe("a slow n8n", () => {
  /** The report, and how long it took, if each request takes so long. */
  async function checkSlow(secondsARequest: number) {
    let now = Date.UTC(2026, 0, 1);
    const begun = now;
    const slow: typeof fetch = async (url, init) => {
      now += secondsARequest * 1_000;
      return await fetch(url, init);
    };
    const capabilities = createLocalCapabilities();
    const caller = createCaller({ settings: settingsFor(n8n), fetch: slow, now: () => now, capabilities });
    const data = dataOf(await caller.call("check_connection"), report);
    const late = data.checks.find(({ check: name }) => name === "n8n answers in time");
    return { ...data, seconds: (now - begun) / 1_000, late };
  }

  test("is asked until a client's patience ends, and the rest is reported as unchecked", async () => {
    const { seconds, ready, late, checks } = await checkSlow(10);
    expect(seconds).toBeLessThan(55);
    expect(ready).toBe(false);
    expect(late).toMatchObject({ status: "fail" });
    expect(checks.map((line) => line.check)).toContain("workflows readable");
  });

  test("is asked all that matters if it is only a little slow", async () => {
    const { seconds, ready, late, capabilities } = await checkSlow(4);
    expect(seconds).toBeLessThan(55);
    expect(ready).toBe(true);
    expect(late).toMatchObject({ status: "warning" });
    expect(capabilities).toMatchObject({ statuses: expect.any(Array), filtersDates: null });
  });
});

describe("the checks of n8n's data", () => {
  const lineOf = ({ checks }: Report, name: string) => checks.find((line) => line.check === name);

  test("report the place of request ids, not their values", async () => {
    const line = lineOf(await check(settingsFor(n8n)), "requests carry ids");
    expect(line).toMatchObject({ status: "pass" });
    expect(line?.detail).toMatch(
      /^\d of the 3 executions that were read carry a request id, at [\w.,* -]+\.$/,
    );
    expect(line?.detail).not.toContain("req-");
  });

  test("warn if no request id is at the configured paths, and are still ready", async () => {
    const result = await check({ ...settingsFor(n8n), REQUEST_ID_PATHS: "headers.x-of-nobody" });
    expect(result.ready).toBe(true);
    expect(lineOf(result, "requests carry ids")).toMatchObject({ status: "warning" });
    expect(lineOf(result, "requests carry ids")?.solution).toContain("REQUEST_ID_PATHS");
  });

  test("warn of a published workflow whose executions are not saved, by name", async () => {
    const workflow = {
      id: "w1",
      name: "Orders, unsaved",
      active: true,
      createdAt: "2026-11-01T00:00:00.000Z",
      updatedAt: "2026-11-01T00:00:00.000Z",
      nodes: [],
      connections: {},
      settings: { saveDataSuccessExecution: "none" },
      tags: [],
    };
    n8n.faults.always(
      { kind: "status", status: 200, body: { data: [workflow], nextCursor: null } },
      /workflows\?/,
    );
    const result = await check(settingsFor(n8n));
    expect(result.ready).toBe(true);
    expect(lineOf(result, "executions are saved")).toMatchObject({ status: "warning" });
    expect(lineOf(result, "executions are saved")?.detail).toContain("Orders, unsaved");
  });

  test.each([
    ["2.40.5", "n8n 2.36 or later"],
    ["1.123.81", "n8n 1"],
    ["1.100.1", "n8n 1"],
  ] as const)("report %s as %s, judging by its answers", async (version, generation) => {
    const other = await startOtherN8n({ version });
    const line = lineOf(await check(settingsFor(other)), "which n8n");
    expect(line?.detail).toBe(`${generation}, judging by its answers: its API does not show the version.`);
  });
});

describe("what this n8n can do", () => {
  const kinds = ["statuses", "listsStatus", "listsUnfinished", "filtersDates", "clampsLimit"];
  const EVERY_STATUS = ["canceled", "crashed", "error", "new", "running", "success", "unknown", "waiting"];

  test.each([
    ["2.40.5", EVERY_STATUS, [true, true, true, true], { knowsRedaction: true, tellsScopes: true }],
    [
      "1.123.81",
      ["canceled", "error", "running", "success", "waiting"],
      [true, false, false, false],
      { knowsRedaction: false, tellsScopes: false },
    ],
    [
      "1.100.1",
      ["error", "success", "waiting"],
      [false, false, false, false],
      { knowsRedaction: false, tellsScopes: false },
    ],
  ] as const)("is learnt from the answers of %s, and kept", async (version, statuses, others, more) => {
    const other = await startOtherN8n({ version });
    const capabilities = createLocalCapabilities();
    const caller = createCaller({ settings: settingsFor(other), capabilities });
    const data = dataOf(await caller.call("check_connection"), report);
    const expected = Object.fromEntries(kinds.map((kind, index) => [kind, [statuses, ...others][index]]));
    expect(data.capabilities).toEqual({ ...expected, ...more, queues: null });
    expect(data.ready).toBe(true);
    const { listsUnfinished: _listsUnfinished, ...kept } = data.capabilities ?? {};
    expect(capabilities.known).toEqual(kept);
    expect(other.requests.filter(({ path }) => path.includes("redactExecutionData=false"))).toEqual([]);
  });

  test("is learnt anew after n8n was replaced", async () => {
    const capabilities = createLocalCapabilities({ ...N8N_2, statuses: ["error"], filtersDates: false });
    await createCaller({ settings: settingsFor(n8n), capabilities }).call("check_connection");
    expect(capabilities.known).toEqual(N8N_2);
  });

  test("stays known for others where this caller's key may not list executions", async () => {
    const other = await startOtherN8n({ scopes: ["workflow:read", "workflow:list"] });
    const capabilities = createLocalCapabilities(N8N_2);
    await createCaller({ settings: settingsFor(other), capabilities }).call("check_connection");
    expect(capabilities.known).toEqual(N8N_2);
  });

  test("stays known for others where n8n fails for a moment", async () => {
    n8n.faults.always({ kind: "status", status: 500 }, /status=new|startedAfter=|limit=251|neither/);
    const capabilities = createLocalCapabilities(N8N_2);
    await createCaller({ settings: settingsFor(n8n), capabilities }).call("check_connection");
    expect(capabilities.known).toEqual(N8N_2);
  });

  test("does not include the date filter if the key sees no execution to filter", async () => {
    n8n.faults.always({ kind: "status", status: 200, body: { data: [], nextCursor: null } }, /executions/);
    const capabilities = createLocalCapabilities();
    await createCaller({ settings: settingsFor(n8n), capabilities }).call("check_connection");
    expect(capabilities.known).toMatchObject({ statuses: N8N_2.statuses, filtersDates: null });
  });
});

test("a tool named as if it wrote fails the check", async () => {
  const writing = defineTool({
    name: "delete_workflow",
    title: "x",
    description: "x",
    scope: "n8n:read",
    maxTokens: 100,
    audited: {},
    input: z.strictObject({}),
    output: z.looseObject({}),
    run: async () => ({ message: "x", data: {} }),
  });
  const result = await check(settingsFor(n8n), [...TOOLS, writing]);
  expect(result).toMatchObject({ ready: false });
  expect(result.status("no tool writes")).toBe("fail");
});
