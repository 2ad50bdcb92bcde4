/**
 * Every tool, with arguments of all kinds, sends only GET requests below /api/v1 of the one n8n, with the paths and
 * parameters listed here, and nothing else.
 */
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { TOOLS } from "../../src/features/index.ts";
import type { Fetch } from "../../src/n8n/requests.ts";
import type { Fault } from "../recorded-n8n/faults.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { casesOf, inBothLanes, runs } from "../support/lane.ts";
import { rawExecutionIds, readRawExecution } from "../support/raw-executions.ts";

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly answered: Promise<Response>;
}

const n8n = await startRecordedN8n();
const elsewhere = await startRecordedN8n();
let caller: Caller;
let sent: Sent[] = [];

const recordingFetch: Fetch = async (url, init) => {
  const answered = fetch(url, init);
  sent.push({ url, init, answered });
  return await answered;
};

beforeEach(() => {
  caller = createCaller({ settings: settingsFor(n8n), fetch: recordingFetch });
  sent = [];
  n8n.faults.clear();
  n8n.requests.length = 0;
  elsewhere.requests.length = 0;
});
afterAll(async () => {
  await n8n.close();
  await elsewhere.close();
});

const PATHS =
  /^\/api\/v1\/(executions|executions\/[1-9]\d{0,18}|workflows|workflows\/[A-Za-z0-9_-]{1,64}(\/history|(\/versions)?\/[A-Za-z0-9-]{1,64})?|discover)$/;
const PARAMETERS = new Set([
  ...["limit", "cursor", "includeData", "status", "workflowId", "startedAfter", "startedBefore"],
  ...["active", "name", "tags", "excludePinnedData", "projectId", "redactExecutionData"],
]);

async function expectOnlyReads(): Promise<void> {
  // A tool may answer before n8n has received another of its requests.
  await Promise.allSettled(sent.map(({ answered }) => answered));
  for (const { url, init } of sent) {
    const { origin, pathname, searchParams, username, hash } = new URL(url);
    expect({ origin, username, hash }).toEqual({
      origin: new URL(n8n.baseUrl).origin,
      username: "",
      hash: "",
    });
    expect(pathname).toMatch(PATHS);
    for (const name of searchParams.keys()) expect(PARAMETERS).toContain(name);
    expect(searchParams.get("includeData") ?? "true").toBe("true");
    // Whether n8n knows the parameter is asked with a value that no n8n can follow.
    expect(searchParams.get("redactExecutionData") ?? "neither").toBe("neither");
    expect(init).toMatchObject({ method: "GET", redirect: "manual" });
    expect(init.body).toBeUndefined();
    const names = [...new Headers(init.headers).keys()];
    expect(names.sort()).toEqual(["accept", "x-n8n-api-key"]);
  }
  // n8n received exactly what was sent; fetch writes an apostrophe in a query as `%27`, as URLs do.
  expect(n8n.requests.map(({ path }) => path).sort()).toEqual(
    sent.map(({ url }) => new URL(url).href.slice(n8n.baseUrl.length)).sort(),
  );
  expect(n8n.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  const asked = n8n.requests.flatMap(({ path }) => [...new URL(path, n8n.baseUrl).searchParams.keys()]);
  expect(asked.filter((key) => /ignoreDataSizeLimit/i.test(key))).toEqual([]);
  expect(elsewhere.requests).toEqual([]);
}

test("reading every recorded execution and node sends only GET requests", inBothLanes, async () => {
  for (const id of casesOf(await rawExecutionIds(n8n), 4)) {
    const { data } = await readRawExecution(n8n, id);
    n8n.requests.length = 0;
    sent = [];
    await caller.call("get_execution", { id });
    await caller.call("get_execution_details", { executionId: id });
    await caller.call("explain_agent_run", { executionId: id });
    for (const nodeName of Object.keys(data.resultData.runData))
      await caller.call("get_execution_by_node", { id, nodeName });
    expect(sent.length).toBeGreaterThan(0);
    await expectOnlyReads();
  }
});

const HOSTILE = [
  "../../rest/workflows",
  "1/retry",
  "1/stop?",
  "1?redactExecutionData=false",
  "1&ignoreDataSizeLimit=true",
  "1#",
  "%2e%2e%2fusers",
  "1%2Fretry",
  "//evil.test/x",
  "@evil.test",
  "\r\nX-Evil: 1",
  "DELETE",
  "",
  " ",
  "req-deep-failure",
  "Webhook",
  "a&redactExecutionData=false",
  "it's",
  "true",
];

/** Values for an argument: valid ones, invalid ones, and ones that could lead elsewhere. */
function valuesFor(schema: unknown): fc.Arbitrary<unknown> {
  const {
    type,
    enum: options,
    items,
  } = z
    .looseObject({
      type: z.unknown().optional(),
      enum: z.array(z.unknown()).optional(),
      items: z.unknown().optional(),
    })
    .parse(schema);
  const urls = [`${elsewhere.baseUrl}/api/v1/executions`, `${elsewhere.baseUrl}`, "file:///etc/passwd"];
  const texts = fc.oneof(
    fc.constantFrom(...HOSTILE, ...urls),
    fc.constantFrom("1", "20", "34", "999999", "2026-01-01", "2030-01-01T00:00:00Z", "requestId"),
    fc.string({ maxLength: 40 }),
    fc.constantFrom("trace_0123456789", "search_0123456789", btoa('{"lastId":"20","limit":5}')),
    fc.constantFrom(
      btoa('{"lastId":"1&redactExecutionData=false","limit":5}'),
      btoa('{"offset":1,"limit":5}'),
    ),
  );
  if (options !== undefined) return fc.oneof(fc.constantFrom(...options), texts);
  if (type === "array") return fc.oneof(fc.array(valuesFor(items), { maxLength: 3 }), texts);
  if (type === "boolean") return fc.oneof(fc.boolean(), texts);
  if (type === "integer" || type === "number")
    return fc.oneof(fc.integer({ min: 1, max: 60 }), fc.double(), texts);
  return fc.oneof(texts, fc.integer(), fc.constant(null));
}

const listed = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});

/** The tools that send no request. */
const WITHOUT_N8N = new Set(["validate_atdf"]);

/** The schemas of these tools cannot say that one of two arguments is required. */
const NEEDS_WORKFLOW = new Set(["check_tool_contract", "get_workflow"]);

/** Arguments of a valid call. */
function goodFor(name: string, input: z.ZodObject): Record<string, unknown> {
  const { properties, required } = listed.parse(z.toJSONSchema(input, { io: "input" }));
  const good = { requestId: "req-100", text: "req-100", id: "20", nodeName: "Webhook", executionId: "20" };
  const needed = { workflowId: "1XeIfz7HPI4BwIKP", atdf: "description: d" };
  return {
    ...Object.fromEntries(Object.entries(good).filter(([key]) => key in properties)),
    ...Object.fromEntries(Object.entries(needed).filter(([key]) => required.includes(key))),
    ...(NEEDS_WORKFLOW.has(name) ? { workflowId: needed.workflowId } : {}),
    ...(name === "compare_executions" ? { id: "7" } : {}),
    ...("against" in properties && name !== "compare_executions"
      ? { against: '{"nodes":[],"connections":{}}' }
      : {}),
    // One of the two, not both.
    ...(name === "explain_failure" ? { requestId: undefined } : {}),
  };
}

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s sends only GET requests", (name, tool) => {
  test("with arguments of all kinds", inBothLanes, async () => {
    const { properties } = listed.parse(z.toJSONSchema(tool.input, { io: "input" }));
    const all = fc.record(
      Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, valuesFor(schema)])),
    );
    // Most of them are valid, since an invalid one ends the call.
    const values = fc
      .tuple(
        all,
        fc.subarray(Object.keys(properties), { maxLength: Math.min(2, Object.keys(properties).length) }),
      )
      .map(([args, keys]) => ({
        ...goodFor(name, tool.input),
        ...Object.fromEntries(keys.map((key) => [key, args[key]])),
      }));
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(values, async (args) => {
        sent = [];
        n8n.requests.length = 0;
        const { status } = await caller.call(name, args);
        outcomes.add(`${status}, ${sent.length > 0 ? "n8n was asked" : "nothing was sent"}`);
        await expectOnlyReads();
      }),
      { numRuns: runs(150), endOnFailure: true, interruptAfterTimeLimit: 20_000 },
    );
    const expected = WITHOUT_N8N.has(name) ? "success, nothing was sent" : "success, n8n was asked";
    expect(outcomes).toContain(expected);
  });

  test("with valid arguments, even while n8n fails or redirects", async () => {
    const args = goodFor(name, tool.input);
    const faults: (Fault | undefined)[] = [
      undefined,
      { kind: "redirect", to: `${elsewhere.baseUrl}/api/v1/executions` },
      { kind: "status", status: 400 },
      { kind: "status", status: 401 },
      { kind: "status", status: 429 },
      { kind: "status", status: 500 },
      { kind: "cut" },
    ];
    for (const fault of faults) {
      n8n.faults.clear();
      if (fault !== undefined) n8n.faults.always(fault);
      await caller.call(name, args);
    }
    if (WITHOUT_N8N.has(name)) expect(sent).toEqual([]);
    else expect(sent.length).toBeGreaterThanOrEqual(faults.length);
    await expectOnlyReads();
  });
});

test("no argument is a URL", () => {
  const LOCATIONS =
    /^(ur[il]s?|hrefs?|links?|hosts?|hostname|domain|address|endpoint|base|proxy|callback|webhook|file)$/i;
  const words = (name: string): string[] => name.split(/(?=[A-Z])|[_-]/);
  for (const { name, input } of TOOLS) {
    const { properties } = listed.parse(z.toJSONSchema(input, { io: "input" }));
    for (const [key, schema] of Object.entries(properties)) {
      expect(
        words(key).filter((word) => LOCATIONS.test(word)),
        `${name}.${key}`,
      ).toEqual([]);
      // Of an execution's URL, only the id is used: see "even while n8n fails or redirects" above.
      if (name === "trace_request" && key === "requestId") continue;
      expect(JSON.stringify(schema), `${name}.${key}`).not.toMatch(
        /"format":"(uri|iri|hostname|ipv[46])|https?:|\bURLs?\b/i,
      );
    }
    expect(z.toJSONSchema(input, { io: "input" })).toMatchObject({ additionalProperties: false });
  }
});
