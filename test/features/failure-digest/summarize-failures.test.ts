/** `summarize_failures` over an n8n whose troubles are known. */
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, jsonAnswer } from "../../support/fake-n8n.ts";
import { countTokens } from "../../support/token-counts.ts";
import { DAY, toExecutions, troubledDay } from "./troubles.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };
/** A Wednesday. */
const NOW = Date.UTC(2026, 10, 18, 15);

const data = z.looseObject({
  groups: z.array(
    z.looseObject({ group: z.string(), count: z.number(), before: z.number(), nodeName: z.string() }),
  ),
  silent: z.array(z.looseObject({ workflowId: z.string(), kind: z.string() })),
  hanging: z.array(z.looseObject({ workflowId: z.string(), kind: z.string() })),
  unusual: z.array(z.looseObject({ workflowId: z.string(), kind: z.string() })),
});

interface Asked {
  readonly caller: Caller;
  readonly n8n: FakeN8n;
}

function ask(): Asked {
  const n8n = createFakeN8n(toExecutions(troubledDay(NOW)));
  n8n.intercept = (url) => {
    const [, id] = /\/workflows\/([^/]+)$/.exec(url.pathname) ?? [];
    return id === undefined
      ? undefined
      : jsonAnswer({ id, name: `Workflow ${id}`, active: true, nodes: [], connections: {}, settings: {} });
  };
  return { caller: createCaller({ settings: SETTINGS, fetch: n8n.fetch, now: () => NOW }), n8n };
}

describe("a day on which eight things went wrong", () => {
  let asked: Asked;
  let answer: Envelope;
  beforeAll(async () => {
    asked = ask();
    answer = await asked.caller.call("summarize_failures", { timeBudgetMs: 55_000 });
  });

  test("all eight are named by one call", () => {
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
      `From ${new Date(NOW - DAY).toISOString()} to ${new Date(NOW).toISOString()}: 5 kinds of failure in 3 workflows (100 executions; 0 of these in the window before); 1 schedule is silent ("Workflow schedule"); 1 execution hangs ("Workflow hung"); 1 workflow ran green and did next to nothing ("Workflow empty"). In all 286 runs of 6 workflows.`,
    );
  });

  test("the answer is within its budget", () => {
    expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(3_000);
    expect(answer.meta).not.toHaveProperty("leftOut");
  });

  test("a group tells its executions", async () => {
    const [first] = data.parse(answer.data).groups;
    const told = await asked.caller.call("summarize_failures", { group: first?.group });
    const { executions } = z
      .looseObject({ executions: z.array(z.looseObject({ id: z.string(), url: z.string() })) })
      .parse(told.data);
    expect(executions.length).toBe(20);
    expect(new Set(executions.map(({ id }) => id)).size).toBe(20);
  });
});
