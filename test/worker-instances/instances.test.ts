/**
 * Two n8n instances behind one Worker, in workerd. Both use the same execution ids, never for the same execution.
 * Nothing of one reaches the other: no key, no limiter turn, nothing remembered.
 */
import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { createTakeTurn } from "../../src/n8n/limiter/limiter-client.ts";
import { slotsOf } from "../../src/n8n/slot.ts";
import { catchConsoleLines } from "../support/console-lines.ts";
import { askWith } from "../worker/ask-with.ts";
import { readAudit } from "../worker/operator/client.ts";
import { PUBLIC_URL } from "../worker/secrets.ts";
import { call, dataOf, executionIn, send } from "./client.ts";
import { instancesOf, N8NS, NAMES, type Name, ONLY } from "./n8ns.ts";

const { newer, older } = N8NS;

const callLine = z.object({ event: z.literal("tool_call"), ids: z.record(z.string(), z.string()) });

const lines = catchConsoleLines();
afterEach(async () => {
  await reset();
});

describe("the list of tools", () => {
  const list = async (settings: Record<string, string>) =>
    JSON.stringify(await send(settings, { method: "tools/list" }));

  test("does not mention instances for a single n8n, whatever its name", async () => {
    const alone = await list({ N8N_INSTANCES: "", N8N_BASE_URL: newer.baseUrl, N8N_API_KEY: newer.apiKey });
    expect(alone).not.toContain('"instance"');
    expect(await list(instancesOf({ prod: newer }))).toBe(alone);
    expect(await list({ N8N_INSTANCES: "{" })).toBe(alone);
  });

  test("has the names of several instances", async () => {
    expect(await list({})).toContain(
      '"instance":{"type":"string","enum":["newer","older"],"description":"Which n8n"}',
    );
  });
});

describe("an execution id", () => {
  test.each(NAMES)("means the execution in %s, with its address", async (instance) => {
    const [other] = NAMES.filter((name) => name !== instance);
    const [here, there] = [await executionIn(instance, "34"), await executionIn(other ?? "newer", "34")];
    expect(here.startedAt).not.toBe(there.startedAt);
    expect(await dataOf("get_execution", { id: "34", instance })).toMatchObject({
      instance,
      startedAt: here.startedAt,
      workflowId: here.workflowId,
      url: `${N8NS[instance].baseUrl}/workflow/${here.workflowId}/executions/34`,
    });
  });
});

describe("a trace", () => {
  test.each(NAMES)("over both finds what only %s has, and says so", async (instance) => {
    // The ids carry their time, and a trace that is not deep would end after finding one.
    const args = { requestId: ONLY[instance], deep: true };
    const { message, data: found } = await call("trace_request", args);
    expect(found).toMatchObject({ instance, found: true, outcome: "success", coverage: { complete: true } });
    expect(message).toContain(`In ${instance}: `);
    const executions = z.array(z.looseObject({ id: z.string() })).parse(found.executions);
    expect(found.executionUrl).toContain(N8NS[instance].baseUrl);
    expect(z.looseObject({ startedAt: z.string() }).parse(found).startedAt).toBe(
      (await executionIn(instance, executions[0]?.id ?? "")).startedAt,
    );
  });

  test("of a request that both have reports both", async () => {
    const { message, data: found } = await call("trace_request", { requestId: "req-deep-failure" });
    expect(message).toMatch(
      /^In (newer|older): .* failed at node "Fetch Rate".* In (newer|older), too: .* failed/,
    );
    expect(z.array(z.looseObject({ outcome: z.string() })).parse(found.instances)).toMatchObject([
      { instance: "newer", outcome: "error" },
      { instance: "older", outcome: "error" },
    ]);
  });

  test("begun in one is unknown in the other", async () => {
    const begun = await dataOf("trace_request", {
      requestId: "req-100",
      instance: "newer",
      limit: 5,
      deep: true,
    });
    const { traceId } = z.looseObject({ traceId: z.string() }).parse(begun);
    expect(await dataOf("trace_request", { traceId, instance: "older" })).toMatchObject({
      code: "TRACE_NOT_FOUND",
    });
    expect(await dataOf("trace_request", { traceId, instance: "newer" })).toMatchObject({
      instance: "newer",
      traceId,
    });
  });

  test("over both continues in both with one id", async () => {
    const begun = await dataOf("trace_request", { requestId: "req-100", limit: 5, deep: true });
    expect(begun).toMatchObject({ coverage: { complete: false } });
    const { traceId } = z.looseObject({ traceId: z.string() }).parse(begun);
    expect(await dataOf("trace_request", { traceId })).toMatchObject({
      traceId,
      coverage: { complete: true },
      instances: [
        { instance: "newer", complete: true },
        { instance: "older", complete: true },
      ],
    });
  });
});

describe("an API key", () => {
  test("is sent only to its own n8n: exchanged keys are refused by name", async () => {
    const exchanged = instancesOf({
      newer: { ...newer, apiKey: older.apiKey },
      older: { ...older, apiKey: newer.apiKey },
    });
    for (const instance of NAMES) {
      const refused = await dataOf("get_execution", { id: "1", instance }, exchanged);
      expect(refused).toMatchObject({
        code: "N8N_UNAUTHORIZED",
        message: `In ${instance}: n8n does not accept the API key.`,
        details: { solution: expect.stringContaining(`apiKey of ${instance} in N8N_INSTANCES`) },
      });
    }
    const { message, data: checked } = await call("check_connection", {}, exchanged);
    expect(message).toMatch(
      /^0 of 2 n8n instances ready\. Not ready: newer \(key valid.*; older \(key valid/,
    );
    expect(checked).toMatchObject({ ready: false });
  });

  test("given to two instances is reported", async () => {
    const shared = instancesOf({ newer, older: { ...older, apiKey: newer.apiKey } });
    const checked = await dataOf("check_connection", {}, shared);
    expect(JSON.stringify(checked)).toContain("newer and older have the same key.");
  });

  test("shared with a hidden n8n does not reveal that n8n", async () => {
    const hidden = { baseUrl: "https://payroll.n8n.example", apiKey: older.apiKey };
    const rule = { who: { everybody: true }, see: { instances: NAMES }, scopes: ["n8n:read"] };
    const settings = { ...instancesOf({ ...N8NS, payroll: hidden }), ACCESS_RULES: JSON.stringify([rule]) };
    const answer = JSON.stringify(await call("check_connection", {}, settings));
    expect(answer).toContain('"instance":"older"');
    expect(answer).not.toContain("payroll");
  });

  test.each(NAMES)("of either n8n, or a header's value, is redacted from answers of %s", async (instance) => {
    const { startedAt } = await executionIn(instance, "34");
    const other = instance === "newer" ? "older" : "newer";
    const withItsKey = instancesOf({ ...N8NS, [other]: { ...N8NS[other], apiKey: startedAt } });
    const withItsHeader = instancesOf({
      ...N8NS,
      [instance]: { ...N8NS[instance], headers: { "X-Proxy": startedAt } },
    });
    for (const settings of [withItsKey, withItsHeader]) {
      const answer = JSON.stringify(await call("get_execution", { id: "34", instance }, settings));
      expect(answer).toContain("[REDACTED:own-secret]");
      expect(answer).not.toContain(startedAt);
    }
  });
});

describe("the limiter of one n8n", () => {
  async function pauseNewer(): Promise<void> {
    const turn = await slotsOf(
      createTakeTurn({ namespace: env.N8N_LIMITER, instance: "newer", log: () => {} }, "somebody"),
    )(1_000);
    await turn.pause(30);
    turn.end();
  }

  test("does not affect the other", async () => {
    await pauseNewer();
    expect(await dataOf("get_execution", { id: "1", instance: "newer" })).toMatchObject({
      code: "RATE_LIMITED",
    });
    expect(await dataOf("get_execution", { id: "1", instance: "older" })).toMatchObject({
      instance: "older",
      id: "1",
    });
  });

  test("that is used up hides nothing of the other, and is reported", async () => {
    await pauseNewer();
    const { message, data: found } = await call("trace_request", { requestId: ONLY.older });
    expect(found).toMatchObject({ instance: "older", found: true, coverage: { complete: false } });
    expect(message).toContain("newer could not be asked (RATE_LIMITED).");
    const checked = await dataOf("check_connection", {});
    expect(checked).toMatchObject({
      ready: false,
      instances: [{ ready: false }, { instance: "older", ready: true }],
    });
  });
});

test.each([
  ["VALIDATION_ERROR", {}],
  ["INSTANCE_NOT_FOUND", { instance: "constructor" }],
])("a call with the wrong instance fails with %s, and is in the activity log", async (code, instance) => {
  expect(await dataOf("explain_failure", { executionId: "34", ...instance })).toMatchObject({ code });
  expect(lines.some((line) => line.includes(code))).toBe(true);
});

test("the capabilities of an n8n are stored separately", async () => {
  const capabilitiesOf = async (instance: Name) =>
    (await dataOf("check_connection", { instance })).capabilities;
  expect(await capabilitiesOf("newer")).toMatchObject({ filtersDates: true, listsUnfinished: true });
  expect(await capabilitiesOf("older")).toMatchObject({ filtersDates: false, listsUnfinished: false });
  const stored = async (name: Name) =>
    await runInDurableObject(env.N8N_LIMITER.getByName(name), (_one, { storage }) =>
      storage.kv.get("capabilities"),
    );
  expect(await stored("newer")).toMatchObject({ capabilities: { filtersDates: true } });
  expect(await stored("older")).toMatchObject({ capabilities: { filtersDates: false } });
});

test("the activity log names the instance of a call, and can be filtered by it", async () => {
  // Lines of earlier tests may still be stored now.
  const since = new Date().toISOString();
  await call("get_execution", { id: "1", instance: "older" });
  await call("trace_request", { requestId: "req-100" });
  const idsOf = async (query: object) =>
    z
      .array(callLine)
      .parse(await readAudit({ since, ...query }))
      .map(({ ids }) => ids);
  await vi.waitFor(async () => {
    expect(await idsOf({})).toEqual([
      { instance: "older", executionId: "1" },
      { instance: "*", requestIdDigest: expect.any(String) },
    ]);
  });
  // A call to all instances includes this one.
  expect(await idsOf({ instance: "newer" })).toMatchObject([{ instance: "*" }]);
  expect(await idsOf({ instance: "older" })).toHaveLength(2);
});

test("a single named n8n has its settings named correctly in errors", async () => {
  const refused = await dataOf(
    "get_execution",
    { id: "1" },
    instancesOf({ prod: { ...newer, apiKey: older.apiKey } }),
  );
  expect(refused).toMatchObject({
    code: "N8N_UNAUTHORIZED",
    message: "n8n does not accept the API key.",
    details: { field: "apiKey of prod in N8N_INSTANCES" },
  });
  expect(JSON.stringify(refused)).not.toContain("N8N_API_KEY");
});

test("the start page names the instances only on loopback", async () => {
  const pageAt = async (origin: string): Promise<string> => {
    const page = await askWith({ PUBLIC_URL: origin }, `${origin}/`, {
      headers: { Host: new URL(origin).host },
    });
    expect(page.status).toBe(200);
    return await page.text();
  };
  expect(await pageAt("http://localhost:8787")).toContain("It reads: newer, older.");
  expect(await pageAt(PUBLIC_URL)).not.toMatch(/It reads:|newer, older/);
});

test("wrong settings stop every tool, and check_connection explains them", async () => {
  const settings = instancesOf({ newer, older: { ...older, baseUrl: newer.baseUrl } });
  expect(await dataOf("get_execution", { id: "1" }, settings)).toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: "The setting N8N_INSTANCES gives newer and older one address (baseUrl).",
  });
  expect(JSON.stringify(await dataOf("check_connection", {}, settings))).toContain("setting N8N_INSTANCES");
});
