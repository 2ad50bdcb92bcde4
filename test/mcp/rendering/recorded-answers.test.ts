/** The cost of answers for a model, by real tokenizers. docs/text-answers.md has the figures. */
import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { traceRequest } from "../../../src/features/trace-request/trace-request.ts";
import { renderAnswer } from "../../../src/mcp/rendering/render-answer.ts";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import { ASKED, measureAnswer } from "../../support/recorded-answers.ts";
import { countTokens } from "../../support/token-counts.ts";

const four = z.object({ executions: z.array(z.unknown()).length(4) });

const n8n = await startRecordedN8n();
const caller = createCaller({ settings: settingsFor(n8n) });

afterAll(async () => await n8n.close());

test.each(Object.keys(ASKED))("%s takes no more tokens as text than as JSON", async (what) => {
  const { answer, json, text } = await measureAnswer(caller, what);
  expect(answer.status).toBe(what === "an error" ? "error" : "success");
  expect(text).toBeLessThan(json);
});

test("each trace of four executions takes at most 450 tokens", async () => {
  const traces = await Promise.all(
    n8n.scenarios.map(async ({ requestId }) => await caller.call("trace_request", { requestId })),
  );
  const ofFour = traces.filter(({ data }) => four.safeParse(data).success);
  expect(ofFour.length).toBeGreaterThan(1);
  for (const answer of ofFour) {
    expect(countTokens(JSON.stringify(answer)), answer.message).toBeLessThanOrEqual(450);
    expect(countTokens(renderAnswer(answer, traceRequest.rendering)), answer.message).toBeLessThanOrEqual(
      450,
    );
  }
});
