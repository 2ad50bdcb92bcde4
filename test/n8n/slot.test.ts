/** Every request to n8n has a slot that ends with its answer, whatever that is. */
import { describe, expect, test, vi } from "vitest";
import { UNBOUNDED } from "../../src/json/bounded-reader.ts";
import { createN8nClient } from "../../src/n8n/client.ts";
import type { Fetch, N8nAccess } from "../../src/n8n/requests.ts";
import type { TakeSlot } from "../../src/n8n/slot.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import { LONGEST_REQUEST_MS } from "../../src/platform/time-limits.ts";

const SETTINGS = { baseUrl: "https://n8n.test", apiKey: "a-key-of-these-tests" };
const EMPTY_LIST = JSON.stringify({ data: [], nextCursor: null });

function json(body: string, init: ResponseInit = {}): Response {
  return new Response(body, { headers: { "content-type": "application/json" }, ...init });
}

/** A client that records its actions in order. */
function observed(
  answer: () => Response | Promise<Response>,
  takeSlot?: TakeSlot,
  access: N8nAccess = SETTINGS,
) {
  const events: string[] = [];
  const signals: (AbortSignal | null | undefined)[] = [];
  const fetchFromN8n: Fetch = async (_url, { signal }) => {
    events.push("ask");
    signals.push(signal);
    return await answer();
  };
  const take: TakeSlot = async (maxWaitMs) => {
    events.push(`take ${maxWaitMs}`);
    await takeSlot?.(maxWaitMs);
    return {
      pause: async (seconds) => void events.push(`pause ${seconds}`),
      end: () => void events.push("end"),
    };
  };
  return { events, signals, client: createN8nClient(access, { fetch: fetchFromN8n, takeSlot: take }) };
}

const retryAfter = (seconds: string): ResponseInit => ({ headers: { "retry-after": seconds } });

describe("with a limit on requests at the same time", () => {
  test("a third request waits in order, and failed ones make room", async () => {
    const answers = Array.from({ length: 4 }, () => Promise.withResolvers<Response>());
    let asked = 0;
    const { client } = observed(async () => {
      asked += 1;
      return await (answers[asked - 1]?.promise ?? Promise.reject(new Error("asked too often")));
    });
    const few = client.atMost(() => 2);
    const lists = [1, 2, 3, 4].map((limit) => few.listExecutions({ limit }));
    await vi.waitFor(() => expect(asked).toBe(2));
    answers[0]?.resolve(json("{}", { status: 500 }));
    await expect(lists[0]).rejects.toThrow(ObserverError);
    await vi.waitFor(() => expect(asked).toBe(3));
    for (const { resolve } of answers.slice(1)) resolve(json(EMPTY_LIST));
    expect(await Promise.all(lists.slice(1))).toHaveLength(3);
    expect(asked).toBe(4);
  });

  test("requests are sent one at a time while only one is allowed", async () => {
    const answers = Array.from({ length: 6 }, () => Promise.withResolvers<Response>());
    let asked = 0;
    const { client } = observed(async () => {
      asked += 1;
      return await (answers[asked - 1]?.promise ?? Promise.reject(new Error("asked too often")));
    });
    let most = 2;
    const few = client.atMost(() => most);
    const ended: number[] = [];
    const lists = [1, 2, 3, 4, 5, 6].map(async (limit) => {
      await few.listExecutions({ limit });
      ended.push(limit);
    });
    const answer = async (index: number): Promise<void> => {
      answers[index]?.resolve(json(EMPTY_LIST));
      await vi.waitFor(() => expect(ended).toHaveLength(index + 1));
    };
    await vi.waitFor(() => expect(asked).toBe(2));
    most = 1;
    await answer(0);
    expect(asked).toBe(2);
    await answer(1);
    await vi.waitFor(() => expect(asked).toBe(3));
    most = 2;
    await answer(2);
    await vi.waitFor(() => expect(asked).toBe(5));
    for (const { resolve } of answers) resolve(json(EMPTY_LIST));
    await Promise.all(lists);
    expect(ended).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("a slot", () => {
  test("of a data page ends once n8n has sent it, though it is still processed", async () => {
    const { events, client } = observed(() => json(EMPTY_LIST));
    const work = Promise.withResolvers<void>();
    const sink = { write: () => {}, end: () => void events.push("worked") };
    const reading = client.streamExecutions({ limit: 1 }, sink, {
      afterPiece: async () => await work.promise,
    });
    await vi.waitFor(() => expect(events).toContain("end"));
    expect(events).not.toContain("worked");
    work.resolve();
    await reading;
    expect(events.filter((event) => event === "end")).toHaveLength(1);
  });

  test("is taken before n8n is asked, and ends when the answer is read", async () => {
    let events: string[] = [];
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          events.push("read");
          controller.enqueue(new TextEncoder().encode(EMPTY_LIST));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { "content-type": "application/json" };
    const one = observed(() => new Response(body, { headers }));
    events = one.events;
    await one.client.listExecutions({ limit: 1 }, { timeoutMs: 5_000 });
    expect(one.events).toEqual(["take 5000", "ask", "read", "end"]);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["a refusal", () => json("{}", { status: 500 })],
    ["no JSON", () => new Response("<html>")],
    ["broken JSON", () => json("{")],
    ["another shape", () => json("[]")],
    ["no answer", () => Promise.reject(new TypeError("no route"))],
    [
      "an answer that breaks off",
      () =>
        new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError("cut")) }), {
          headers: { "content-type": "application/json" },
        }),
    ],
  ])("ends with %s", async (_what, answer) => {
    const { client, events } = observed(answer);
    await expect(client.listExecutions({ limit: 1 })).rejects.toThrow(ObserverError);
    await expect(client.readExecution("1", UNBOUNDED)).rejects.toThrow(ObserverError);
    expect(events.filter((event) => event === "end")).toHaveLength(2);
    expect(events.at(-1)).toBe("end");
  });

  test("that is refused prevents the request, and its error is passed on", async () => {
    const refusal = new ObserverError("RATE_LIMITED", "Later.", { solution: "Wait.", retryAfter: 3 });
    const { client, events } = observed(
      () => json(EMPTY_LIST),
      () => Promise.reject(refusal),
    );
    await expect(client.listExecutions({ limit: 1 })).rejects.toBe(refusal);
    expect(events).toEqual(["take 25000"]);
  });
});

test("waiting for a slot shortens the time for the answer, down to one second", async () => {
  const timer = vi.spyOn(globalThis, "setTimeout");
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const begun = Date.now();
    for (const waited of [4_000, 9_900]) {
      vi.setSystemTime(begun);
      const { client } = observed(
        () => json(EMPTY_LIST),
        async () => {
          vi.setSystemTime(begun + waited);
          return { pause: async () => {}, end: () => {} };
        },
      );
      await client.listExecutions({ limit: 1 }, { timeoutMs: 10_000 });
    }
    const given = timer.mock.calls.map(([, milliseconds = 0]) => milliseconds);
    expect(given.filter((milliseconds) => milliseconds > 0)).toEqual([6_000, 1_000]);
  } finally {
    vi.useRealTimers();
    timer.mockRestore();
  }
});

test("no request gets longer than its slot lasts", async () => {
  const timer = vi.spyOn(globalThis, "setTimeout");
  try {
    const { client, events } = observed(() => json(EMPTY_LIST));
    await client.listExecutions({ limit: 1 }, { timeoutMs: LONGEST_REQUEST_MS + 60_000 });
    expect(events[0]).toBe(`take ${LONGEST_REQUEST_MS}`);
    const [[, given = Number.NaN] = []] = timer.mock.calls;
    expect(given).toBeLessThanOrEqual(LONGEST_REQUEST_MS);
  } finally {
    timer.mockRestore();
  }
});

test("a finished request leaves no timer that keeps an object awake", async () => {
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  const timer = vi.spyOn(globalThis, "setTimeout");
  try {
    const { client } = observed(() => json(EMPTY_LIST));
    await client.listExecutions({ limit: 1 });
    expect(cleared.mock.calls.map(([id]) => id)).toEqual(timer.mock.results.map(({ value }) => value));
  } finally {
    timer.mockRestore();
    cleared.mockRestore();
  }
});

describe("when n8n asks for a pause", () => {
  test.each([429, 503])("with %i, everybody pauses", async (status) => {
    const { client, events } = observed(() => new Response("", { status, ...retryAfter("7") }));
    await expect(client.listExecutions({ limit: 1 })).rejects.toThrow(ObserverError);
    expect(events).toEqual(["take 25000", "ask", "pause 7", "end"]);
  });

  test.each([
    ["n8n's limit for a personal key", 429, "application/json", []],
    ["a proxy's limit for any key", 429, "text/html", ["pause 7"]],
    ["an overloaded n8n, for any key", 503, "application/json", ["pause 7"]],
  ])("%s: others pause only if it applies to them", async (_what, status, type, pauses) => {
    const headers = { "content-type": type, "retry-after": "7" };
    const ofAnna = { ...SETTINGS, isOwnKey: true };
    const { client, events } = observed(
      () => new Response('{"message":"Too Many Requests"}', { status, headers }),
      undefined,
      ofAnna,
    );
    await expect(client.listExecutions({ limit: 1 })).rejects.toMatchObject({ details: { retryAfter: 7 } });
    expect(events).toEqual(["take 25000", "ask", ...pauses, "end"]);
  });

  test.each<[number, string]>([
    [500, "7"],
    [429, "soon"],
    [429, "-1"],
    [503, "0"],
  ])("nobody pauses with %i and %s", async (status, after) => {
    const { client, events } = observed(() => new Response("", { status, ...retryAfter(after) }));
    await expect(client.listExecutions({ limit: 1 })).rejects.toThrow(ObserverError);
    expect(events).toEqual(["take 25000", "ask", "end"]);
  });
});
