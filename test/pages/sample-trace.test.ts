/** The sample on the start page shows what the recorded n8n answers. */
import { expect, test } from "vitest";
import * as z from "zod";
import { SampleTrace } from "../../src/pages/sample-trace.tsx";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../support/call-recorded.ts";
import { dataOf } from "../support/envelopes.ts";

const traced = z.object({
  executions: z.array(
    z.object({
      workflowName: z.string(),
      status: z.string(),
      startOffsetMs: z.number(),
      durationMs: z.number(),
    }),
  ),
});

test("each execution of the sample has the recorded outcome, start and duration", async () => {
  const n8n = await startRecordedN8n();
  try {
    const caller = createCaller({ settings: settingsFor(n8n) });
    const { executions } = dataOf(
      await caller.call("trace_request", { requestId: "req-deep-failure" }),
      traced,
    );
    const total = Math.max(...executions.map(({ startOffsetMs, durationMs }) => startOffsetMs + durationMs));
    const percent = (ms: number): string => ((ms / total) * 100).toFixed(1);
    const lines = String(SampleTrace()).split("<li").slice(1);
    expect(lines).toHaveLength(4);
    for (const line of lines)
      expect(
        executions.filter(
          ({ workflowName, status, startOffsetMs, durationMs }) =>
            line.includes(`>${workflowName} <`) &&
            line.includes(`${status === "error" ? "failed" : "succeeded"}, ${durationMs} ms`) &&
            line.includes(`x="${percent(startOffsetMs)}" width="${percent(durationMs)}"`),
        ),
        line,
      ).toHaveLength(1);
  } finally {
    await n8n.close();
  }
});
