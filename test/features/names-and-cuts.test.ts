/** What the execution tools show of nodes whose names sound secret, and of texts that are too long. */
import { expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../support/call-recorded.ts";
import { dataOf } from "../support/envelopes.ts";
import { fakeExecution, jsonAnswer } from "../support/fake-n8n.ts";

const NODE = "Get access token";
const anyData = z.record(z.string(), z.unknown());

function executionWith(json: unknown) {
  const run = {
    startTime: 1,
    executionTime: 3,
    executionStatus: "success",
    source: [],
    data: { main: [[{ json }]] },
  };
  return fakeExecution(7, "req-1", {
    workflowData: { name: "Log in", nodes: [{ name: NODE, type: "n8n-nodes-base.httpRequest" }] },
    data: { resultData: { runData: { [NODE]: [run] }, lastNodeExecuted: NODE } },
  });
}

function callerOn(json: unknown) {
  return createCaller({ fetch: async () => jsonAnswer(executionWith(json)) });
}

const CALLS: [string, Record<string, unknown>][] = [
  ["get_execution", { id: "7" }],
  ["get_execution_by_node", { id: "7", nodeName: NODE }],
  ["get_execution_details", { executionId: "7" }],
];

test.each(CALLS)("a node named after a secret is shown by %s without a secret", async (tool, args) => {
  const data = dataOf(
    await callerOn({ city: "Lugo", access_token: "hunter2-7f3a" }).call(tool, args),
    anyData,
  );
  const shown = JSON.stringify(data);
  expect(shown).toContain(NODE);
  expect(shown).not.toContain("hunter2");
  expect(shown).toContain(tool === "get_execution" ? "n8n-nodes-base.httpRequest" : "Lugo");
  if (tool === "get_execution_details") expect(shown).toContain('"executionTime":3');
});

const CANARY = "Kb7wQz94xLpTXd2mVn58";

/** JSON with secrets close to the place where the reader cuts. */
function longText(before: number): string {
  const pad = "word ".repeat(before / 5);
  return JSON.stringify({
    pad,
    headers: [{ name: "X-Api-Key", value: CANARY }],
    log: `got\nghp_${CANARY}${CANARY}\nback`,
    password: CANARY,
    tail: "word ".repeat(5_000),
  });
}

const befores = Array.from({ length: 30 }, (_, step) => 7_700 + step * 10);
test.each(befores)(
  "a text longer than what is shown reveals no part of a secret behind %i characters",
  async (before) => {
    const caller = callerOn({ body: longText(before) });
    const shown = JSON.stringify(await caller.call("get_execution_details", { executionId: "7" }));
    expect(shown).toContain("word word");
    for (let at = 0; at + 8 <= CANARY.length; at += 1) expect(shown).not.toContain(CANARY.slice(at, at + 8));
  },
);
