/**
 * The database of an index holds nothing of a payload, neither in its rows nor in the bytes of its file, where deleted
 * rows stay for a while. Each recorded n8n is read into it; n8n fails and deletes, and users ask.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createN8nClient } from "../../src/n8n/client.ts";
import { View } from "../../src/n8n/view.ts";
import { canaryPattern, canaryValues } from "../real-n8n/canaries.ts";
import { type RecordedVersion, recordedVersions } from "../real-n8n/versions.ts";
import { readKinds } from "../recorded-n8n/kinds.ts";
import { readRecording } from "../recorded-n8n/recording.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n, fakeExecution } from "../support/fake-n8n.ts";
import { createLocalCapabilities } from "../support/local-capabilities.ts";
import { createLocalHistory, createLocalSql } from "../support/local-history.ts";
import { rowsOfAllTables } from "../support/stored-text.ts";
import {
  BACKGROUND,
  createTestTraces,
  type TestTraces,
  UNTIL_STATES_ARE_WRITTEN_MS,
  WINDOW,
} from "../support/test-traces.ts";

const SETTINGS = { days: 3_650 };
const E_MAIL = /[\w.+-]+@[\w-]+\.[a-z]{2,}/gi;

let folder: string;
let file: string;
let traces: TestTraces;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "index-"));
  file = join(folder, "index.sqlite");
  traces = createTestTraces(createLocalHistory(createLocalSql(file)), createLocalCapabilities());
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Steps until there is nothing left to read. */
async function readAll(n8n: FakeN8n): Promise<void> {
  for (let steps = 0; ; steps += 1) {
    const { nextMs } = await traces.step(n8n, SETTINGS);
    if (nextMs >= BACKGROUND.intervalMs) return;
    if (steps > 50) throw new Error("The sync does not finish.");
  }
}

/** Traces an unknown id, and searches for each text. */
async function askAll(n8n: FakeN8n, texts: readonly string[]): Promise<void> {
  await traces.ask(n8n, { requestId: "asked-for-and-nowhere", deep: true });
  const { instance } = traces.history;
  const caller = {
    userId: "bert",
    view: View.everything,
    sources: traces.sourcesOf(n8n),
    newId: () => `${traces.clock.time}`,
    progress: async () => {},
  };
  const how = { window: WINDOW, limit: 10, maxHits: 1, searchId: undefined, timeBudgetMs: 20_000 };
  for (const text of texts) {
    await instance.search({ ...how, query: { text } }, caller, async (value) => value);
    traces.clock.time += 1;
  }
  await sleep(UNTIL_STATES_ARE_WRITTEN_MS);
  expect([...traces.history.sql.exec("SELECT id FROM traces")].length).toBeGreaterThan(texts.length / 2);
}

/** Texts of a payload that are too long to occur elsewhere by chance. */
function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string" && value.length >= 10) found.add(value);
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) textsIn(member, found);
  return found;
}

/** The output of nodes and the texts of their errors. */
function payloadsOf(data: unknown): unknown[] {
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([key, value]: [string, unknown]) =>
    ["json", "customData", "message", "description", "stack"].includes(key) ? [value] : payloadsOf(value),
  );
}

type Answer = Readonly<Record<string, unknown>>;

const names = z.object({ name: z.string().optional(), nodes: z.array(z.object({ name: z.string() })) });

/** Texts that the index may keep although a payload can hold them: ids, times, modes, names of workflows and nodes. */
function keptTexts(answers: readonly Answer[], workflows: readonly unknown[]): Set<string> {
  const facts = answers.map(
    ({ data: _data, customData: _customData, workflowData: _workflow, ...each }) => each,
  );
  const named = workflows.map((workflow) => names.parse(workflow));
  return textsIn([facts, named]);
}

/** Texts of payloads that the index must not keep. */
function payloadTexts(answers: readonly Answer[], workflows: readonly unknown[]): string[] {
  const kept = keptTexts(answers, workflows);
  const texts = textsIn(answers.map(({ data, customData }) => [payloadsOf(data), customData]));
  // Names of error classes and models are kept.
  return [...texts].filter((text) => !kept.has(text) && !/^[A-Z]\w+Error$|^gpt-4[\w.-]*$/.test(text));
}

async function expectNothingIn(needles: readonly string[]): Promise<void> {
  const bytes = (await readFile(file)).toString("latin1");
  const rows = rowsOfAllTables(traces.history.sql);
  expect(rows.length).toBeGreaterThan(10_000);
  for (const stored of [rows, bytes]) expect(canaryPattern.exec(stored)?.[0]).toBeUndefined();
  // In the bytes, columns follow each other without a separator, so only the rows are matched.
  expect(rows.match(E_MAIL)).toBeNull();
  // Names of tables and columns are part of the file.
  const schema = JSON.stringify([...traces.history.sql.exec("SELECT sql FROM sqlite_master")]);
  const asBytes = (text: string): string => Buffer.from(text).toString("latin1");
  const asJson = (text: string): string => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1);
  const isStored = (text: string): boolean => rows.includes(asJson(text)) || bytes.includes(asBytes(text));
  expect(needles.filter((text) => !schema.includes(text) && isStored(text))).toEqual([]);
}

const knownRequestIds = async (version: RecordedVersion): Promise<string[]> => {
  const { scenarios, fillers } = (await readRecording(version)).manifest;
  return [...scenarios, ...fillers].map(({ requestId }) => requestId);
};

const PERSON = ["ana.lovelace@example.com", "q-of-ana", "Ana Lovelace", "+44 20 7946 0018"];

/** An execution with a person's data in each place that is read. */
function executionOfPerson(id: number): FakeExecution {
  const [mail, requestId = "", name, phone] = PERSON;
  const message = `No room for ${name}, ${mail}`;
  const data = {
    resultData: {
      runData: { Webhook: [{ executionStatus: "error", error: { message, name: "TypeError" } }] },
      error: { message, name: "TypeError" },
      lastNodeExecuted: "Webhook",
    },
  };
  const customData = { requestId, customer: mail, name, phone };
  return fakeExecution(id, requestId, { status: "error", data, customData });
}

describe.each(recordedVersions)("the index of a recorded n8n %s", (version) => {
  test("holds no secret, request id or text of any execution", async () => {
    const recorded = await startRecordedN8n({ version });
    try {
      const client = createN8nClient(recorded);
      const n8n = { ...createFakeN8n([]), client };
      await readAll(n8n);
      const { executions, snapshots } = await readRecording(version);
      expect(traces.history.instance.store.counts.all).toBeGreaterThanOrEqual(executions.length - 5);
      const ids = await knownRequestIds(version);
      const texts = payloadTexts(
        executions.map(({ answer }) => answer),
        snapshots,
      );
      expect(texts.length).toBeGreaterThan(70);
      recorded.faults.always({ kind: "status", status: 500, body: { message: `canary ${ids[0]}` } });
      await traces.step(n8n, SETTINGS);
      recorded.faults.clear();
      await askAll(n8n, [...canaryValues.slice(0, 3), ...texts.slice(0, 3)]);
      await expectNothingIn([...ids, ...texts, recorded.apiKey]);
    } finally {
      await recorded.close();
    }
  });

  test("holds no secret or text of any kind of failure or agent, even after deletion", async () => {
    const recorded = (await readKinds(version)).map(({ answer }, index) => ({
      ...answer,
      id: String(index + 1),
    }));
    const answers: FakeExecution[] = [...recorded, executionOfPerson(recorded.length + 1)];
    const n8n = createFakeN8n(answers);
    await readAll(n8n);
    n8n.executions = answers.slice(0, -10);
    // A newer execution, so that n8n's newest is above the deleted ones.
    n8n.executions.push(fakeExecution(answers.length + 1, "q-after"));
    await readAll(n8n);
    const texts = payloadTexts(
      answers,
      answers.map(({ workflowData }) => workflowData),
    );
    expect(texts.length).toBeGreaterThan(70);
    expect(traces.history.instance.store.counts.byKind().deleted).toBeGreaterThan(5);
    await expectNothingIn([...texts, ...PERSON, "q-after"]);
  });
});
