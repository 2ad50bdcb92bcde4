/** Shared reading uses its own share of n8n's limiter: nobody depends on the share of whoever came first. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { SlotSchedule } from "../../../src/n8n/limiter/slot-schedule.ts";
import type { Slot, TakeSlot } from "../../../src/n8n/slot.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { clientOf, createFakeN8n, fakeExecution, fakeHistory } from "../../support/fake-n8n.ts";
import { passing, sleep, tracesInPassingTime } from "../../support/passing-time.ts";
import { createTestTraces } from "../../support/test-traces.ts";
import { passTurns } from "./set-up.ts";

const REQUEST_MS = 25_000;
const refused = () => new ObserverError("RATE_LIMITED", "Too many.", { retryAfter: 3, solution: "Wait." });
const refuse: TakeSlot = async () => {
  await passTurns(20);
  throw refused();
};

test("a caller who joins the look of a user without a share left is not refused", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(50));
  await traces.ask(n8n, { requestId: "never" });
  n8n.executions.unshift(fakeExecution(51, "r-51"));
  const ofGreedy = { ...n8n, client: clientOf(n8n, { takeSlot: refuse }), clientOfAll: n8n.client };
  const greedy = traces.ask(ofGreedy, { requestId: "never" }, "greedy");
  await passTurns(2);
  expect(await traces.ask(n8n, { requestId: "r-51" }, "newcomer")).toMatchObject({ found: true });
  await greedy;
});

test("a caller who joins such a user's scan reads on alone once that user is refused", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(600));
  const ofGreedy = { ...n8n, client: clientOf(n8n, { takeSlot: refuse }) };
  const greedy = traces.ask(ofGreedy, { requestId: "never" }, "greedy");
  await passTurns(2);
  const newcomers = ["r-3", "r-500"].map((requestId) => traces.ask(n8n, { requestId }, requestId));
  await expect(greedy).rejects.toMatchObject({ code: "RATE_LIMITED" });
  for (const answer of await Promise.all(newcomers)) expect(answer).toMatchObject({ found: true });
});

/** A limiter that applies the real schedule. */
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
  "with an n8n that takes %d ms an answer and another user who never stops",
  (answerMs) => {
    afterEach(() => {
      vi.useRealTimers();
    });

    test.each([
      ["that user's requests", 0],
      ["a call of that user", 1],
      ["many calls of that user", 8],
    ])("a single call is answered despite %s", async (_what, calls) => {
      const traces = tracesInPassingTime();
      const n8n = createFakeN8n(fakeHistory(50));
      await passing(traces.ask(n8n, { requestId: "never" }));
      n8n.executions.unshift(fakeExecution(51, "r-51"));
      n8n.latencyMs = answerMs;
      const { slotsFor, end } = createLimiter();
      const askAs = async (userId: string, requestId: string) => {
        const clients = {
          client: clientOf(n8n, { takeSlot: slotsFor(userId) }),
          clientOfAll: clientOf(n8n, { takeSlot: slotsFor("for everybody") }),
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
