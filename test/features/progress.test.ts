/** Progress starts at once, never goes back, and has a total where that is known. */
import { afterAll, expect, test } from "vitest";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../support/call-recorded.ts";

const n8n = await startRecordedN8n();
const caller = createCaller({ settings: settingsFor(n8n) });

afterAll(async () => await n8n.close());

const READING = "Reading executions, newest first";

/** In this order: the second trace finds what the first one remembered, the third reads nothing new. */
const CALLS: readonly (readonly [
  what: string,
  tool: string,
  args: object,
  first: string | RegExp,
  total: "total" | "no total",
])[] = [
  ["a first trace", "trace_request", { requestId: "req-100" }, READING, "no total"],
  ["a known request", "trace_request", { requestId: "req-100" }, /^Found: execution \d+, known/, "no total"],
  ["a missing request", "trace_request", { requestId: "req-of-nobody" }, READING, "no total"],
  ["a search", "search_executions", { text: "req-100" }, READING, "no total"],
  ["a search for nothing", "search_executions", { text: "nowhere to be found" }, READING, "no total"],
  ["checks", "check_connection", {}, "Checking whether n8n answers", "total"],
  ["an audit", "audit_workflow", {}, "Reading the workflows of the instance", "total"],
  ["a map", "map_mcp_server", {}, "Reading the workflows of the instance", "no total"],
  [
    "a check of runs",
    "check_tool_contract",
    { workflowId: "1XeIfz7HPI4BwIKP" },
    /^Looking at \d+ runs?$/,
    "total",
  ],
];

test.each(CALLS)(
  "the progress of %s (%s) starts at once and never goes back",
  async (_what, tool, args, first, total) => {
    caller.updates.length = 0;
    expect(await caller.call(tool, args)).toMatchObject({ status: "success" });
    const { updates } = caller;
    const messages = updates.map(({ message }) => message);
    expect(messages[0]).toMatch(first);
    expect(messages.filter((message) => /\b0 (?:executions|workflows|runs|checks)/.test(message))).toEqual(
      [],
    );
    const done = updates.map((update) => update.done);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    const totals = [...new Set(updates.map((update) => update.total).filter((each) => each !== undefined))];
    expect(totals.length).toBe(total === "total" ? 1 : 0);
    expect(Math.max(...done)).toBeLessThanOrEqual(totals[0] ?? Number.POSITIVE_INFINITY);
  },
);
