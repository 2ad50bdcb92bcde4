/** The stored lines: in order, page by page, limited in age, number and in what strangers can add. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  ActivityRows,
  MAX_LINE_LENGTH,
  MAX_STRANGER_ENTRIES_A_DAY,
  type Position,
} from "../../src/activity-log/activity-rows.ts";
import type { ActivityEntry, KeptEntry, SignInOutcome } from "../../src/activity-log/entry.ts";
import type { Sql } from "../../src/platform/sql.ts";
import { createLocalSql } from "../support/local-history.ts";

const START = Date.parse("2026-11-20T08:00:00.000Z");
const DAY_MS = 24 * 60 * 60 * 1_000;
const ALL = { since: 0, until: 8.64e15 };

let sql: Sql;
let rows: ActivityRows;

beforeEach(() => {
  sql = createLocalSql();
  rows = new ActivityRows(sql);
});

const time = (offsetMs: number): string => new Date(START + offsetMs).toISOString();

function call(
  offsetMs: number,
  changes: Partial<Extract<ActivityEntry, { event: "tool_call" }>> = {},
): ActivityEntry {
  return {
    event: "tool_call",
    time: time(offsetMs),
    callId: crypto.randomUUID(),
    userId: "ada",
    clientId: "client-1",
    tool: "get_execution",
    ids: { executionId: String(offsetMs) },
    outcome: "success",
    durationMs: 12,
    bytesRead: 4_000,
    redactions: {},
    ...changes,
  };
}

function signIn(outcome: SignInOutcome, offsetMs = 0, more: object = {}): ActivityEntry {
  return { event: "sign_in", time: time(offsetMs), outcome, via: "passphrase", ...more };
}

const put = (entry: ActivityEntry): number => rows.put([entry], Date.parse(entry.time));
const times = (entries: readonly KeptEntry[]): number[] =>
  entries.map((each) => Date.parse(each.time) - START);

describe("reading", () => {
  test("is in order of time, whatever the order of writing", () => {
    for (const offset of [3, 1, 2]) put(call(offset));
    expect(times(rows.page(ALL, undefined, 10).entries)).toEqual([1, 2, 3]);
  });

  test("includes all lines written together, and the last one of a call", () => {
    const callId = crypto.randomUUID();
    rows.put([call(1), call(2, { callId, outcome: "unfinished" }), call(2, { callId })], START);
    expect(rows.page(ALL, undefined, 10).entries).toMatchObject([
      { outcome: "success", ids: { executionId: "1" } },
      { outcome: "success", ids: { executionId: "2" } },
    ]);
  });

  test("page by page gives each line once, also several of one moment", () => {
    for (const offset of [1, 2, 2, 2, 3]) put(call(offset));
    const seen: number[] = [];
    let next: Position | undefined;
    do {
      const page = rows.page(ALL, next, 2);
      seen.push(...times(page.entries));
      next = page.next;
    } while (next !== undefined);
    expect(seen).toEqual([1, 2, 2, 2, 3]);
  });

  test("includes the start of its window, but not the end", () => {
    for (const offset of [1, 2, 3]) put(call(offset));
    const window = { since: START + 1, until: START + 3 };
    expect(times(rows.page(window, undefined, 10).entries)).toEqual([1, 2]);
    // An invented position leads nowhere else.
    const later = { ...window, since: START + 2 };
    expect(times(rows.page(later, { at: 0, id: 0 }, 10).entries)).toEqual([2]);
    expect(times(rows.page(window, { at: START + 9, id: 0 }, 10).entries)).toEqual([]);
  });
});

describe("outcomes", () => {
  test("are counted from a time on, calls and sign-ins separately", () => {
    put(call(-1));
    for (const offset of [0, 1]) put(call(offset));
    put(call(2, { outcome: "N8N_UNREACHABLE" }));
    put(call(3, { outcome: "unfinished" }));
    for (const outcome of ["signed_in", "wrong_passphrase", "wrong_passphrase"] as const)
      put(signIn(outcome, 4));
    expect(rows.outcomes(START)).toEqual({
      calls: { success: 2, N8N_UNREACHABLE: 1, unfinished: 1 },
      signIns: { signed_in: 1, wrong_passphrase: 2 },
    });
    expect(rows.outcomes(START + 10)).toEqual({ calls: {}, signIns: {} });
  });
});

describe("a call", () => {
  const begun = call(1, { outcome: "unfinished" });
  const ended = { ...begun, outcome: "success" } as ActivityEntry;

  test.each([
    ["begins and ends", [begun, ended]],
    ["ends before its beginning arrives", [ended, begun]],
  ])("that %s is one line", (_how, entries) => {
    for (const entry of entries) put(entry);
    expect(rows.page(ALL, undefined, 10).entries).toEqual([ended]);
  });

  test("that never ends is a line as well", () => {
    put(begun);
    expect(rows.page(ALL, undefined, 10).entries).toMatchObject([{ outcome: "unfinished" }]);
  });

  test("has the name that its client had when it got a token", () => {
    put(signIn("token_issued", 0, { userId: "ada", clientId: "client-1", clientName: "Claude" }));
    put(call(1));
    put(call(2, { clientId: "client-2" }));
    const [, first, second] = rows.page(ALL, undefined, 10).entries;
    expect(first).toMatchObject({ clientName: "Claude" });
    expect(second).not.toHaveProperty("clientName");
    expect(rows.clients(["client-1", "client-3"])).toEqual(
      new Map([["client-1", { name: "Claude", lastUsedAt: START + 1 }]]),
    );
  });

  test("keeps the client's name, and its last use to within five minutes", () => {
    put(signIn("token_issued", 0, { userId: "ada", clientId: "client-1", clientName: "Claude" }));
    for (const minutes of [1, 2, 30]) put(call(minutes * 60_000));
    expect(rows.clients(["client-1"]).get("client-1")).toEqual({
      name: "Claude",
      lastUsedAt: START + 30 * 60_000,
    });
  });
});

describe("limits:", () => {
  test("many sign-ins do not push out the names of apps", () => {
    put(signIn("token_issued", 0, { clientId: "client-1", clientName: "Cursor" }));
    const calls = Array.from({ length: 10_050 }, (_, index) => call(index, { grantId: `grant-${index}` }));
    rows.put(calls, START);
    expect(rows.clients(["client-1", "grant-0", "grant-10049"])).toEqual(
      new Map([
        ["client-1", { name: "Cursor", lastUsedAt: null }],
        ["grant-10049", { name: null, lastUsedAt: START }],
      ]),
    );
  });

  test("old lines are removed, together with client names", () => {
    put(call(0));
    put(call(DAY_MS, { clientId: "client-2" }));
    expect(rows.oldest()).toBe(START);
    rows.prune(START + 1);
    expect(times(rows.page(ALL, undefined, 10).entries)).toEqual([DAY_MS]);
    expect([...rows.clients(["client-1", "client-2"]).keys()]).toEqual(["client-2"]);
  });

  test.each<[string, (ended: ActivityEntry) => ActivityEntry[]]>([
    ["begin and end", (ended) => [{ ...ended, outcome: "unfinished" } as ActivityEntry, ended]],
    [
      "end before their beginning arrives",
      (ended) => [ended, { ...ended, outcome: "unfinished" } as ActivityEntry],
    ],
    ["are reported more than once", (ended) => [ended, ended, ended]],
  ])("the maximum applies to calls that %s; the oldest are dropped and counted", (_how, linesOf) => {
    rows = new ActivityRows(sql, 100);
    const gone = Array.from({ length: 250 }, (_, index) =>
      linesOf(call(index)).reduce((sum, entry) => sum + put(entry), 0),
    );
    expect(times(rows.page(ALL, undefined, 1_000).entries)).toEqual(
      Array.from({ length: 100 }, (_, index) => 150 + index),
    );
    expect(gone).toEqual([...new Array(100).fill(0), ...new Array(150).fill(1)]);
  });

  test("an overlong line is refused", () => {
    const redactions = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`kind-${index}`, 1]));
    expect(JSON.stringify(redactions).length).toBeGreaterThan(MAX_LINE_LENGTH);
    expect(() => put(call(1, { redactions }))).toThrow(RangeError);
  });

  test("only a number of wrong passphrases per day is stored, the others are counted", () => {
    for (let number = 0; number < MAX_STRANGER_ENTRIES_A_DAY + 20; number += 1)
      put(signIn("wrong_passphrase", number));
    put(call(900));
    put(signIn("signed_in", 901, { userId: "ada" }));
    const { entries } = rows.page(ALL, undefined, 10_000);
    expect(entries.filter((each) => "outcome" in each && each.outcome === "wrong_passphrase")).toHaveLength(
      MAX_STRANGER_ENTRIES_A_DAY,
    );
    expect(entries.at(-1)).toEqual({
      event: "sign_in_flood",
      time: time(MAX_STRANGER_ENTRIES_A_DAY),
      notKept: 20,
    });
    // Lines of named users are all there.
    expect(entries.slice(-3, -1).map(({ event }) => event)).toEqual(["tool_call", "sign_in"]);
    put(signIn("locked", DAY_MS));
    expect(times(rows.page({ since: START + DAY_MS, until: 8.64e15 }, undefined, 10).entries)).toEqual([
      DAY_MS,
    ]);
  });

  test("what is not kept counts among the outcomes since then", () => {
    for (let number = 0; number < MAX_STRANGER_ENTRIES_A_DAY + 20; number += 1)
      put(signIn("wrong_passphrase", number));
    const kept = { wrong_passphrase: MAX_STRANGER_ENTRIES_A_DAY };
    expect(rows.outcomes(START).signIns).toEqual({ ...kept, not_kept: 20 });
    expect(rows.outcomes(START + DAY_MS).signIns).toEqual({});
  });

  test("strangers cannot add client names", () => {
    put(signIn("wrong_passphrase", 0, { clientId: "of-a-stranger", clientName: "Nobody" }));
    expect(rows.clients(["of-a-stranger"]).size).toBe(0);
  });
});
