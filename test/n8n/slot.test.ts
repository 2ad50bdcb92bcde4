/** Every request to n8n has a slot, which ends with its answer, whatever that is. */
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

/** A client that writes down, in order, what it does. */
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

describe("at most two at the same time", () => {
  test("a third request waits for its turn, in order, and those that fail give theirs back", async () => {
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

  test("and one at a time once only one is allowed, until two are again", async () => {
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
  test("of a page with data ends once n8n has sent it, while it is still worked on", async () => {
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

  test("is taken before n8n is asked, and ends once the answer is read", async () => {
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
    ["what is not JSON", () => new Response("<html>")],
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

  test("that does not come: n8n is not asked, and its error is reported as it is", async () => {
    const refusal = new ObserverError("RATE_LIMITED", "Later.", { solution: "Wait.", retryAfter: 3 });
    const { client, events } = observed(
      () => json(EMPTY_LIST),
      () => Promise.reject(refusal),
    );
    await expect(client.listExecutions({ limit: 1 })).rejects.toBe(refusal);
    expect(events).toEqual(["take 25000"]);
  });
});

test("the wait for the slot is no time of the answer's, which has one second at least", async () => {
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

test("no request is given longer than its slot lasts, whatever it asks for", async () => {
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

test("once a request has come to its end, no timer is left that keeps an object awake", async () => {
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

describe("n8n that asks to be left alone", () => {
  test.each([429, 503])("with %i: everybody pauses", async (status) => {
    const { client, events } = observed(() => new Response("", { status, ...retryAfter("7") }));
    await expect(client.listExecutions({ limit: 1 })).rejects.toThrow(ObserverError);
    expect(events).toEqual(["take 25000", "ask", "pause 7", "end"]);
  });

  test.each([
    ["n8n's limit of a person's own key", 429, "application/json", []],
    ["the limit of a proxy, whoever's key it is", 429, "text/html", ["pause 7"]],
    ["an n8n that is overloaded, whoever's key it is", 503, "application/json", ["pause 7"]],
  ])("%s: others pause only where it is theirs too", async (_what, status, type, pauses) => {
    const headers = { "content-type": type, "retry-after": "7" };
    const ofAnna = { ...SETTINGS, isOwnKey: true };
    const { client, events } = observed(() => new Response("{}", { status, headers }), undefined, ofAnna);
    await expect(client.listExecutions({ limit: 1 })).rejects.toMatchObject({ details: { retryAfter: 7 } });
    expect(events).toEqual(["take 25000", "ask", ...pauses, "end"]);
  });

  test.each<[number, string]>([
    [500, "7"],
    [429, "soon"],
    [429, "-1"],
    [503, "0"],
  ])("not with %i and %s", async (status, after) => {
    const { client, events } = observed(() => new Response("", { status, ...retryAfter(after) }));
    await expect(client.listExecutions({ limit: 1 })).rejects.toThrow(ObserverError);
    expect(events).toEqual(["take 25000", "ask", "end"]);
  });
});
