/** Calls of a Durable Object that fail: which come again, and what is told of the others. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ObjectCalls } from "../../src/platform/object-calls.ts";

const failure = (marks: object): Error => Object.assign(new Error("of the platform, with a secret"), marks);
const RESET = failure({ durableObjectReset: true });
const LOST = failure({ retryable: true });

const told: string[] = [];

beforeEach(() => {
  told.length = 0;
  vi.useFakeTimers();
  vi.spyOn(console, "warn").mockImplementation((line: unknown) => void told.push(String(line)));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An object whose stubs fail in this order, one after the other, and each for good. */
function objectThat(...failures: readonly Error[]) {
  const left = [...failures];
  const calls: string[] = [];
  let opened = 0;
  const open = () => {
    opened += 1;
    let broken: Error | undefined;
    return {
      say: async (what: string): Promise<string> => {
        broken ??= left.shift();
        if (broken !== undefined) throw broken;
        calls.push(what);
        return what;
      },
    };
  };
  return { object: new ObjectCalls("Sayer", open), calls, opened: () => opened };
}

/** What became of it, without waiting. */
async function outcomeOf(called: Promise<unknown>): Promise<unknown> {
  const outcome = called.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return await outcome;
}

describe("a call that may be repeated", () => {
  test.each([
    ["was reset", RESET],
    ["lost its connection", LOST],
    ["both", failure({ durableObjectReset: true, retryable: true, remote: true })],
  ])("comes again on a new stub when the object %s", async (_what, error) => {
    const { object, opened } = objectThat(error);
    expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toBe("hello");
    expect(opened()).toBe(2);
    expect(told).toEqual([
      JSON.stringify({ event: "object_interrupted", object: "Sayer", triesAgain: true }),
    ]);
  });

  test("comes three times in all, at once and then after half a second; then the next step is told", async () => {
    const { object, opened } = objectThat(RESET, LOST, RESET);
    const outcome = object.repeatable((stub) => stub.say("hello")).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(499);
    expect(opened()).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toMatchObject({
      code: "INTERRUPTED",
      details: { retryAfter: 1, solution: "Call again." },
    });
    expect(opened()).toBe(3);
    expect(told).toHaveLength(3);
    expect(told.join()).not.toContain("secret");
  });

  test("comes once when its storage is full, which is told with what to do", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const marks = { message: "database or disk is full: SQLITE_FULL", durableObjectReset: true };
    const { object, opened } = objectThat(failure(marks));
    expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toMatchObject({
      code: "TOOL_EXECUTION_FAILED",
      message: "The storage of this server is full.",
      details: { solution: expect.stringContaining("makes room on its disk") },
    });
    expect(opened()).toBe(1);
    expect(logged).toHaveBeenCalledWith(JSON.stringify({ event: "storage_full", object: "Sayer" }));
  });

  test.each([
    ["too much to do", failure({ overloaded: true })],
    ["too much to do, and lost its connection", failure({ overloaded: true, retryable: true })],
    ["a fault of its own", failure({ remote: true })],
    ["one that says no", failure({ retryable: false, durableObjectReset: "no" })],
  ])("does not come again where the object has %s", async (_what, error) => {
    const { object, opened } = objectThat(error);
    expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toBe(error);
    expect(opened()).toBe(1);
    // The stub is of no use any more.
    expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toBe("hello");
  });
});

describe("a call that may be made once only", () => {
  test.each([RESET, LOST])("is not made again; the next step is told", async (error) => {
    const { object, calls, opened } = objectThat(error);
    expect(await outcomeOf(object.once((stub) => stub.say("hello")))).toMatchObject({
      code: "INTERRUPTED",
      message: "The server was updated in the middle of this call.",
    });
    expect([calls, opened()]).toEqual([[], 1]);
  });

  test("is made of the new object, once there is one", async () => {
    const { object } = objectThat(RESET);
    await outcomeOf(object.once((stub) => stub.say("hello")));
    expect(await outcomeOf(object.once((stub) => stub.say("hello")))).toBe("hello");
  });
});

test("calls stay in their order, also of those that an object was reset in the middle of", async () => {
  const { object, calls, opened } = objectThat(RESET);
  const all = ["one", "two", "three"].map((what) => object.repeatable((stub) => stub.say(what)));
  const late = Promise.allSettled(all).then(() => object.repeatable((stub) => stub.say("four")));
  await outcomeOf(late);
  expect(calls).toEqual(["one", "two", "three", "four"]);
  expect(opened()).toBe(2);
});
