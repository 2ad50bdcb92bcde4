/** The recorded kinds, explained through the boundary that every call passes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { plannedKinds } from "../real-n8n/kinds/index.ts";
import { defaultN8nVersion } from "../real-n8n/versions.ts";
import { expectations } from "./expectations.ts";
import { judgeAll, shortcomingsOf, tallyOf } from "./judge-all.ts";
import { type RecordedKinds, startRecordedKinds } from "./recorded-kinds.ts";

let recorded: RecordedKinds;

beforeAll(async () => {
  recorded = await startRecordedKinds(defaultN8nVersion);
});
afterAll(async () => await recorded.n8n.close());

test("every kind is recorded and has an expectation", () => {
  const names = recorded.kinds.map(({ name }) => name);
  expect(names).toEqual(plannedKinds.map(({ name }) => name));
  const faulty = recorded.kinds.filter(({ family }) => family !== "ordinary").map(({ name }) => name);
  expect(faulty.toSorted()).toEqual(expectations.map(({ kind }) => kind).toSorted());
  for (const { name, judgedIds } of recorded.kinds) expect(judgedIds, name).not.toEqual([]);
});

test("there are enough kinds and executions to be meaningful", () => {
  const ordinary = recorded.kinds.filter(({ family }) => family === "ordinary");
  expect(expectations.length).toBeGreaterThanOrEqual(55);
  expect(ordinary.length).toBeGreaterThanOrEqual(20);
  expect(ordinary.flatMap(({ judgedIds }) => judgedIds).length).toBeGreaterThanOrEqual(100);
});

test("nine kinds of ten are explained, and no false alarm is raised", async () => {
  const judged = await judgeAll(recorded.kinds, recorded.explain);
  const { explained, kinds, falseAlarms } = tallyOf(judged);
  const shortcomings = shortcomingsOf(judged).join("\n");
  expect(falseAlarms, shortcomings).toBe(0);
  expect(explained / kinds, shortcomings).toBeGreaterThanOrEqual(0.9);
});
