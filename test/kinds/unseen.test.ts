/**
 * Explanations of the second hold-out, as far as its executions are kept: they are true, of the class written down
 * beforehand, and without the scope for payloads they show none.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { keptKinds, unseenKinds } from "../real-n8n/unseen/index.ts";
import { recordedVersions } from "../real-n8n/versions.ts";
import { readFailures, toRecording, unseenDirectory } from "../recorded-n8n/failures.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { judgeExplanation, judgeOrdinary } from "./judge.ts";
import { EXPLAIN_TOOL } from "./recorded-kinds.ts";

const planned = unseenKinds({
  odd: { url: "http://127.0.0.1:9096", close: async () => {} },
  model: {
    urlOf: () => "http://127.0.0.1:9097",
    uncountedUrlOf: () => "http://127.0.0.1:9097",
    takeServed: () => ({ completions: 0, promptTokens: 0, completionTokens: 0 }),
    close: async () => {},
  },
  agentVersion: 3,
});
const answer = z.looseObject({ data: z.looseObject({ explanation: z.looseObject({ cause: z.string() }) }) });

for (const version of recordedVersions.filter((each) => keptKinds[each].length > 0))
  describe(`n8n ${version}`, async () => {
    const failures = await readFailures(version, unseenDirectory);
    let n8n: RecordedN8n;
    let callers: readonly Caller[];
    beforeAll(async () => {
      n8n = await startRecordedN8n({ version, recording: await toRecording(version, failures) });
      const settings = settingsFor(n8n);
      callers = [createCaller({ settings }), createCaller({ settings, scopes: ["n8n:read"] })];
    });
    afterAll(async () => await n8n.close());

    test("every kept kind is recorded", () => {
      expect(failures.kinds.map(({ name }) => name)).toEqual(keptKinds[version]);
    });

    test.each(failures.kinds)("$name is explained", async ({ name, family, judgedIds, nodeNames }) => {
      const { expected } = planned.find((kind) => kind.name === name) ?? {};
      for (const executionId of judgedIds) {
        for (const caller of callers) {
          const answered = await caller.call(EXPLAIN_TOOL, { executionId });
          if (family === "ordinary") {
            expect(judgeOrdinary(answered, nodeNames)).toMatchObject({ verdict: "calm" });
          } else if (expected !== undefined) {
            const { verdict, why, sentence } = judgeExplanation(
              answered,
              { kind: name, ...expected },
              nodeNames,
            );
            expect(verdict, `${why}\n${sentence}`).toBe("explained");
            const { cause } = answer.parse(answered).data.explanation;
            expect([...expected.causes, ...(CAUSES_OF[`${version} ${name}`] ?? [])]).toContain(cause);
          } else throw new Error(`There is no expectation for ${name}.`);
        }
        const withoutData = await callers[1]?.call(EXPLAIN_TOOL, { executionId });
        expect(JSON.stringify(withoutData)).not.toMatch(/planted/i);
      }
    });
  });

/** Further causes where an n8n version behaves differently from the expected one. */
const CAUSES_OF: Readonly<Record<string, readonly string[]>> = {
  // A tool that throws ends the execution.
  "1.123.81 agent-tool-answers-404": ["agent_stopped"],
};
