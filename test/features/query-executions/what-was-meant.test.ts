/** A count says what was counted: which part of a day, of which model, and what to ask for next. */
import { expect, test } from "vitest";
import * as z from "zod";
import { countedIn, executionsOf, failed, knownN8n, run } from "../failure-digest/known-n8n.ts";

const { query } = knownN8n(
  executionsOf([run("old", 300), run("orders", 74), failed("orders", 3), failed("tax", 2), run("orders", 1)]),
);
const answer = z.looseObject({ _guidance: z.looseObject({ example: z.string() }) });
const nextOf = (data: unknown): string => answer.parse(data)._guidance.example;

test("the first day of a window that begins within it is no whole day", async () => {
  const byDay = await query({ hours: 72, groupBy: ["day"] });
  // Another one ran on that day, before the window.
  expect(countedIn(byDay).groups[0]).toMatchObject({ day: "2026-11-15", count: 0 });
  expect(byDay.message).toContain("The first and the last day count only as far as the window reaches.");
});

test.each([
  ["UTC", "00:00Z"],
  ["Europe/Berlin", "00:00+01:00"],
])("whole days of %s are not said to be cut", async (timeZone, midnight) => {
  const window = { startedAfter: `2026-11-16T${midnight}`, startedBefore: `2026-11-18T${midnight}` };
  const { message } = await query({ ...window, timeZone, groupBy: ["day"] });
  expect(message).not.toContain("as far as the window reaches");
});

test.each([
  [{ mode: "production" }, "mode"],
  [{ node: "call tax" }, "node"],
])("where nothing has the value %j, it says how to see which there are", async (where, by) => {
  const { message, data } = await query({ where });
  expect(message).toContain(`Upper and lower case matter: groupBy ["${by}"] shows each ${by} of the window.`);
  expect(nextOf(data)).toBe(`query_executions({"groupBy":["${by}"]})`);
  expect((await query({ where: { status: "crashed" } })).message).not.toContain("Upper and lower case");
});

test("the causes of one workflow's failures are asked for with that workflow", async () => {
  const { data } = await query({ workflowId: "orders" });
  expect(nextOf(data)).toBe('summarize_failures({"workflowId":"orders"})');
});

test("sums of models and tools are said to be of those that are attached to a node", async () => {
  const words = "what a node asks a model by itself is not counted";
  expect((await query({ sortBy: "promptTokens" })).message).toContain(words);
  expect((await query({ sortBy: "items" })).message).not.toContain(words);
});

test("by model, it says that an execution counts for each", async () => {
  expect((await query({ groupBy: ["model"] })).message).toContain("once for each model that it called");
});
