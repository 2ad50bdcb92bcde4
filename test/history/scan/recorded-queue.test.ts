/** What a real n8n in queue mode answered is understood, and the fake one of the other tests lists as it did. */
import { expect, test } from "vitest";
import * as z from "zod";
import { type QueueMoment, readQueueMoments } from "../../recorded-n8n/queue.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n } from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const listed = z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) });
const execution = z.looseObject({ id: z.string(), status: z.string() });

const moments = await readQueueMoments();

function momentOf(name: string): QueueMoment {
  const moment = moments.find((each) => each.name === name);
  if (moment === undefined) throw new Error(`Nothing was recorded of “${name}”.`);
  return moment;
}

/** What n8n had at that moment: each execution as it answered it. */
const executionsOf = ({ replies }: QueueMoment): FakeExecution[] =>
  replies
    .filter(({ path, status }) => /\/executions\/\d+/.test(path) && status === 200)
    .map(({ body }) => execution.parse(body))
    .map((each) => ({ ...each, isQueued: each.status === "new" }));

const n8nAt = (name: string): FakeN8n => createFakeN8n(executionsOf(momentOf(name)));

test.each(moments.map(({ name }) => name))("the fake n8n lists what n8n listed: %s", async (name) => {
  const { fetch } = n8nAt(name);
  for (const { path, body } of momentOf(name).replies.filter((each) => !/\/\d+\?/.test(each.path))) {
    // `limit=0` is not asked for by anything here.
    if (path.endsWith("limit=0")) continue;
    const answer = await fetch(`https://n8n.example.com/api/v1${path}`, { headers: {} });
    expect(listed.parse(await answer.json()), path).toEqual(listed.parse(body));
  }
});

const newTraces = () => createTestTraces(undefined, createLocalCapabilities({ ...N8N_2, queues: null }));

test("a request is found while it waits, and when it has ended", async () => {
  const traces = newTraces();
  const queued = await traces.ask(n8nAt("queued"), { requestId: "queue-003" });
  expect(queued).toMatchObject({ outcome: "queued", found: true });
  expect(queued.sentence).toMatch(
    /it has been waiting in n8n's queue since 2026-\S+Z, with 2 executions ahead of it\./,
  );
  const ended = await traces.ask(n8nAt("ended"), { requestId: "queue-003" });
  expect(ended).toMatchObject({ outcome: "success", found: true });
});

test("a request whose worker was killed is running until n8n notices, and stays found", async () => {
  const traces = newTraces();
  const before = await traces.ask(n8nAt("worker killed"), { requestId: "lost-001" });
  expect(before).toMatchObject({ outcome: "running" });
  const after = await traces.ask(n8nAt("n8n has noticed"), { requestId: "lost-001" });
  expect(after).toMatchObject({ outcome: "error", found: true });
});

test("a request whose worker was killed, asked for too late, is not said to be none", async () => {
  const answer = await newTraces().ask(n8nAt("n8n has noticed"), { requestId: "lost-001" });
  expect(answer.coverage.complete).toBe(false);
  expect(answer.coverage.skipped).toContainEqual({
    executionId: expect.any(String),
    reason: "n8n dropped its data when its worker died: the id may have stood in it",
  });
});
