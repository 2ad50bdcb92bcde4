/** Who gets a slot, and when: properties of any requests, and typical cases. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestRate } from "../../../src/n8n/limiter/request-rate.ts";
import {
  BACKGROUND_USER,
  EVERYBODY,
  MAX_WAITING_OF_USER,
  type Slot,
  SlotSchedule,
} from "../../../src/n8n/limiter/slot-schedule.ts";
import {
  LEAST_REQUEST_MS,
  LONGEST_REQUEST_MS,
  REQUEST_MS,
  SLOT_LEASE_MS,
  SLOT_WAIT_MS,
} from "../../../src/platform/time-limits.ts";
import type { N8nLimits } from "../../../src/settings/index.ts";

const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
/** How long a user counts as present after a request. */
const PRESENT_MS = 5_000;
const MANY: N8nLimits = { maxConcurrent: 4, requestsPerMinute: 100_000 };

interface Asked {
  readonly requestId: number;
  readonly userId: string;
  readonly until: number;
}

/** The users who get a slot now. */
const usersOf = (schedule: SlotSchedule): string[] =>
  schedule.decide(START).flatMap((decision) => ("slot" in decision ? [decision.slot.userId] : []));

/** Drives a schedule as the Durable Object does, and records its decisions. */
class Driver {
  now = START;
  readonly limits: N8nLimits;
  schedule: SlotSchedule;
  readonly waiting: Asked[] = [];
  readonly granted: { readonly at: number; readonly slot: Slot }[] = [];
  readonly refused: { readonly at: number; readonly asked: Asked; readonly retryAfter: number }[] = [];
  readonly running = new Map<number, Slot>();
  /** Called with each user who gets a slot, before it counts as running. */
  onGrant: (userId: string) => void = () => {};

  constructor(limits: N8nLimits) {
    this.limits = limits;
    this.schedule = new SlotSchedule(limits);
  }

  ask(userId: string, maxWaitMs = 10_000): number | undefined {
    const asked = this.schedule.request(userId, this.now, maxWaitMs);
    if ("retryAfter" in asked) {
      expect(asked.retryAfter).toBeGreaterThanOrEqual(1);
      return undefined;
    }
    this.waiting.push({ requestId: asked.requestId, userId, until: this.now + maxWaitMs });
    this.decide();
    return asked.requestId;
  }

  decide(): void {
    for (const [id, slot] of this.running) if (slot.expiresAt <= this.now) this.running.delete(id);
    for (const decision of this.schedule.decide(this.now)) {
      const index = this.waiting.findIndex(({ requestId }) => requestId === decision.requestId);
      const [asked] = this.waiting.splice(index, 1);
      if (index < 0 || asked === undefined) throw new Error("A decision about nothing that waits.");
      if ("retryAfter" in decision) {
        this.refused.push({ at: this.now, asked, retryAfter: decision.retryAfter });
        continue;
      }
      expect(decision.slot.userId).toBe(asked.userId);
      expect(this.running.has(decision.slot.id)).toBe(false);
      this.onGrant(asked.userId);
      this.granted.push({ at: this.now, slot: decision.slot });
      this.running.set(decision.slot.id, decision.slot);
    }
  }

  /** Ends the running slot at this position, if there is one. */
  end(place: number): void {
    const id = [...this.running.keys()][place % Math.max(1, this.running.size)];
    if (id === undefined) return;
    this.running.delete(id);
    this.schedule.end(id, this.now);
    this.decide();
  }

  /** Lets time pass, and wakes the schedule when it asked for it. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (;;) {
      const next = this.schedule.nextDecisionAt(this.now);
      if (next === null || next > end) break;
      expect(next).toBeGreaterThan(this.now);
      this.now = next;
      this.decide();
    }
    this.now = end;
  }

  /** After a restart waiting users have to ask again, and slots can no longer be ended. */
  restart(): void {
    this.schedule = new SlotSchedule(this.limits, structuredClone(this.schedule.state));
    this.waiting.length = 0;
    this.running.clear();
  }

  runningOf(userId: string): number {
    return [...this.running.values()].filter((slot) => slot.userId === userId).length;
  }

  slotsOf(userId: string): number {
    return this.granted.filter(({ slot }) => slot.userId === userId).length;
  }
}

type Step =
  | { readonly kind: "ask"; readonly userId: string; readonly maxWaitMs: number }
  | { readonly kind: "end"; readonly place: number }
  | { readonly kind: "pass"; readonly milliseconds: number }
  | { readonly kind: "pause"; readonly milliseconds: number }
  | { readonly kind: "restart" };

const users = fc.constantFrom("anna", "bert", "cleo", "dora", "emil");
const ask = fc.record({
  kind: fc.constant("ask" as const),
  userId: users,
  maxWaitMs: fc.constantFrom(0, 500, 10_000),
});
const end = fc.record({ kind: fc.constant("end" as const), place: fc.nat(100) });
const pass = fc.record({
  kind: fc.constant("pass" as const),
  milliseconds: fc.oneof(fc.nat(50), fc.nat(5_000), fc.nat(70_000)),
});
const pause = fc.record({ kind: fc.constant("pause" as const), milliseconds: fc.nat(90_000) });
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: ask },
    { weight: 5, arbitrary: end },
    { weight: 2, arbitrary: pass },
    pause,
  ),
  { size: "max", maxLength: 150 },
);
const limits = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 8 }),
  requestsPerMinute: fc.integer({ min: 20, max: 120 }),
});

const shareOf = (maxConcurrent: number): number =>
  Math.min(maxConcurrent, Math.max(2, Math.floor(maxConcurrent / 2)));

function perform(driver: Driver, step: Step): void {
  if (step.kind === "ask") driver.ask(step.userId, step.maxWaitMs);
  else if (step.kind === "end") driver.end(step.place);
  else if (step.kind === "pass") driver.pass(step.milliseconds);
  else if (step.kind === "pause") driver.schedule.pause(step.milliseconds, driver.now);
  else driver.restart();
}

function mostInAnyMinute(times: readonly number[]): number {
  const counts = times.map((from) => times.filter((at) => at >= from && at <= from + MINUTE_MS).length);
  return Math.max(0, ...counts);
}

/** Checks a rule with any limits. */
function forAny<Value>(
  values: fc.Arbitrary<Value>,
  check: (driver: Driver, value: Value, bounds: N8nLimits) => void,
): void {
  fc.assert(fc.property(limits, values, (bounds, value) => check(new Driver(bounds), value, bounds)));
}

describe("for any requests", () => {
  const restart = fc.constant({ kind: "restart" as const });
  const withRestarts = fc.array(
    fc.oneof({ weight: 8, arbitrary: ask }, { weight: 2, arbitrary: end }, pass, restart),
    { size: "max", maxLength: 150 },
  );

  test.each<[string, fc.Arbitrary<Step[]>]>([
    ["pauses", steps],
    ["restarts", withRestarts],
  ])("with %s there are never more slots at once, or in any minute, than the limits allow", (_with, any) => {
    forAny(any, (driver, all, bounds) => {
      for (const step of all) {
        perform(driver, step);
        expect(driver.running.size).toBeLessThanOrEqual(bounds.maxConcurrent);
      }
      const times = driver.granted.map(({ at }) => at);
      expect(mostInAnyMinute(times)).toBeLessThanOrEqual(bounds.requestsPerMinute);
    });
  });

  test("while others are present, nobody gets more slots at once than their share", () => {
    forAny(steps, (driver, all, bounds) => {
      const askedAt = new Map<string, number>();
      driver.onGrant = (userId) => {
        const isBesideOthers = [...askedAt].some(
          ([other, at]) => other !== userId && driver.now < at + PRESENT_MS,
        );
        // The slot being granted does not run yet.
        if (isBesideOthers) expect(driver.runningOf(userId)).toBeLessThan(shareOf(bounds.maxConcurrent));
      };
      for (const step of all) {
        if (step.kind === "ask") askedAt.set(step.userId, driver.now);
        perform(driver, step);
      }
    });
  });

  test("a user alone gets everything the limits allow", () => {
    const alone = fc.array(fc.oneof({ weight: 8, arbitrary: ask }, { weight: 5, arbitrary: end }, pass), {
      size: "max",
      maxLength: 150,
    });
    forAny(alone, (driver, all, bounds) => {
      const rate = new RequestRate(bounds.requestsPerMinute);
      const reserve = Math.floor(rate.burst / 4);
      driver.onGrant = () => rate.take(driver.now);
      for (const step of all) {
        perform(driver, step.kind === "ask" ? { ...step, userId: "anna" } : step);
        const isUsedUp = rate.waitMs(driver.now, reserve) > 0;
        if (driver.waiting.length > 0)
          expect(isUsedUp || driver.running.size === bounds.maxConcurrent).toBe(true);
      }
    });
  });

  test("a user with a single request gets a slot at once beside a greedy one", () => {
    fc.assert(
      fc.property(limits, fc.array(fc.nat(2_000), { maxLength: 60 }), (bounds, pauses) => {
        const driver = new Driver({ ...bounds, maxConcurrent: 8 });
        const greedily = (milliseconds: number): void => {
          for (let index = 0; index < 20; index += 1) driver.ask("greedy");
          driver.pass(milliseconds);
          while (driver.running.size > 0) driver.end(0);
        };
        for (const pause of pauses) greedily(pause);
        // The greedy user's share recovers over time and may take a part of the reserve.
        fc.pre(new RequestRate(bounds.requestsPerMinute).burst >= 8);
        driver.ask("anna", 0);
        expect(driver.runningOf("anna")).toBe(1);
      }),
    );
  });

  test("each request is decided, none later than its maximum wait", () => {
    forAny(steps, (driver, all) => {
      for (const step of all) perform(driver, step);
      driver.pass(MINUTE_MS);
      expect(driver.waiting).toEqual([]);
      for (const { at, asked, retryAfter } of driver.refused) {
        expect(at).toBe(asked.until);
        expect(retryAfter).toBeGreaterThanOrEqual(1);
        expect(retryAfter).toBeLessThanOrEqual(60);
      }
    });
  });

  test("the requests of one user are served in order", () => {
    forAny(steps, (driver, all) => {
      for (const step of all) perform(driver, step);
      for (const userId of ["anna", "bert", "cleo", "dora", "emil"]) {
        const ids = driver.granted.filter(({ slot }) => slot.userId === userId).map(({ slot }) => slot.id);
        expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      }
    });
  });

  test("nobody entitled to a slot is overtaken twice by the same user", () => {
    const noPause = fc.array(fc.oneof({ weight: 3, arbitrary: ask }, { weight: 2, arbitrary: end }), {
      size: "max",
      maxLength: 200,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), noPause, (maxConcurrent, all) => {
        const driver = new Driver({ maxConcurrent, requestsPerMinute: 100_000 });
        /** Waiting users who are entitled to a slot, and how often each other user overtook them. */
        const passed = new Map<string, Map<string, number>>();
        const look = (): void => {
          for (const userId of ["anna", "bert", "cleo", "dora", "emil"]) {
            const waits = driver.waiting.some((asked) => asked.userId === userId);
            const may = driver.runningOf(userId) < shareOf(maxConcurrent);
            if (!waits || !may) passed.delete(userId);
            else if (!passed.has(userId)) passed.set(userId, new Map());
          }
        };
        driver.onGrant = (winner) => {
          passed.delete(winner);
          for (const others of passed.values()) {
            others.set(winner, (others.get(winner) ?? 0) + 1);
            expect(others.get(winner)).toBeLessThanOrEqual(1);
          }
        };
        for (const step of all) {
          perform(driver, { ...step, maxWaitMs: 10_000 } as Step);
          look();
        }
      }),
    );
  });

  test("no free slot is withheld from a user within their share, or from a user alone", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), steps, (maxConcurrent, all) => {
        const driver = new Driver({ maxConcurrent, requestsPerMinute: 100_000 });
        for (const step of all.filter(({ kind }) => kind !== "pause")) {
          perform(driver, step);
          const isFull = driver.running.size === maxConcurrent;
          for (const { userId } of driver.waiting)
            expect(isFull || driver.runningOf(userId) >= shareOf(maxConcurrent)).toBe(true);
        }
      }),
    );
  });
});

describe("a greedy user", () => {
  test("leaves slots to others, who do not wait at all", () => {
    const driver = new Driver(MANY);
    driver.ask("anna");
    driver.end(0);
    for (let index = 0; index < 40; index += 1) driver.ask("greedy");
    expect(driver.runningOf("greedy")).toBe(2);
    driver.pass(PRESENT_MS - 1);
    expect(driver.runningOf("greedy")).toBe(2);
    driver.ask("anna");
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("gets all slots when others have left, and a new user gets the next that ends", () => {
    const driver = new Driver(MANY);
    driver.ask("anna");
    driver.end(0);
    for (let index = 0; index < 40; index += 1) driver.ask("greedy", MINUTE_MS);
    driver.pass(PRESENT_MS);
    expect(driver.runningOf("greedy")).toBe(4);
    driver.ask("anna");
    driver.end(0);
    driver.end(0);
    driver.end(0);
    expect([driver.runningOf("greedy"), driver.runningOf("anna")]).toEqual([2, 1]);
  });

  test("comes after everyone who waits for the only slot", () => {
    const driver = new Driver({ ...MANY, maxConcurrent: 1 });
    for (let index = 0; index < 40; index += 1) driver.ask("greedy");
    driver.ask("anna");
    driver.end(0);
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("gets what others leave of the minute, so that they never wait", () => {
    const driver = new Driver({ maxConcurrent: 100, requestsPerMinute: 400 });
    for (let second = 0; second < 60; second += 1) {
      for (let index = 0; index < 20; index += 1) driver.ask("greedy");
      for (let index = 0; index < 3; index += 1) expect(driver.ask(`anna-${index}`)).toBeDefined();
      expect(driver.waiting.filter(({ userId }) => userId !== "greedy")).toEqual([]);
      driver.pass(1_000);
      while (driver.running.size > 0) driver.end(0);
    }
    expect([0, 1, 2].map((index) => driver.slotsOf(`anna-${index}`))).toEqual([60, 60, 60]);
    // A share is 100, a minute 400.
    expect(driver.slotsOf("greedy")).toBeGreaterThan(150);
  });

  test("alone leaves a part of the burst to the next user", () => {
    const driver = new Driver({ maxConcurrent: 1_000, requestsPerMinute: 400 });
    for (let index = 0; index < 20; index += 1)
      for (const user of ["greedy", "greedier", "greediest"]) driver.ask(user, 500);
    driver.pass(5_000);
    for (let index = 0; index < 200; index += 1) driver.ask("greedy", 500);
    for (let index = 0; index < 20; index += 1) driver.ask("anna", 0);
    expect(driver.slotsOf("anna")).toBe(20);
  });

  test("has a limited number of waiting requests", () => {
    const driver = new Driver({ ...MANY, maxConcurrent: 1 });
    for (let index = 0; index <= MAX_WAITING_OF_USER; index += 1) expect(driver.ask("greedy")).toBeDefined();
    expect(driver.ask("greedy")).toBeUndefined();
    expect(driver.ask("anna")).toBeDefined();
  });
});

test("when the rate is used up, the next slot comes as soon as it allows", () => {
  const driver = new Driver({ maxConcurrent: 200, requestsPerMinute: 400 });
  for (let index = 0; index < 100; index += 1) driver.ask(`user-${index % 4}`);
  driver.ask("cleo");
  driver.pass(199);
  expect(driver.slotsOf("cleo")).toBe(0);
  driver.pass(1);
  expect(driver.slotsOf("cleo")).toBe(1);
});

describe("a slot", () => {
  test("that is never ended expires", () => {
    const driver = new Driver({ ...MANY, maxConcurrent: 1 });
    driver.ask("killed");
    driver.pass(SLOT_LEASE_MS - 1_000);
    driver.ask("anna");
    expect(driver.runningOf("anna")).toBe(0);
    driver.pass(1_000);
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("is given to nobody else as long as the longest request may take", () => {
    const driver = new Driver({ ...MANY, maxConcurrent: 1 });
    driver.ask("reader");
    driver.pass(LONGEST_REQUEST_MS);
    driver.ask("anna");
    expect([driver.runningOf("reader"), driver.runningOf("anna")]).toEqual([1, 0]);
  });

  test("that is ended twice or after expiry frees no other slot", () => {
    const driver = new Driver({ ...MANY, maxConcurrent: 1 });
    const first = driver.ask("anna") ?? 0;
    driver.end(0);
    driver.ask("bert");
    driver.schedule.end(first, driver.now);
    driver.ask("cleo");
    expect([driver.runningOf("bert"), driver.runningOf("cleo")]).toEqual([1, 0]);
  });
});

describe("after a restart", () => {
  test("earlier slots no longer count, since nobody could end them", () => {
    const driver = new Driver({ ...MANY, maxConcurrent: 1 });
    driver.ask("anna");
    driver.restart();
    driver.ask("anna");
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("a pause that n8n asked for continues", () => {
    const driver = new Driver(MANY);
    driver.schedule.pause(7_000, driver.now);
    driver.restart();
    driver.ask("anna");
    driver.pass(6_999);
    expect(driver.granted).toEqual([]);
  });
});

describe("after the clock was set back", () => {
  const HOUR_MS = 60 * MINUTE_MS;
  const DEFAULT: N8nLimits = { maxConcurrent: 4, requestsPerMinute: 2_400 };

  test.each([90_000, HOUR_MS / 2, HOUR_MS])("by %i ms and a restart, a user gets a slot", (setBackBy) => {
    const driver = new Driver(DEFAULT);
    driver.ask("anna");
    driver.restart();
    driver.now -= setBackBy;
    driver.ask("anna");
    driver.pass(1_000);
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("a user who asks every five seconds is always served", () => {
    const driver = new Driver(DEFAULT);
    driver.ask("anna");
    driver.end(0);
    driver.now -= HOUR_MS;
    for (let count = 0; count < 700; count += 1) {
      driver.ask("anna");
      driver.pass(5_000);
      driver.end(0);
    }
    expect(driver.slotsOf("anna")).toBe(701);
  });

  test("an earlier pause delays nobody", () => {
    const driver = new Driver(DEFAULT);
    driver.schedule.pause(5_000, driver.now);
    driver.now -= HOUR_MS;
    driver.ask("anna");
    driver.pass(1_000);
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("n8n is paused for at most a minute, even if it asks again", () => {
    const driver = new Driver(MANY);
    driver.schedule.pause(5_000, driver.now);
    driver.ask("anna", 2 * MINUTE_MS);
    driver.now -= HOUR_MS;
    driver.schedule.pause(5_000, driver.now);
    driver.pass(MINUTE_MS);
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("slots that are never ended count as if they began now, and expire", () => {
    const driver = new Driver(MANY);
    for (let index = 0; index < 4; index += 1) driver.ask(`killed-${index}`);
    driver.now -= HOUR_MS;
    driver.ask("anna", MINUTE_MS);
    driver.pass(SLOT_LEASE_MS - 1);
    expect(driver.slotsOf("anna")).toBe(0);
    driver.pass(1);
    expect(driver.slotsOf("anna")).toBe(1);
  });

  test("a user alone gets all slots", () => {
    const driver = new Driver(MANY);
    driver.ask("anna");
    driver.end(0);
    driver.now -= HOUR_MS;
    for (let index = 0; index < 4; index += 1) driver.ask("bert", MINUTE_MS);
    driver.pass(PRESENT_MS);
    expect(driver.runningOf("bert")).toBe(4);
  });
});

describe("when n8n asks for a pause", () => {
  test("nobody gets a slot before it is over", () => {
    const driver = new Driver(MANY);
    driver.schedule.pause(7_000, driver.now);
    driver.ask("anna");
    driver.pass(6_999);
    expect(driver.granted).toEqual([]);
    driver.pass(1);
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("longer than anybody waits, requests are refused at once with the time", () => {
    const schedule = new SlotSchedule(MANY);
    schedule.pause(45_000, START);
    expect(schedule.request("anna", START + 5_000, 10_000)).toEqual({ retryAfter: 40 });
  });

  test("of a day, n8n is asked again after a minute", () => {
    const driver = new Driver(MANY);
    driver.schedule.pause(86_400_000, driver.now);
    driver.pass(MINUTE_MS);
    driver.ask("anna");
    expect(driver.runningOf("anna")).toBe(1);
  });

  test("a shorter pause does not end a longer one", () => {
    const driver = new Driver(MANY);
    driver.schedule.pause(8_000, driver.now);
    driver.schedule.pause(1_000, driver.now);
    driver.pass(2_000);
    driver.ask("anna");
    expect(driver.granted).toEqual([]);
  });
});

describe("a refused request is told to retry", () => {
  test("when the rate allows it again", () => {
    const driver = new Driver({ maxConcurrent: 100, requestsPerMinute: 40 });
    // Of ten at once two are reserved for others; another comes every two seconds.
    for (let index = 0; index < 8; index += 1) driver.ask("anna");
    driver.ask("anna", 1_000);
    driver.pass(1_000);
    expect(driver.refused.map(({ retryAfter }) => retryAfter)).toEqual([3]);
    driver.pass(1_000);
    driver.ask("anna", 0);
    expect(driver.slotsOf("anna")).toBe(9);
  });

  test("after about as long as n8n takes for its present requests", () => {
    const driver = new Driver({ maxConcurrent: 1, requestsPerMinute: 6_000 });
    driver.ask("first");
    driver.pass(4_000);
    driver.ask("anna", 2_000);
    driver.ask("ben", 2_000);
    driver.pass(2_000);
    expect(driver.refused.map(({ retryAfter }) => retryAfter)).toContain(6);
  });

  test("after those who wait have had their slots", () => {
    const driver = new Driver({ maxConcurrent: 1, requestsPerMinute: 60 });
    driver.ask("first");
    for (let index = 0; index < 30; index += 1) driver.ask(`user-${index}`, 5_000);
    driver.pass(5_000);
    const [longest] = driver.refused.map(({ retryAfter }) => retryAfter);
    expect(longest).toBe(30);
  });
});

describe("the background sync", () => {
  const LIMITS: N8nLimits = { maxConcurrent: 4, requestsPerMinute: 100_000 };
  test("leaves half of the slots free", () => {
    const schedule = new SlotSchedule(LIMITS);
    for (const user of ["anna", BACKGROUND_USER, BACKGROUND_USER]) schedule.request(user, START, 1_000);
    expect(usersOf(schedule)).toEqual(["anna", BACKGROUND_USER]);
    schedule.request("bert", START, 1_000);
    expect(usersOf(schedule)).toEqual(["bert"]);
  });

  test("comes after everyone else, however long it has waited", () => {
    const schedule = new SlotSchedule({ ...LIMITS, maxConcurrent: 1 });
    schedule.request(BACKGROUND_USER, START, 1_000);
    schedule.request("anna", START, 1_000);
    expect(usersOf(schedule)).toEqual(["anna"]);
  });
});

describe("reading for everybody", () => {
  const LIMITS: N8nLimits = { maxConcurrent: 4, requestsPerMinute: 400 };

  test("comes first, however much was read for everybody recently", () => {
    const schedule = new SlotSchedule({ ...LIMITS, maxConcurrent: 1 });
    schedule.request(EVERYBODY, START, 1_000, "anna");
    const [first] = schedule.decide(START);
    for (const user of ["bert", EVERYBODY]) schedule.request(user, START, 1_000);
    if (first !== undefined && "slot" in first) schedule.end(first.slot.id, START);
    expect(usersOf(schedule)).toEqual([EVERYBODY]);
  });

  test("waits as long as its requests have time, though several calls share it", () => {
    const driver = new Driver({ ...LIMITS, maxConcurrent: 1 });
    for (let request = 0; request < 8; request += 1) driver.ask(EVERYBODY, 60_000);
    for (let answer = 0; answer < 7; answer += 1) {
      driver.pass(3_000);
      driver.end(0);
    }
    expect([driver.granted.length, driver.refused]).toEqual([8, []]);
  });

  test("has the whole minute, even beside a user who takes everything unreserved", () => {
    const schedule = new SlotSchedule({ maxConcurrent: 100, requestsPerMinute: 400 });
    /** Ends all slots granted now, and returns how many of them were for everybody. */
    const decide = (now: number): number => {
      const slots = schedule.decide(now).flatMap((one) => ("slot" in one ? [one.slot] : []));
      for (const { id } of slots) schedule.end(id, now);
      return slots.filter(({ userId }) => userId === EVERYBODY).length;
    };
    let [asked, granted] = [0, 0];
    for (let now = START; now < START + MINUTE_MS; now += 100) {
      for (let request = 0; request < 5; request += 1) schedule.request("greedy", now, 60_000);
      decide(now);
      if (asked > granted || now % 1_000 !== 0) continue;
      for (let request = 0; request < 3; request += 1, asked += 1)
        schedule.request(EVERYBODY, now, 60_000, "anna");
      granted += decide(now);
    }
    expect([asked, granted]).toEqual([180, 180]);
  });

  test.each([
    ["does not limit the user who asked for it", "anna", 4],
    ["limits all other users", "bert", 2],
  ])("%s", (_what, askedBy, slots) => {
    const schedule = new SlotSchedule({ ...LIMITS, maxConcurrent: 5 });
    schedule.request(EVERYBODY, START, 1_000, askedBy);
    for (let request = 0; request < 5; request += 1) schedule.request("anna", START, 1_000);
    expect(usersOf(schedule).filter((user) => user === "anna")).toHaveLength(slots);
  });
});

describe("a turn of several requests", () => {
  const LIMITS: N8nLimits = { maxConcurrent: 4, requestsPerMinute: 400 };
  const begin = (limits: N8nLimits, ...waiting: string[]): SlotSchedule => {
    const schedule = new SlotSchedule(limits);
    schedule.request("anna", START, 1_000);
    expect(schedule.decide(START)).toHaveLength(1);
    for (const userId of waiting) schedule.request(userId, START, 1_000);
    return schedule;
  };

  test("has as many slots as its user may hold, and reuses them for the rest", () => {
    const schedule = begin({ ...LIMITS, maxConcurrent: 2 });
    expect(schedule.widen("anna", 2, START)).toEqual({
      slots: [expect.objectContaining({ userId: "anna", expiresAt: START + SLOT_LEASE_MS })],
      reuses: 1,
    });
  });

  test("has at most three slots, however many are free", () => {
    const { slots, reuses } = begin({ ...LIMITS, maxConcurrent: 16 }).widen("anna", 9, START);
    expect([slots.length, reuses]).toEqual([2, 7]);
  });

  test("has as many if others were present, but leaves one for them", () => {
    const schedule = new SlotSchedule(LIMITS);
    schedule.request("bert", START, 1_000);
    for (const decision of schedule.decide(START))
      if ("slot" in decision) schedule.end(decision.slot.id, START);
    schedule.request("anna", START, 1_000);
    schedule.decide(START);
    expect(schedule.widen("anna", 2, START).slots).toHaveLength(2);
    schedule.request("anna", START, 1_000);
    expect(schedule.decide(START)).toEqual([]);
    schedule.request("bert", START, 1_000);
    expect(usersOf(schedule)).toEqual(["bert"]);
  });

  test("has only one slot while somebody waits", () => {
    expect(begin(LIMITS, "bert").widen("anna", 2, START)).toEqual({ slots: [], reuses: 0 });
  });

  test("has only one slot while n8n is paused", () => {
    const schedule = begin(LIMITS);
    schedule.pause(1_000, START);
    expect(schedule.widen("anna", 2, START)).toEqual({ slots: [], reuses: 0 });
  });

  test("leaves half of the slots if it is of the background", () => {
    const schedule = new SlotSchedule(LIMITS);
    schedule.request(BACKGROUND_USER, START, 1_000);
    schedule.decide(START);
    const { slots } = schedule.widen(BACKGROUND_USER, 3, START);
    expect(slots).toHaveLength(1);
  });

  test("counts each request, so that a user gets no more of the minute", () => {
    const schedule = begin(LIMITS);
    const burst = LIMITS.requestsPerMinute / 4;
    const { slots, reuses } = schedule.widen("anna", 1_000, START);
    expect(1 + slots.length + reuses).toBe(burst - burst / 4);
    schedule.end(slots[0]?.id ?? 0, START);
    schedule.request("anna", START, 1_000);
    expect(schedule.decide(START)).toEqual([]);
  });
});

describe.each([2_000, 12_000])(
  "with an n8n that takes %i ms an answer, and a user who never stops,",
  (answerMs) => {
    /** Waits as long as a usual request may take. */
    const ask = (driver: Driver, userId: string) => driver.ask(userId, REQUEST_MS.usual);

    function passWithAnswers(driver: Driver, milliseconds: number): void {
      for (let passed = 0; passed < milliseconds; passed += 50) {
        driver.pass(50);
        const begunAt = new Map(driver.granted.map(({ at, slot }) => [slot.id, at]));
        for (const [place, id] of [...driver.running.keys()].entries())
          if (driver.now - (begunAt.get(id) ?? driver.now) >= answerMs) driver.end(place);
        while (driver.waiting.filter(({ userId }) => userId === "greedy").length < 10) ask(driver, "greedy");
      }
    }

    test.each([1, 2, 4, 8])(
      "a user with a single request gets the next of %i slots that ends",
      (maxConcurrent) => {
        for (let arrival = 0; arrival < answerMs; arrival += answerMs / 8) {
          const driver = new Driver({ maxConcurrent, requestsPerMinute: 100_000 });
          passWithAnswers(driver, 2 * answerMs + arrival);
          const askedAt = driver.now;
          ask(driver, "newcomer");
          passWithAnswers(driver, answerMs + 100);
          const served = driver.granted.find(({ slot }) => slot.userId === "newcomer");
          expect(served?.at).toBeLessThanOrEqual(askedAt + answerMs + 100);
        }
      },
    );

    test("each of several users with a single request gets one of the slots that end", () => {
      const driver = new Driver(MANY);
      passWithAnswers(driver, 2 * answerMs + answerMs / 16);
      for (let index = 0; index < 4; index += 1) ask(driver, `newcomer-${index}`);
      passWithAnswers(driver, answerMs + 100);
      expect([0, 1, 2, 3].map((index) => driver.slotsOf(`newcomer-${index}`))).toEqual([1, 1, 1, 1]);
    });
  },
);

/** Lets n8n answer everything after this long. */
function answerFor(driver: Driver, milliseconds: number, answerMs: number): void {
  for (let passed = 0; passed < milliseconds; passed += answerMs) {
    driver.pass(answerMs);
    for (const _slot of [...driver.running]) driver.end(0);
  }
}

test.each([
  [50, 500],
  [45, 2_000],
  [10, 8_000],
])("%i users with one request each are all served at %i ms an answer", (count, answerMs) => {
  const driver = new Driver({ maxConcurrent: 4, requestsPerMinute: 2_400 });
  for (let index = 0; index < count; index += 1) driver.ask(`user-${index}`, REQUEST_MS.usual);
  answerFor(driver, REQUEST_MS.usual, answerMs);
  expect(driver.refused).toEqual([]);
  expect(driver.granted).toHaveLength(count);
});

test.each([
  [8, 4, 2_000],
  [6, 4, 3_000],
  [4, 4, 4_000],
  [12, 3, 2_000],
])(
  "%i users with one call of %i requests each are all served at %i ms an answer",
  (users, requests, answerMs) => {
    const driver = new Driver({ maxConcurrent: 4, requestsPerMinute: 2_400 });
    for (let user = 0; user < users; user += 1)
      for (let request = 0; request < requests; request += 1) driver.ask(`user-${user}`, REQUEST_MS.usual);
    answerFor(driver, REQUEST_MS.usual, answerMs);
    expect(driver.refused).toEqual([]);
    expect(driver.granted).toHaveLength(users * requests);
  },
);

test("fifty waiting requests gain nothing: only as many as one call sends may wait long", () => {
  const driver = new Driver({ maxConcurrent: 4, requestsPerMinute: 2_400 });
  for (let request = 0; request < 4; request += 1) driver.ask("anna", REQUEST_MS.usual);
  for (let request = 0; request < MAX_WAITING_OF_USER; request += 1) driver.ask("greedy", REQUEST_MS.usual);
  for (let request = 0; request < 4; request += 1) driver.ask("bert", REQUEST_MS.usual);
  answerFor(driver, SLOT_WAIT_MS, 5_000);
  const waitingOf = (userId: string) => driver.waiting.filter((asked) => asked.userId === userId).length;
  expect(waitingOf("greedy") + driver.runningOf("greedy")).toBeLessThanOrEqual(4);
  expect(waitingOf("bert") + driver.slotsOf("bert")).toBe(4);
});

describe("with an n8n that never answers", () => {
  const hanging = (): Driver => {
    const driver = new Driver(MANY);
    for (let index = 0; index < 10; index += 1) driver.ask("greedy", REQUEST_MS.usual);
    return driver;
  };
  const refusedAfter = (driver: Driver, userId: string): number[] =>
    driver.refused.filter(({ asked }) => asked.userId === userId).map(({ at }) => at - START);

  test("the user who holds the slots is refused after the usual wait", () => {
    const driver = hanging();
    driver.pass(SLOT_WAIT_MS);
    expect(refusedAfter(driver, "greedy")).toEqual(Array.from({ length: 6 }, () => SLOT_WAIT_MS));
  });

  test("the next users are refused while their requests have time, others after the usual wait", () => {
    const driver = hanging();
    for (let index = 0; index < 5; index += 1) driver.ask(`user-${index}`, REQUEST_MS.usual);
    driver.ask("user-0", REQUEST_MS.usual);
    driver.pass(SLOT_WAIT_MS);
    expect(["user-0", "user-3", "user-4"].map((user) => refusedAfter(driver, user))).toEqual([
      [SLOT_WAIT_MS],
      [],
      [SLOT_WAIT_MS],
    ]);
    driver.pass(REQUEST_MS.usual - LEAST_REQUEST_MS - SLOT_WAIT_MS - 1);
    expect(refusedAfter(driver, "user-3")).toEqual([]);
    driver.pass(1);
    expect(refusedAfter(driver, "user-3")).toEqual([REQUEST_MS.usual - LEAST_REQUEST_MS]);
    expect(driver.waiting).toEqual([]);
  });
});

test("when the rate is used up, nobody waits longer than usual", () => {
  const driver = new Driver({ maxConcurrent: 100, requestsPerMinute: 20 });
  // Five at once, and another every four seconds.
  for (let index = 0; index < 12; index += 1) driver.ask(`user-${index}`, REQUEST_MS.usual);
  driver.pass(REQUEST_MS.usual);
  expect(driver.granted).toHaveLength(7);
  expect(driver.refused.map(({ at }) => at - START)).toEqual(Array.from({ length: 5 }, () => SLOT_WAIT_MS));
});
