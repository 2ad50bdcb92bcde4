/** Compares two n8n that differ only in the data of hidden executions: a restricted caller gets the same answers. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { View } from "../../src/n8n/view.ts";
import type { FakeExecution } from "../support/fake-n8n.ts";
import { webhookData } from "../support/fake-n8n.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { createLivingN8n, happen, happening, kindOfN8n, REQUEST_IDS, window } from "../support/living-n8n.ts";
import { modelParameters, patient } from "../support/model-runs.ts";
import { tryAs, type User } from "../support/ruled-users.ts";

const ask = fc.record({
  kind: fc.constant("ask" as const),
  requestId: fc.constantFrom(...REQUEST_IDS),
  window,
  limit: fc.constantFrom(40, 2_000),
});
const view = fc.constantFrom(
  View.from({ seen: ["w1"], data: ["w1"] }),
  View.from({ seen: ["w1"], data: [] }),
);

/** Gives executions of w2 another request id. */
function withOtherData(): (one: FakeExecution) => FakeExecution {
  const made = new WeakMap<FakeExecution, FakeExecution>();
  return (one) => {
    if (one.workflowId !== "w2") return one;
    const other = made.get(one) ?? { ...one, data: webhookData({ body: { requestId: "other" } }) };
    made.set(one, other);
    return other;
  };
}

test("the data of hidden executions changes no answer", { ...inBothLanes, ...patient }, async () => {
  await fc.assert(
    fc.asyncProperty(
      kindOfN8n,
      view,
      fc.array(fc.oneof(happening, ask), { minLength: 2, maxLength: 10 }),
      ask,
      async (kind, seen, commands, last) => {
        const answers = [];
        for (const isOther of [false, true]) {
          const living = createLivingN8n(kind);
          if (isOther) living.n8n.shown = withOtherData();
          const user: User = { userId: "anna", view: seen };
          const replies = [];
          for (const one of [...commands, last])
            if (one.kind === "ask") {
              const from = living.traces.messages.length;
              const { kind: _kind, ...args } = one;
              replies.push([await tryAs(living, user, args), living.traces.messages.slice(from)]);
            } else happen(living, one);
          answers.push(JSON.stringify(replies));
        }
        expect(answers[1]).toBe(answers[0]);
      },
    ),
    modelParameters(runs(60)),
  );
});
