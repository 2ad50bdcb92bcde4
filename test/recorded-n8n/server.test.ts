import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { canaryValues } from "../real-n8n/canaries.ts";
import {
  deepestFailure,
  holdsRequestId,
  linkedExecutions,
  type NaiveExecution,
  toNaiveExecution,
} from "../real-n8n/naive-reader.ts";
import { type RecordedScenario, type Recording, readRecording } from "./recording.ts";
import { type RecordedN8n, startRecordedN8n } from "./server.ts";

const total = 1_000;

let n8n: RecordedN8n;
let multiplied: RecordedN8n;
let recording: Recording;
/** Executions that an unfiltered list leaves out. */
let runningCount: number;

beforeAll(async () => {
  recording = await readRecording();
  runningCount = recording.executions.filter(({ status }) => status === "running").length;
  n8n = await startRecordedN8n();
  multiplied = await startRecordedN8n({ multiplyTo: total });
});
afterAll(async () => {
  await n8n.close();
  await multiplied.close();
});

const item = z.looseObject({
  id: z.string(),
  status: z.string(),
  workflowId: z.string(),
  startedAt: z.string(),
});
const page = z.object({ data: z.array(item), nextCursor: z.string().nullable() });
const workflowPage = z.object({
  data: z.array(z.looseObject({ id: z.string(), name: z.string(), active: z.boolean() })),
  nextCursor: z.string().nullable(),
});

async function ask(server: RecordedN8n, path: string, key = server.apiKey): Promise<Response> {
  return fetch(`${server.baseUrl}/api/v1${path}`, {
    headers: { "X-N8N-API-KEY": key },
    redirect: "manual",
  });
}

async function list(server: RecordedN8n, query: string): Promise<z.infer<typeof page>> {
  const response = await ask(server, `/executions?${query}`);
  expect(response.status).toBe(200);
  return page.parse(await response.json());
}

async function listAll(server: RecordedN8n, query: string): Promise<z.infer<typeof item>[]> {
  const found: z.infer<typeof item>[] = [];
  let cursor = "";
  for (;;) {
    const { data, nextCursor } = await list(server, `${query}${cursor}`);
    found.push(...data);
    if (nextCursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

async function refusal(response: Promise<Response>): Promise<{ status: number; message: unknown }> {
  const answered = await response;
  const { message } = z.object({ message: z.unknown() }).parse(await answered.json());
  return { status: answered.status, message };
}

function cursorOf(value: unknown): string {
  return encodeURIComponent(Buffer.from(JSON.stringify(value)).toString("base64"));
}

function ids(items: { id: string }[]): number[] {
  return items.map(({ id }) => Number(id));
}

describe("GET /executions", () => {
  it("answers 100 by default, the newest first", async () => {
    const { data } = await list(multiplied, "");
    expect(data).toHaveLength(100);
    expect(ids(data)).toEqual(ids(data).toSorted((left, right) => right - left));
  });

  it("silently clamps the limit to 250", async () => {
    expect((await list(multiplied, "limit=1000000")).data).toHaveLength(250);
    expect((await list(multiplied, "limit=250")).data).toHaveLength(250);
    expect((await list(multiplied, "limit=7")).data).toHaveLength(7);
  });

  it("answers everything at once for a limit of 0, as n8n does", async () => {
    const { data, nextCursor } = await list(multiplied, "limit=0");
    expect(data).toHaveLength(total - runningCount);
    expect(nextCursor).toBeNull();
  });

  it.each([
    ["limit=-1", "request/query/limit Param `limit` must be a non-negative integer"],
    ["limit=abc", "request/query/limit Param `limit` must be a valid integer"],
    ["startedAfter=yesterday", "request/query/startedAfter Invalid datetime"],
    ["startedAfter=2026-02-30T00:00:00Z", "request/query/startedAfter Invalid datetime"],
    ["limit=1&limit=2", "request/query/limit Expected string, received array"],
    ["startedBefore=2026-01-01", "request/query/startedBefore Invalid datetime"],
    ["cursor=@@@", "An invalid cursor was provided"],
    [`cursor=${cursorOf(5)}`, "An invalid cursor was provided"],
    [
      "includeData=1",
      "request/query/includeData Invalid enum value. Expected 'true' | 'false', received '1'",
    ],
    [
      "status=bogus&limit=abc",
      "request/query/status Invalid enum value. Expected 'canceled' | 'crashed' | 'error' | 'new' | 'running' | 'success' | 'unknown' | 'waiting', received 'bogus'",
    ],
  ])("refuses %s with n8n's message", async (query, message) => {
    expect(await refusal(ask(n8n, `/executions?${query}`))).toEqual({ status: 400, message });
  });

  it("ignores parameters that it does not know", async () => {
    expect((await list(n8n, "nonsense=1&limit=3")).data).toHaveLength(3);
  });

  it("puts the cursor last, in n8n's own form", async () => {
    const text = await (await ask(n8n, "/executions?limit=2")).text();
    const { data, nextCursor } = page.parse(JSON.parse(text));
    expect(Object.keys(JSON.parse(text))).toEqual(["data", "nextCursor"]);
    expect(JSON.parse(Buffer.from(nextCursor ?? "", "base64").toString())).toEqual({
      lastId: data[1]?.id,
      limit: 2,
    });
  });

  it("visits every execution once by its cursors", async () => {
    const seen = ids(await listAll(multiplied, "limit=64"));
    expect(new Set(seen).size).toBe(total - runningCount);
    expect(seen).toHaveLength(total - runningCount);
    expect(seen).toEqual(seen.toSorted((left, right) => right - left));
  });

  it("accepts a handmade cursor, whose limit applies and is clamped", async () => {
    const { data } = await list(n8n, `limit=50&cursor=${cursorOf({ lastId: "20", limit: 3 })}`);
    expect(ids(data)).toEqual([19, 18, 17]);
    expect((await list(multiplied, `cursor=${cursorOf({ lastId: 900, limit: 5000 })}`)).data).toHaveLength(
      250,
    );
    expect((await list(n8n, `cursor=${cursorOf({ lastId: "20", limit: 0 })}`)).data).toHaveLength(1);
    const newest = (await list(n8n, "limit=1")).data;
    expect((await list(n8n, `cursor=${cursorOf({ lastId: "x", limit: 1 })}`)).data).toEqual(newest);
  });

  it("lists running executions only when filtered by that status", async () => {
    const statuses = new Set((await listAll(n8n, "")).map(({ status }) => status));
    expect(statuses).toEqual(new Set(["success", "error", "waiting", "canceled"]));
    const running = await listAll(n8n, "status=running");
    expect(running.map(({ status }) => status)).toEqual(["running", "running"]);
  });

  it("filters by status and by workflow", async () => {
    const failed = await listAll(n8n, "status=error");
    const expected = recording.executions.filter(({ status }) => status === "error");
    expect(ids(failed)).toEqual(ids(expected.map(({ answer }) => answer)).reverse());
    const workflowId = failed[0]?.workflowId;
    const ofWorkflow = await listAll(n8n, `workflowId=${workflowId}&limit=2`);
    expect(ofWorkflow.length).toBeGreaterThan(2);
    expect(new Set(ofWorkflow.map((each) => each.workflowId))).toEqual(new Set([workflowId]));
    expect((await list(n8n, "workflowId=nope")).data).toEqual([]);
    expect((await list(n8n, "projectId=nope")).data).toEqual([]);
  });

  it("includes both ends of a time window, whatever its offset", async () => {
    const middle = (await listAll(n8n, ""))[40];
    const time = middle?.startedAt ?? "";
    expect(ids(await listAll(n8n, `startedAfter=${time}&startedBefore=${time}`))).toContain(
      Number(middle?.id),
    );
    const offset = encodeURIComponent(time.replace("Z", "+00:00"));
    expect(ids(await listAll(n8n, `startedAfter=${offset}&startedBefore=${time}`))).toContain(
      Number(middle?.id),
    );
    const justAfter = new Date(Date.parse(time) + 1).toISOString();
    expect(ids(await listAll(n8n, `startedAfter=${justAfter}`))).not.toContain(Number(middle?.id));
    const justBefore = new Date(Date.parse(time) - 1).toISOString();
    expect(ids(await listAll(n8n, `startedBefore=${justBefore}`))).not.toContain(Number(middle?.id));
  });

  it("adds the data only on request", async () => {
    const keysOfFirst = async (query: string) => {
      const { data } = JSON.parse(await (await ask(n8n, `/executions?limit=1${query}`)).text());
      return Object.keys(data[0]);
    };
    expect(await keysOfFirst("")).toEqual(recording.manifest.forms.item);
    expect(await keysOfFirst("&includeData=true")).toEqual(recording.manifest.forms.itemWithData);
  });
});

describe("GET /executions/{id}", () => {
  it("answers every recorded execution exactly as n8n did", async () => {
    for (const { answer, snapshot } of recording.executions) {
      const response = await ask(n8n, `/executions/${answer.id}?includeData=true`);
      const whole = { ...answer, workflowData: recording.snapshots[snapshot] };
      expect(await response.text()).toBe(JSON.stringify(whole));
    }
  });

  it("omits the data unless requested", async () => {
    const response = await ask(n8n, "/executions/1");
    expect(Object.keys(z.looseObject({}).parse(await response.json()))).toEqual(
      recording.manifest.forms.detail,
    );
  });

  it("answers a running execution too", async () => {
    const [running] = await listAll(n8n, "status=running");
    expect((await ask(n8n, `/executions/${running?.id}`)).status).toBe(200);
  });

  it.each(["0", "abc", "-1", "1.5", "%2e%2e%2f1"])("refuses the id %s", async (id) => {
    expect(await refusal(ask(n8n, `/executions/${id}`))).toEqual({
      status: 400,
      message: "request/params/executionId must be a positive integer",
    });
  });

  it("fails on a malformed escape, as n8n does", async () => {
    expect(await refusal(ask(n8n, "/executions/%zz"))).toEqual({
      status: 500,
      message: "Internal server error",
    });
  });

  it("answers 404 for an unknown id", async () => {
    expect(await refusal(ask(n8n, "/executions/99999999"))).toEqual({ status: 404, message: "Not Found" });
  });
});

describe("GET /workflows and the rest", () => {
  const names = async (query: string) => {
    const { data } = workflowPage.parse(await (await ask(n8n, `/workflows?${query}`)).json());
    return data.map(({ name }) => name);
  };

  it("filters by part of the name, state, all tags, and project", async () => {
    expect(await names("name=CALENDAR")).toEqual(["calendar.create"]);
    expect(await names("name=c%25r.create")).toEqual(["calendar.create"]);
    expect(await names("name=_alendar.creat_")).toEqual(["calendar.create"]);
    expect(await names("name=(calendar")).toEqual([]);
    expect(await names(`name=${encodeURIComponent("notificación")}`)).toHaveLength(1);
    expect(await names(`name=${encodeURIComponent("NOTIFICACIÓN")}`)).toEqual([]);
    expect(await names("name=duplicate.name")).toEqual(["duplicate.name", "duplicate.name"]);
    expect(await names("active=false")).toEqual(["legacy.import"]);
    expect(await names("active=true")).toHaveLength(recording.workflows.length - 1);
    expect((await names("tags=production")).toSorted()).toEqual(["calendar.create", "orders.process"]);
    expect(await names("tags=production,familyhub")).toEqual(["calendar.create"]);
    expect(await names("tags=Production")).toEqual([]);
    expect(await names("projectId=nope")).toEqual([]);
    const projectId = recording.workflows[0]?.shared?.[0]?.projectId;
    expect(await names(`projectId=${projectId}`)).toHaveLength(recording.workflows.length);
  });

  it("visits every workflow once by its cursors", async () => {
    const seen: string[] = [];
    let cursor = "";
    for (;;) {
      const response = await ask(n8n, `/workflows?limit=5${cursor}`);
      const { data, nextCursor } = workflowPage.parse(await response.json());
      seen.push(...data.map(({ id }) => id));
      if (nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    expect(seen).toEqual(recording.workflows.map(({ id }) => id));
  });

  it("answers one workflow, and its tags", async () => {
    const [calendar] = recording.workflowDetails.filter(({ name }) => name === "calendar.create");
    expect(await (await ask(n8n, `/workflows/${calendar?.id}`)).text()).toBe(JSON.stringify(calendar));
    expect(await (await ask(n8n, `/workflows/${calendar?.id}/tags`)).json()).toEqual(calendar?.tags);
    expect(await refusal(ask(n8n, "/workflows/nope"))).toEqual({ status: 404, message: "Not Found" });
  });

  it("answers the tags in pages", async () => {
    const response = await ask(n8n, "/tags?limit=2");
    const { data, nextCursor } = z
      .object({ data: z.array(z.looseObject({ name: z.string() })), nextCursor: z.string() })
      .parse(await response.json());
    expect(data.map(({ name }) => name)).toEqual(["production", "familyhub"]);
    const rest = await (await ask(n8n, `/tags?cursor=${nextCursor}`)).json();
    expect(rest).toMatchObject({ data: [{ name: "sub-workflow" }], nextCursor: null });
  });

  it("answers the key's scopes", async () => {
    const response = z.object({ data: z.looseObject({ scopes: z.array(z.string()) }) });
    const { data } = response.parse(await (await ask(n8n, "/discover")).json());
    expect(data.scopes).toContain("execution:list");
    expect(data.scopes.filter((scope) => !/:(read|list)$/.test(scope))).toEqual([]);
  });

  it("answers 404 for other paths", async () => {
    expect(await refusal(ask(n8n, "/nothing"))).toEqual({ status: 404, message: "not found" });
    expect((await fetch(`${n8n.baseUrl}/executions`)).status).toBe(404);
  });
});

describe("keys and methods", () => {
  it("refuses a wrong key and a missing one", async () => {
    expect(await refusal(ask(n8n, "/executions", "wrong"))).toEqual({ status: 401, message: "Unauthorized" });
    expect((await fetch(`${n8n.baseUrl}/api/v1/workflows`)).status).toBe(401);
  });

  it("refuses exactly the paths that the key's scopes do not cover", async () => {
    const restricted = await startRecordedN8n({ scopes: ["workflow:list"], apiKey: "another" });
    try {
      expect((await ask(restricted, "/workflows")).status).toBe(200);
      const forbidden = { status: 403, message: "Forbidden" };
      expect(await refusal(ask(restricted, "/workflows/1"))).toEqual(forbidden);
      expect(await refusal(ask(restricted, "/executions"))).toEqual(forbidden);
      expect(await refusal(ask(restricted, "/tags"))).toEqual(forbidden);
      expect(await (await ask(restricted, "/discover")).json()).toMatchObject({
        data: { scopes: ["workflow:list"] },
      });
    } finally {
      await restricted.close();
    }
  });

  it("refuses every method but GET, and records the request", async () => {
    const headers = { "X-N8N-API-KEY": n8n.apiKey };
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const response = fetch(`${n8n.baseUrl}/api/v1/executions/1`, { method, headers });
      expect(await refusal(response)).toEqual({ status: 405, message: `${method} method not allowed` });
      expect(n8n.requests.at(-1)).toEqual({ method, path: "/api/v1/executions/1" });
    }
  });

  it("reports each request as it arrives", async () => {
    const seen: string[] = [];
    const server = await startRecordedN8n({
      onRequest: ({ method, path }) => seen.push(`${method} ${path}`),
    });
    try {
      await ask(server, "/tags?limit=1");
      expect(seen).toEqual(["GET /api/v1/tags?limit=1"]);
    } finally {
      await server.close();
    }
  });
});

describe("the recording", () => {
  it("holds every planted secret, so that tests for leaks can fail", () => {
    const whole = JSON.stringify(recording);
    expect(canaryValues.filter((value) => !whole.includes(value))).toEqual([]);
  });

  it("holds no path or registry of the recording machine", () => {
    expect(JSON.stringify(recording)).not.toMatch(/\/(root|home)\/|\/tmp\/|\.cache|registry\.[a-z]+js/);
  });
});

describe("copies", () => {
  let all: NaiveExecution[];
  beforeAll(async () => {
    const items = [
      ...(await listAll(multiplied, "limit=250&includeData=true")),
      ...(await listAll(multiplied, "status=running&includeData=true")),
    ];
    all = items.map(toNaiveExecution).toSorted((left, right) => Number(left.id) - Number(right.id));
  });

  const copyNumbers = [0, 1, 5];

  it("make up the requested number, each with its own id", () => {
    expect(all).toHaveLength(total);
    expect(new Set(all.map(({ id }) => id)).size).toBe(total);
    expect(multiplied.copies).toBeGreaterThanOrEqual(Math.ceil(total / recording.executions.length) - 1);
  });

  it.each(copyNumbers)("hold whole requests in copy %i", (copyNumber) => {
    const scenarios = multiplied.scenariosOfCopy(copyNumber);
    const unfinished = copyNumber === 0 ? 0 : runningCount + 1;
    expect(scenarios).toHaveLength(recording.manifest.scenarios.length - unfinished);
    for (const scenario of scenarios) expectWhole(scenario);
  });

  function expectWhole({ requestId, expected }: RecordedScenario): void {
    const entries = all.filter(({ id }) => expected.entryIds.includes(id));
    expect(entries.map(({ workflowName }) => workflowName)).toEqual(
      expected.entryIds.map(() => expected.entryWorkflowName),
    );
    const linked = linkedExecutions(all, expected.entryIds);
    expect(linked.map(({ id }) => id)).toEqual(expected.executionIds);
    const holders = all.filter((each) => holdsRequestId(each, requestId)).map(({ id }) => id);
    expect(expected.executionIds).toEqual(expect.arrayContaining(holders));
    expect(holders).toEqual(expect.arrayContaining(expected.entryIds));
    if (expected.failingNode) {
      const failure = deepestFailure(linked);
      expect({ workflowName: failure?.workflowName, nodeName: failure?.lastNodeExecuted }).toEqual(
        expected.failingNode,
      );
    }
  }

  it("have predictable request ids, which are strings even for a number", () => {
    const requestIds = multiplied.scenariosOfCopy(3).map(({ requestId }) => requestId);
    expect(requestIds).toContain("req-100-copy-3");
    expect(requestIds).toContain("424242-copy-3");
  });

  it("are older than the recording, without overlap, including times in the data", () => {
    const own = (copyNumber: number) => {
      const ofCopy = new Set(
        multiplied.scenariosOfCopy(copyNumber).flatMap(({ expected }) => expected.executionIds),
      );
      return all.filter(({ id }) => ofCopy.has(id));
    };
    const times = (copyNumber: number) => own(copyNumber).map(({ startedAt }) => Date.parse(startedAt ?? ""));
    expect(Math.max(...times(2))).toBeLessThan(Math.min(...times(1)));
    expect(Math.max(...times(1))).toBeLessThan(Math.min(...times(0)));
    const [first] = own(1);
    const runs = z.looseObject({
      resultData: z.looseObject({
        runData: z.record(z.string(), z.array(z.looseObject({ startTime: z.number() }))),
      }),
    });
    const starts = Object.values(runs.parse(first?.data).resultData.runData)
      .flat()
      .map(({ startTime }) => startTime);
    expect(Math.abs(Math.min(...starts) - Date.parse(first?.startedAt ?? ""))).toBeLessThan(10_000);
  });
});

describe("faults", () => {
  beforeEach(() => n8n.faults.clear());

  it("can be any status once, before usual answers", async () => {
    n8n.faults.once({ kind: "status", status: 429, headers: { "retry-after": "7" } });
    const faulty = await ask(n8n, "/tags");
    expect([faulty.status, faulty.headers.get("retry-after")]).toEqual([429, "7"]);
    expect((await ask(n8n, "/tags")).status).toBe(200);
  });

  it("affect only matching paths, until cleared", async () => {
    n8n.faults.always({ kind: "status", status: 500, body: "oops" }, /^\/api\/v1\/workflows/);
    for (let round = 0; round < 2; round++) {
      const faulty = await ask(n8n, "/workflows");
      expect([faulty.status, await faulty.text()]).toEqual([500, "oops"]);
      expect((await ask(n8n, "/tags")).status).toBe(200);
    }
    n8n.faults.clear();
    expect((await ask(n8n, "/workflows")).status).toBe(200);
  });

  it("can be a web page", async () => {
    n8n.faults.once({ kind: "html" });
    const faulty = await ask(n8n, "/tags");
    expect(faulty.headers.get("content-type")).toContain("text/html");
    expect(await faulty.text()).toContain("<!doctype html>");
  });

  it("can be no answer at all", async () => {
    n8n.faults.once({ kind: "hang" });
    const faulty = fetch(`${n8n.baseUrl}/api/v1/tags`, { signal: AbortSignal.timeout(300) });
    await expect(faulty).rejects.toThrow(/timeout|aborted/i);
  });

  it("can be a delay before the usual answer", async () => {
    n8n.faults.once({ kind: "slow", milliseconds: 200 });
    const started = performance.now();
    expect((await ask(n8n, "/tags")).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(190);
  });

  it("can be JSON that ends halfway", async () => {
    n8n.faults.once({ kind: "broken-json" });
    const faulty = await ask(n8n, "/executions?limit=5");
    const text = await faulty.text();
    expect(text.startsWith('{"data":[')).toBe(true);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it("can be a connection that breaks halfway", async () => {
    n8n.faults.once({ kind: "cut" });
    const faulty = await ask(n8n, "/executions?limit=5");
    expect(faulty.status).toBe(200);
    await expect(faulty.text()).rejects.toThrow();
  });

  it("can be a redirect", async () => {
    n8n.faults.once({ kind: "redirect", to: "http://127.0.0.1:9/elsewhere" });
    const faulty = await ask(n8n, "/tags");
    expect([faulty.status, faulty.headers.get("location")]).toEqual([302, "http://127.0.0.1:9/elsewhere"]);
  });
});
