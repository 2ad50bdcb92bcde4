/** What is read for all who ask is asked of n8n as one more user: nobody stands in the line of whoever came first. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { createN8nClient, type N8nClient } from "../../../src/n8n/client.ts";
import { SlotSchedule } from "../../../src/n8n/limiter/slot-schedule.ts";
import type { Slot, TakeSlot } from "../../../src/n8n/slot.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, fakeHistory } from "../../support/fake-n8n.ts";
import { passing, sleep, tracesInPassingTime } from "../../support/passing-time.ts";
import { createTestTraces } from "../../support/test-traces.ts";
import { passTurns } from "./set-up.ts";

const REQUEST_MS = 25_000;
const refused = () => new ObserverError("RATE_LIMITED", "Too many.", { retryAfter: 3, solution: "Wait." });
const refuse: TakeSlot = async () => {
  await passTurns(20);
  throw refused();
};

function clientOf({ fetch }: FakeN8n, takeSlot: TakeSlot): N8nClient {
  const access = { baseUrl: "http://localhost:1", apiKey: "fake-key-of-the-tests" };
  return createN8nClient(access, { fetch, takeSlot });
}

test("who joins the look of a user whose share is used up is not refused for it", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(50));
  await traces.ask(n8n, { requestId: "never" });
  n8n.executions.unshift(fakeExecution(51, "r-51"));
  const ofGreedy = { ...n8n, client: clientOf(n8n, refuse), clientOfAll: n8n.client };
  const greedy = traces.ask(ofGreedy, { requestId: "never" }, "greedy");
  await passTurns(2);
  expect(await traces.ask(n8n, { requestId: "r-51" }, "newcomer")).toMatchObject({ found: true });
  await greedy;
});

test("who joins such a user in reading what is not known reads on alone once that one is refused", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(600));
  const ofGreedy = { ...n8n, client: clientOf(n8n, refuse) };
  const greedy = traces.ask(ofGreedy, { requestId: "never" }, "greedy");
  await passTurns(2);
  const newcomers = ["r-3", "r-500"].map((requestId) => traces.ask(n8n, { requestId }, requestId));
  await expect(greedy).rejects.toMatchObject({ code: "RATE_LIMITED" });
  for (const answer of await Promise.all(newcomers)) expect(answer).toMatchObject({ found: true });
});

/** The schedule of the limiter, for slots that end. */
function createLimiter() {
  const schedule = new SlotSchedule({ maxConcurrent: 4, requestsPerMinute: 100_000 });
  const waiting = new Map<number, PromiseWithResolvers<Slot>>();
  const decide = (): void => {
    for (const decision of schedule.decide(Date.now())) {
      const one = waiting.get(decision.requestId);
      waiting.delete(decision.requestId);
      if (!("slot" in decision)) one?.reject(refused());
      else
        one?.resolve({
          pause: async () => {},
          end: () => {
            schedule.end(decision.slot.id, Date.now());
            decide();
          },
        });
    }
  };
  const ticking = setInterval(decide, 50);
  const slotsFor =
    (userId: string): TakeSlot =>
    async (timeLeftMs) => {
      const asked = schedule.request(userId, Date.now(), timeLeftMs);
      if ("retryAfter" in asked) throw refused();
      const one = Promise.withResolvers<Slot>();
      waiting.set(asked.requestId, one);
      decide();
      return await one.promise;
    };
  return { slotsFor, end: () => clearInterval(ticking) };
}

describe.each([2_000, 3_000])(
  "of an n8n that takes %d ms an answer, and that another user asks without end",
  (answerMs) => {
    afterEach(() => {
      vi.useRealTimers();
    });

    test.each([
      ["their own look", 0],
      ["the look of that user", 1],
      ["many calls of that user", 8],
    ])("who asks once is answered by %s", async (_what, calls) => {
      const traces = tracesInPassingTime();
      const n8n = createFakeN8n(fakeHistory(50));
      await passing(traces.ask(n8n, { requestId: "never" }));
      n8n.executions.unshift(fakeExecution(51, "r-51"));
      n8n.latencyMs = answerMs;
      const { slotsFor, end } = createLimiter();
      const askAs = async (userId: string, requestId: string) => {
        const clients = {
          client: clientOf(n8n, slotsFor(userId)),
          clientOfAll: clientOf(n8n, slotsFor("for everybody")),
        };
        return await traces.ask({ ...n8n, ...clients }, { requestId }, userId);
      };
      let isOver = false;
      const goOn = async (ask: () => Promise<unknown>): Promise<void> => {
        while (!isOver) await ask().catch(async () => await sleep(500));
      };
      const asking = async (): Promise<void> => {
        const taken = await slotsFor("greedy")(REQUEST_MS);
        await sleep(answerMs);
        taken.end();
      };
      const greedy = Array.from({ length: 16 }, async () => await goOn(asking));
      await passing(sleep(5_000));
      for (let call = 0; call < calls; call += 1)
        greedy.push(goOn(async () => await askAs("greedy", "never")));
      await vi.advanceTimersByTimeAsync(100);
      const { result } = await passing(askAs("newcomer", "r-51"));
      isOver = true;
      await passing(Promise.all(greedy));
      end();
      expect(result).toMatchObject({ found: true });
    });
  },
);
