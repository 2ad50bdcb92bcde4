/** An API key that comes to see more: executions that n8n never listed before are read, wherever they are. */
import { expect, test } from "vitest";
import { createFakeN8n, fakeExecution } from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";
import { each } from "./queue-set-up.ts";
import { iso } from "./set-up.ts";

const MINUTE = 60_000;

test.each([2, 20])(
  "where one of %i executions is of a project that the user of the key joins",
  async (every) => {
    const traces = createTestTraces();
    traces.clock.time = Date.parse(iso(2_000));
    const all = each(1, 1_000, (id) =>
      fakeExecution(id, `r-${id}`, { workflowId: id % every === 1 ? "theirs" : "ours" }),
    );
    const n8n = createFakeN8n(all.filter(({ workflowId }) => workflowId === "ours"));
    const step = async (): Promise<void> => {
      await traces.step(n8n);
      traces.clock.time += MINUTE;
    };
    for (let steps = 0; steps < 3; steps += 1) await step();
    expect(await traces.ask(n8n, { requestId: "r-101" })).toMatchObject({ outcome: "not_found" });
    n8n.executions = all;
    for (let steps = 0; steps < 4; steps += 1) await step();
    expect(await traces.ask(n8n, { requestId: "r-101" })).toMatchObject({ found: true });
  },
);
