/** The trace engine on the recorded n8n: every request that was sent while recording, against the truth about it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { N8nClient } from "../../src/n8n/client.ts";
import { DEFAULT_REQUEST_ID_PATHS } from "../../src/settings.ts";
import { createCorrelationDigest } from "../../src/trace/correlation-digest.ts";
import { compileRequestIdPaths } from "../../src/trace/request-id-paths.ts";
import { type TraceAnswer, type TraceArguments, traceRequest } from "../../src/trace/trace-request.ts";
import { readRecording } from "../recorded-n8n/recording.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { createLocalTraceMemory, type LocalTraceMemory } from "../support/local-trace-memory.ts";

const { manifest } = await readRecording();
let n8n: RecordedN8n;
let memory: LocalTraceMemory;

beforeAll(async () => {
  n8n = await startRecordedN8n();
});
afterAll(async () => {
  await n8n.close();
});
beforeEach(() => {
  memory = createLocalTraceMemory();
  n8n.faults.clear();
  n8n.requests.length = 0;
});

const NO_WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };

async function ask(args: Partial<TraceArguments>): Promise<TraceAnswer> {
  return await traceRequest(
    {
      requestId: undefined,
      window: NO_WINDOW,
      limit: 2_000,
      traceId: undefined,
      deep: false,
      timeBudgetMs: 20_000,
      ...args,
    },
    {
      client: new N8nClient({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey }),
      memory,
      digest: createCorrelationDigest("key", "user"),
      paths: compileRequestIdPaths(DEFAULT_REQUEST_ID_PATHS),
      clock: { now: Date.now, sleep: async () => {} },
      redactLarge: async (value) => value,
      mayReadData: true,
      newTraceId: () => "trace_test-abcdef",
      progress: async () => {},
    },
  );
}

describe("every recorded request", () => {
  test.each(manifest.scenarios.map((scenario) => [scenario.name, scenario] as const))(
    "%s",
    async (_name, scenario) => {
      const { expected } = scenario;
      const answer = await ask({ requestId: scenario.requestId });
      expect(answer.found).toBe(true);
      expect(answer.outcome).toBe(expected.outcome);
      const family = answer.executions.filter((node) => node.role !== "related");
      expect(family.map((node) => node.id).sort()).toEqual([...expected.executionIds].sort());
      const entries = family.filter((node) => node.role === "entry");
      expect(entries.map((node) => node.id)).toEqual(expected.entryIds);
      expect(new Set(entries.map((node) => node.workflowName))).toEqual(
        new Set([expected.entryWorkflowName]),
      );
      const subWorkflows = family
        .filter((node) => node.role === "sub_workflow")
        .map((node) => node.workflowName);
      expect(new Set(subWorkflows)).toEqual(new Set(expected.subWorkflowNames));
      expect(family.some((node) => node.role === "error_handler")).toBe(expected.errorHandler);
      expect(family.some((node) => node.role === "retry")).toBe(expected.retry);
      const failing =
        answer.failure === null
          ? undefined
          : { workflowName: answer.failure.workflowName, nodeName: answer.failure.nodeName };
      expect(failing).toEqual(expected.failingNode);
      expect(answer.coverage).toMatchObject({ complete: true, stoppedBy: "complete", skipped: [] });
      for (const node of family)
        expect(
          node.role === "entry" ? node.parentId === null : family.some(({ id }) => id === node.parentId),
        ).toBe(true);
    },
  );
});
