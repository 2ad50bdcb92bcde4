/** What is drawn of real answers: each tool's answer of today, through the one way out. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOOLS } from "../../src/features/index.ts";
import type { Picture } from "../../src/views/waterfall/picture.ts";
import { toPicture } from "../../src/views/waterfall/to-picture.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { agentRunOf } from "../support/agent-run-of.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";

let n8n: RecordedN8n;
let caller: Caller;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  caller = createCaller({ settings: settingsFor(n8n) });
});
afterAll(async () => {
  await n8n.close();
});

async function pictureOf(tool: string, args: object): Promise<Picture> {
  const picture = toPicture({ ...(await caller.call(tool, args)) });
  if (picture === undefined) throw new Error(`The answer of ${tool} has no picture.`);
  return picture;
}

describe("a trace", () => {
  test("is a bar for each execution, below what caused it, with its time and its failure", async () => {
    const { title, state, bars, sentence } = await pictureOf("trace_request", {
      requestId: "req-deep-failure",
    });
    expect(title).toBe("req-deep-failure");
    expect(state).toBe("failed");
    expect(sentence).toContain("Fetch Rate");
    expect(bars.map(({ depth, state: marked, kind }) => [depth, marked, kind])).toEqual([
      [0, "failed", "entry"],
      [1, "failed", "sub workflow"],
      [2, "failed", "sub workflow"],
      [3, "ok", "error handler"],
      [2, "ok", "error handler"],
      [1, "ok", "error handler"],
    ]);
    for (const { startMs, durationMs, url } of bars) {
      expect(startMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeGreaterThan(0);
      expect(url).toContain("/executions/");
    }
    const facts = bars.flatMap((bar) => bar.facts.filter(([name]) => name === "failed node"));
    expect(facts).toEqual([["failed node", "Fetch Rate"]]);
  });

  test("that is told in rows draws them too, below what caused them, and says how many are missing", () => {
    const moreExecutions = {
      legend: "rows",
      workflows: ["Main", "Sub"],
      workflowIds: ["w1", "w2"],
      kinds: ["0 success entry x", "1 error sub_workflow x"],
      rows: { none: ["2 0 40 5"], "1": ["4 1 30 -", "3 1 20 5"], "3": ["5 1 21 2"] },
      notShown: 7,
    };
    const data = { requestId: "r", outcome: "success", executions: [{ id: "1" }], moreExecutions };
    const picture = toPicture({ status: "success", message: "Ended.", data });
    expect(picture?.notes).toEqual(["7 more executions are not in the answer."]);
    expect(
      picture?.bars.map(({ label, depth, startMs, durationMs }) => [label, depth, startMs, durationMs]),
    ).toEqual([
      ["1", 0, undefined, undefined],
      ["Sub", 1, 20, 5],
      ["Sub", 2, 21, 2],
      ["Sub", 1, 30, undefined],
      ["Main", 0, 40, 5],
    ]);
  });
});

test("an explanation is the root, and below it what speaks for it", async () => {
  const { title, state, bars } = await pictureOf("explain_failure", { requestId: "req-deep-failure" });
  expect(title).toBe("Execution 34");
  expect(state).toBe("failed");
  expect(bars[0]).toMatchObject({ kind: "root cause", status: "exact", depth: 0, state: "failed" });
  expect(bars[0]?.label).toContain('"Fetch Rate" failed because');
  expect(bars.slice(1).map(({ kind, depth }) => [kind, depth])).toEqual(
    bars.slice(1).map(() => ["evidence", 1]),
  );
  expect(bars.length).toBeGreaterThan(1);
});

describe("an agent's run", () => {
  async function pictureOfKind(kind: string): Promise<Picture> {
    const picture = toPicture({ ...(await agentRunOf(kind)) });
    if (picture === undefined) throw new Error("The answer has no picture.");
    return picture;
  }

  test("is a bar for each call in its order and at its time, the failed one marked", async () => {
    const { bars, title } = await pictureOfKind("code-tool-fails-3-1");
    expect(title).toBe("Agent");
    expect(bars.map(({ kind, state }) => [kind, state])).toEqual([
      ["model", "ok"],
      ["tool", "failed"],
      ["model", "ok"],
    ]);
    const starts = bars.map(({ startMs }) => startMs ?? Number.NaN);
    expect(starts[0]).toBe(0);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  test("of a nested agent has its calls below its caller's", async () => {
    const { bars } = await pictureOfKind("nested-3-1");
    expect(new Set(bars.map(({ depth }) => depth))).toEqual(new Set([0, 1, 2]));
  });
});

test("an error has no picture", async () => {
  expect(toPicture({ ...(await caller.call("trace_request", {})) })).toBeUndefined();
});

test("every tool that says it has a picture is drawn here", () => {
  expect(TOOLS.filter(({ hasPicture }) => hasPicture === true).map(({ name }) => name)).toEqual([
    "trace_request",
    "explain_failure",
    "explain_agent_run",
  ]);
});
