/** Failed calls of a Durable Object: which are repeated, and how the others are reported. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ObjectCalls } from "../../src/platform/object-calls.ts";

const failure = (marks: object): Error => Object.assign(new Error("of the platform, with a secret"), marks);
const RESET = failure({ durableObjectReset: true });
const LOST = failure({ retryable: true });

const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  vi.useFakeTimers();
  vi.spyOn(console, "warn").mockImplementation((line: unknown) => void logged.push(String(line)));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An object whose stubs fail in this order; a stub that failed stays broken. */
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

/** The result or error, without delays. */
async function outcomeOf(called: Promise<unknown>): Promise<unknown> {
  const outcome = called.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return await outcome;
}

describe("a call that may be repeated", () => {
  test.each([
    ["was reset", RESET],
    ["lost its connection", LOST],
    ["did both", failure({ durableObjectReset: true, retryable: true, remote: true })],
  ])("is repeated on a new stub when the object %s", async (_what, error) => {
    const { object, opened } = objectThat(error);
    expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toBe("hello");
    expect(opened()).toBe(2);
    expect(logged).toEqual([
      JSON.stringify({ event: "object_interrupted", object: "Sayer", triesAgain: true }),
    ]);
  });

  test("is tried three times, at once and after half a second, and then fails with the next step", async () => {
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
    expect(logged).toHaveLength(3);
    expect(logged.join()).not.toContain("secret");
  });

  test("is not repeated when the storage is full, which is reported with a solution", async () => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const marks = { message: "database or disk is full: SQLITE_FULL", durableObjectReset: true };
    const { object, opened } = objectThat(failure(marks));
    expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toMatchObject({
      code: "TOOL_EXECUTION_FAILED",
      message: "The storage of this server is full.",
      details: { solution: expect.stringContaining("makes room on its disk") },
    });
    expect(opened()).toBe(1);
    expect(errors).toHaveBeenCalledWith(JSON.stringify({ event: "storage_full", object: "Sayer" }));
  });

  test.each([{ overloaded: true }, { overloaded: true, retryable: true }])(
    "is not repeated when the object has too much to do (%o), and may be repeated later",
    async (marks) => {
      const { object, opened } = objectThat(failure(marks));
      expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toMatchObject({
        code: "RATE_LIMITED",
        details: { retryAfter: 10 },
      });
      expect(opened()).toBe(1);
    },
  );

  test.each([
    ["an error of its own", failure({ remote: true })],
    ["an error without these marks", failure({ retryable: false, durableObjectReset: "no" })],
  ])("is not repeated when the object has %s", async (_what, error) => {
    const { object, opened } = objectThat(error);
    expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toBe(error);
    expect(opened()).toBe(1);
    // The failed stub is not used again.
    expect(await outcomeOf(object.repeatable((stub) => stub.say("hello")))).toBe("hello");
  });
});

describe("a call that may be made only once", () => {
  test.each([RESET, LOST])("is not repeated, and fails with the next step", async (error) => {
    const { object, calls, opened } = objectThat(error);
    expect(await outcomeOf(object.once((stub) => stub.say("hello")))).toMatchObject({
      code: "INTERRUPTED",
      message: "The server was updated in the middle of this call.",
    });
    expect([calls, opened()]).toEqual([[], 1]);
  });

  test("is made of the new object once there is one", async () => {
    const { object } = objectThat(RESET);
    await outcomeOf(object.once((stub) => stub.say("hello")));
    expect(await outcomeOf(object.once((stub) => stub.say("hello")))).toBe("hello");
  });
});

test("calls keep their order even across a reset", async () => {
  const { object, calls, opened } = objectThat(RESET);
  const all = ["one", "two", "three"].map((what) => object.repeatable((stub) => stub.say(what)));
  const late = Promise.allSettled(all).then(() => object.repeatable((stub) => stub.say("four")));
  await outcomeOf(late);
  expect(calls).toEqual(["one", "two", "three", "four"]);
  expect(opened()).toBe(2);
});
