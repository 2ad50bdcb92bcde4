/**
 * Every request sent during the recording, on each recorded n8n, is traced as it happened: by a new trace, and by one
 * over known history. The trace does not know the version.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TraceAnswer, traceRequest } from "../../../src/features/trace-request/trace.ts";
import { createCorrelationDigest } from "../../../src/history/request-ids/correlation-digest.ts";
import { timeInId } from "../../../src/history/request-ids/id-time.ts";
import type { TraceQuery } from "../../../src/history/trace/history-trace.ts";
import { KnownCapabilities } from "../../../src/n8n/capabilities/store.ts";
import { createN8nClient } from "../../../src/n8n/client.ts";
import { View } from "../../../src/n8n/view.ts";
import type { RecordedVersion } from "../../real-n8n/versions.ts";
import { type RecordedScenario, readRecording } from "../../recorded-n8n/recording.ts";
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createLocalCapabilities, type LocalCapabilities } from "../../support/local-capabilities.ts";
import {
  createLocalHistory,
  type LocalHistory,
  queriesOf,
  withoutLooks,
} from "../../support/local-history.ts";
import { createLocalIds } from "../../support/local-ids.ts";
import { createLocalTerms } from "../../support/local-terms.ts";

const NO_WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };

interface User {
  readonly history: LocalHistory;
  readonly capabilities: LocalCapabilities;
}

const newUser = (): User => ({ history: createLocalHistory(), capabilities: createLocalCapabilities() });

async function ask(
  n8n: RecordedN8n,
  { history, capabilities }: User,
  args: Partial<TraceQuery>,
): Promise<TraceAnswer> {
  const client = createN8nClient({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey });
  const paths = createLocalIds();
  const queries = queriesOf(history, {
    userId: "anna",
    view: View.everything,
    sources: {
      client,
      capabilities: new KnownCapabilities(capabilities),
      digest: createCorrelationDigest("key", "n8n"),
      paths,
      clock: { now: Date.now, sleep: async () => {} },
      redactLarge: async (value) => value,
      terms: createLocalTerms(),
    },
    newId: () => "test-abcdef",
  });
  return await traceRequest(
    {
      requestId: undefined,
      window: NO_WINDOW,
      limit: 2_000,
      traceId: undefined,
      deep: false,
      timeBudgetMs: 20_000,
      mayReadData: true,
      ...args,
    },
    { history: withoutLooks(queries), paths, progress: async () => {} },
  );
}

/** @param stoppedBy `id_time` for an id that carries its time, where later executions are not known */
function expectTruth(answer: TraceAnswer, { expected }: RecordedScenario, stoppedBy = "complete"): void {
  expect(answer.found).toBe(true);
  expect(answer.outcome).toBe(expected.outcome);
  const family = answer.executions.filter((node) => node.role !== "related");
  expect(family.map((node) => node.id).sort()).toEqual([...expected.executionIds].sort());
  const entries = family.filter((node) => node.role === "entry");
  expect(entries.map((node) => node.id)).toEqual(expected.entryIds);
  expect(new Set(entries.map((node) => node.workflowName))).toEqual(new Set([expected.entryWorkflowName]));
  const subWorkflows = family.filter(({ role }) => role === "sub_workflow");
  expect(new Set(subWorkflows.map(({ workflowName }) => workflowName))).toEqual(
    new Set(expected.subWorkflowNames),
  );
  expect(family.some((node) => node.role === "error_handler")).toBe(expected.errorHandler);
  expect(family.some((node) => node.role === "retry")).toBe(expected.retry);
  const { failure } = answer;
  const failing =
    failure === null ? undefined : { workflowName: failure.workflowName, nodeName: failure.nodeName };
  expect(failing).toEqual(expected.failingNode);
  expect(answer.coverage).toMatchObject({
    complete: stoppedBy === "complete",
    ...{ stoppedBy, skipped: [] },
  });
  for (const node of family)
    expect(
      node.role === "entry" ? node.parentId === null : family.some(({ id }) => id === node.parentId),
    ).toBe(true);
}

/** The tests on the n8n of this version. */
export async function testTracesOn(version: RecordedVersion): Promise<void> {
  const { manifest } = await readRecording(version);
  const scenarios = manifest.scenarios.map((scenario) => [scenario.name, scenario] as const);
  let n8n: RecordedN8n;
  const known = newUser();
  beforeAll(async () => {
    n8n = await startRecordedN8n({ version });
    await ask(n8n, known, { requestId: "never sent" });
  });
  afterAll(async () => {
    await n8n.close();
  });

  test.each(scenarios)("the request of %s is traced as it happened", async (_name, scenario) => {
    const { requestId } = scenario;
    const anew = timeInId(requestId, Date.now()) === null ? "complete" : "id_time";
    expectTruth(await ask(n8n, newUser(), { requestId }), scenario, anew);
    expectTruth(await ask(n8n, known, { requestId }), scenario);
    expectTruth(await ask(n8n, known, { requestId, deep: true }), scenario);
  });

  test("a window of one workflow includes its waiting execution", async () => {
    const scenario = manifest.scenarios.find(({ name }) => name === "waiting");
    const [id = ""] = scenario?.expected.entryIds ?? [];
    const { workflowId } = await createN8nClient(n8n).readExecutionItem(id);
    const window = { ...NO_WINDOW, workflowId };
    const user = newUser();
    for (const _time of [1, 2])
      expect(await ask(n8n, user, { requestId: scenario?.requestId, window })).toMatchObject({
        outcome: "waiting",
        coverage: { complete: true },
      });
  });

  test("executions that n8n does not have are requested once", async () => {
    const user = newUser();
    await ask(n8n, user, { requestId: "never sent" });
    n8n.requests.length = 0;
    const answer = await ask(n8n, user, { requestId: "never sent either" });
    expect(answer).toMatchObject({
      outcome: "not_found",
      coverage: { complete: true },
    });
    // The ones that have not ended, and the ids above the newest.
    expect(n8n.requests.length).toBeLessThan(20);
  });
}
