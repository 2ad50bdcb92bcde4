/** The recorded answers of an n8n in queue mode are understood, and the fake n8n of other tests lists alike. */
import { expect, test } from "vitest";
import * as z from "zod";
import { type QueueMoment, readQueueMoments } from "../../recorded-n8n/queue.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n } from "../../support/fake-n8n.ts";
import { tracesOf } from "./queue-set-up.ts";

const listed = z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) });
const execution = z.looseObject({ id: z.string(), status: z.string() });

const moments = await readQueueMoments();

function momentOf(name: string): QueueMoment {
  const moment = moments.find((each) => each.name === name);
  if (moment === undefined) throw new Error(`Nothing was recorded of “${name}”.`);
  return moment;
}

/** The executions that n8n had at that moment, as it returned them. */
const executionsOf = ({ replies }: QueueMoment): FakeExecution[] =>
  replies
    .filter(({ path, status }) => /\/executions\/\d+/.test(path) && status === 200)
    .map(({ body }) => execution.parse(body))
    .map((each) => ({ ...each, isQueued: each.status === "new" }));

const n8nAt = (name: string): FakeN8n => createFakeN8n(executionsOf(momentOf(name)));

test.each(moments.map(({ name }) => name))(
  "the fake n8n lists what the real one listed: %s",
  async (name) => {
    const { fetch } = n8nAt(name);
    for (const { path, body } of momentOf(name).replies.filter((each) => !/\/\d+\?/.test(each.path))) {
      // Nothing here sends `limit=0`.
      if (path.endsWith("limit=0")) continue;
      const answer = await fetch(`https://n8n.example.com/api/v1${path}`, { headers: {} });
      expect(listed.parse(await answer.json()), path).toEqual(listed.parse(body));
    }
  },
);

test("a request is found while it is queued and after it has ended", async () => {
  const traces = tracesOf(null);
  const queued = await traces.ask(n8nAt("queued"), { requestId: "queue-003" });
  expect(queued).toMatchObject({ outcome: "queued", found: true });
  expect(queued.sentence).toMatch(
    /it has been waiting in n8n's queue since 2026-\S+Z, with 2 executions ahead of it\./,
  );
  const ended = await traces.ask(n8nAt("ended"), { requestId: "queue-003" });
  expect(ended).toMatchObject({ outcome: "success", found: true });
});

test("a request whose worker was killed is running until n8n notices, and is found afterwards", async () => {
  const traces = tracesOf(null);
  const before = await traces.ask(n8nAt("worker killed"), { requestId: "lost-001" });
  expect(before).toMatchObject({ outcome: "running" });
  const after = await traces.ask(n8nAt("n8n has noticed"), { requestId: "lost-001" });
  expect(after).toMatchObject({ outcome: "error", found: true });
});

test("a trace begun after n8n dropped a killed worker's data is incomplete", async () => {
  const answer = await tracesOf(null).ask(n8nAt("n8n has noticed"), { requestId: "lost-001" });
  expect(answer.coverage.complete).toBe(false);
  expect(answer.coverage.skipped).toContainEqual({
    executionId: expect.any(String),
    reason: "n8n lost its data when its worker died: it may have contained the id",
  });
});
