/** What is known of executions in SQL, compared with plain code. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { ExecutionStore } from "../../../src/history/store/execution-store.ts";
import { familyOf, LinkIndex } from "../../../src/history/store/family.ts";
import { MAX_MATCHES } from "../../../src/history/store/known-requests.ts";
import type { Scope } from "../../../src/history/store/known-stretches.ts";
import type { MemorableExecution } from "../../../src/history/store/memorable-execution.ts";
import type { Stretch } from "../../../src/history/store/stretches.ts";
import type { TraceWindow } from "../../../src/history/store/trace-window.ts";
import type { TracedExecution } from "../../../src/history/store/traced-execution.ts";
import { toIdFilter } from "../../../src/history/terms/id-filter.ts";
import { View } from "../../../src/n8n/view.ts";
import type { Sql } from "../../../src/platform/sql.ts";
import {
  memorableExecution,
  startOf as started,
  tracedExecution as traced,
} from "../../builders/known-executions.ts";
import { NO_FACTS } from "../../support/facts-of-executions.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { createLocalSql } from "../../support/local-history.ts";
import { WINDOW } from "../../support/test-traces.ts";

/** The store as a caller sees it who may see everything. */
const visible = () => store.visibleTo(View.everything);
const withIds = (...ids: readonly string[]) => visible().executions.withIds(ids);
const matches = (window: TraceWindow = WINDOW) => visible().requests.matchesOf("d", window, "all");
const matchIds = (window?: TraceWindow): string[] => matches(window).map(({ executionId }) => executionId);

const NOW = Date.UTC(2026, 5, 1);

let sql: Sql;
let store: ExecutionStore;
function startAfresh(): void {
  sql = createLocalSql();
  store = new ExecutionStore(sql);
}
beforeEach(startAfresh);

const remember = (...executions: readonly MemorableExecution[]): void => store.rows.remember(executions, NOW);

function memorable(
  id: number,
  changes: Partial<TracedExecution> = {},
  rest: Partial<MemorableExecution> = {},
): MemorableExecution {
  const correlation = { digest: "d", needsData: false, nodeName: "Webhook", path: "body.requestId" };
  return memorableExecution(traced(id, changes), { correlations: [correlation], ...rest });
}

const upTo = (count: number): MemorableExecution[] =>
  Array.from({ length: count }, (_one, index) => memorable(index + 1));

const rows = (table: string): unknown[] => [...sql.exec(`SELECT * FROM ${table}`)];

describe("claims", () => {
  const stretch = fc
    .tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 0, max: 30 }), fc.boolean())
    .map(([low, length, isBottom]) => ({ low, high: low + length, isBottom: isBottom && low < 10 }));

  const stretchesOf = (scope: Scope): readonly Stretch[] => store.stretches.of(scope);

  const toText = ({ low, high, isBottom }: { low: number; high: number; isBottom: boolean }): Stretch => ({
    low: String(low),
    high: String(high),
    isBottom,
  });

  test("cover exactly the ids that were claimed, without overlaps", () => {
    fc.assert(
      fc.property(fc.array(stretch, { minLength: 1, maxLength: 12 }), (claimed) => {
        startAfresh();
        const covered = new Set<number>();
        for (const one of claimed) {
          store.stretches.claim("listed", toText(one));
          for (let id = one.low; id <= one.high; id += 1) covered.add(id);
        }
        const known = stretchesOf("listed").flatMap(({ low, high }) =>
          Array.from({ length: Number(high) - Number(low) + 1 }, (_one, index) => Number(low) + index),
        );
        expect(known.sort((a, b) => a - b)).toEqual([...covered].sort((a, b) => a - b));
        expect(stretchesOf("listed").some(({ isBottom }) => isBottom)).toBe(
          claimed.some(({ isBottom }) => isBottom),
        );
      }),
    );
  });

  test("merge if they share an id, but not if they only touch, since ids may lie between", () => {
    store.stretches.claim("listed", { high: "300", low: "201", isBottom: false });
    store.stretches.claim("listed", { high: "200", low: "101", isBottom: false });
    expect(stretchesOf("listed")).toHaveLength(2);
    store.stretches.claim("listed", { high: "201", low: "200", isBottom: false });
    expect(stretchesOf("listed")).toMatchObject([{ high: "300", low: "101", isBottom: false }]);
  });

  test("compare ids as numbers, not as text", () => {
    store.stretches.claim("listed", { high: "1000", low: "999", isBottom: false });
    store.stretches.claim("listed", { high: "999", low: "99", isBottom: false });
    expect(stretchesOf("listed")).toMatchObject([{ high: "1000", low: "99" }]);
  });

  test("of one scope do not count for another", () => {
    store.stretches.claim("hidden", { high: "9", low: "1", isBottom: true });
    expect(stretchesOf("listed")).toEqual([]);
    expect(stretchesOf("hidden")).toHaveLength(1);
  });

  test("of another epoch are ignored", () => {
    const claims = [{ scope: "listed" as const, stretch: { high: "9", low: "1", isBottom: true } }];
    const checkpoint = { executions: [], deleted: [], empty: [], claims };
    store.keep({ ...checkpoint, epoch: store.listed.epoch + 1 }, NOW);
    expect(stretchesOf("listed")).toEqual([]);
    store.keep({ ...checkpoint, epoch: store.listed.epoch }, NOW);
    expect(stretchesOf("listed")).toHaveLength(1);
  });
});

describe("what has to be read", () => {
  const idsOf = (...listed: TracedExecution[]): string[] => store.listed.unknownOf(listed).ids;

  test("is unknown, changed or still running", () => {
    remember(memorable(1), memorable(2, { status: "waiting" }), memorable(3, { status: "running" }));
    expect(idsOf(traced(1), traced(2, { status: "waiting" }))).toEqual([]);
    expect(idsOf(traced(1), traced(2), traced(3, { status: "running" }), traced(4))).toEqual(["2", "3", "4"]);
    expect(idsOf(traced(2, { status: "waiting", waitTill: started(900) }))).toEqual(["2"]);
    expect(idsOf(traced(2, { status: "waiting", stoppedAt: started(900) }))).toEqual(["2"]);
    expect(idsOf(traced(1, { status: "crashed" }))).toEqual(["1"]);
  });

  test.each([
    ["of another time", { startedAt: started(77) }],
    ["of another workflow", { workflowId: "another" }],
  ])("is an execution %s under a known id, and everything has to be listed anew", (_other, facts) => {
    remember(memorable(1), memorable(2));
    store.stretches.claim("listed", { high: "2", low: "1", isBottom: true });
    const { epoch } = store.listed;
    const answer = store.listed.unknownOf([traced(2, facts), traced(1)]);
    expect(answer).toEqual({ ids: ["2"], isOtherHistory: true });
    expect(store.stretches.of("listed")).toEqual([]);
    expect(store.listed.epoch).toBe(epoch + 1);
    expect(withIds("1")).toEqual([traced(1)]);
  });

  test("includes an unfinished execution with a new start, which is no other execution", () => {
    remember(memorable(1, { status: "waiting" }), memorable(2));
    const answer = store.listed.unknownOf([traced(1, { startedAt: started(77) }), traced(2)]);
    expect(answer).toMatchObject({ ids: ["1"], isOtherHistory: false });
  });
});

describe("what is stored of an execution", () => {
  test("replaces what was stored before", () => {
    remember(memorable(1, { subExecutions: [{ executionId: "5", nodeName: "Call" }] }));
    remember(memorable(1, { status: "error" }, { correlations: [] }));
    expect(withIds("1")).toEqual([traced(1, { status: "error" })]);
    expect(matches()).toEqual([]);
    expect(rows("calls")).toEqual([]);
  });

  test("is kept when it could not be read again, except for its status and problem", () => {
    remember(memorable(1, { status: "waiting", parentId: "7" }));
    const unread = { problem: "n8n fails", facts: null, correlations: [] };
    remember(memorable(1, { status: "success", workflowName: null }, unread));
    expect(withIds("1")).toEqual([traced(1, { parentId: "7" })]);
    expect(matches()).toHaveLength(1);
    expect(store.known("listed", WINDOW).unread).toEqual(["1"]);
    expect(visible().counts.coverage(WINDOW, "1").problems).toEqual([
      { executionId: "1", reason: "n8n fails" },
    ]);
    remember(memorable(1));
    expect(store.known("listed", WINDOW).unread).toEqual([]);
    expect(visible().counts.coverage(WINDOW, "1").problems).toEqual([]);
  });

  test("is returned newest first by number, within the window, and one more than the maximum", () => {
    remember(memorable(9), memorable(10), memorable(100), memorable(101, { startedAt: null }));
    expect(matchIds()).toEqual(["101", "100", "10", "9"]);
    const window = { ...WINDOW, startedAfter: started(10), startedBefore: started(99) };
    expect(matchIds(window)).toEqual(["101", "10"]);
    expect(matchIds({ ...WINDOW, workflowId: "w2" })).toEqual([]);
    remember(...upTo(MAX_MATCHES + 50));
    expect(matchIds()).toHaveLength(MAX_MATCHES + 1);
    expect(matchIds()[0]).toBe(String(MAX_MATCHES + 50));
  });

  test("is returned failures first above the maximum, so repeated ids hide no failure", () => {
    const [oldest, ...later] = upTo(MAX_MATCHES + 50);
    if (oldest === undefined) throw new Error("There is no execution.");
    const failed = { ...oldest, execution: { ...oldest.execution, status: "error" as const } };
    remember(failed, ...later);
    const ids = matchIds();
    expect(ids.slice(0, 2)).toEqual(["1", String(MAX_MATCHES + 50)]);
    expect(ids).toHaveLength(MAX_MATCHES + 1);
  });

  test.each(["success", "waiting", "canceled", "error"] as const)(
    "of a failure is not hidden by one workflow's many %s ones",
    (status) => {
      const posts = upTo(MAX_MATCHES + 50).map((one) => ({
        ...one,
        execution: { ...one.execution, status, workflowId: "public form" },
      }));
      remember(...posts.slice(1), memorable(1, { status: "crashed" }));
      expect(matchIds().slice(0, 2)).toContain("1");
      const ids = posts.map(({ execution }) => execution.id);
      expect(visible().requests.failuresFirst(ids).slice(0, 2)).toContain("1");
    },
  );

  test("makes executions with more ids than rows candidates, failures first", () => {
    const digest = Buffer.alloc(16, 7).toString("base64url");
    const holding = toIdFilter([{ digest, needsData: false }]);
    const others = toIdFilter([{ digest: Buffer.alloc(16, 9).toString("base64url"), needsData: false }]);
    const crowded = (id: number, otherIds: string | null, facts: Partial<TracedExecution> = {}) =>
      memorable(id, facts, { correlations: [], otherIds });
    const batches = [
      crowded(1, holding, { status: "error" }),
      crowded(2, holding),
      crowded(3, holding, { status: "waiting" }),
    ];
    const strangers = Array.from({ length: 6_000 }, (_one, index) =>
      crowded(10 + index, others, { workflowId: "public form", status: "error" }),
    );
    remember(...batches, ...strangers);
    const of = (most: number) => visible().requests.candidatesOf(digest, WINDOW, "open", most);
    expect(of(3)).toEqual({ ids: ["1", "3", "2"], isCut: false });
    expect(of(2)).toEqual({ ids: ["1", "3"], isCut: true });
  });

  test("is counted down to an id, with the first twenty problems", () => {
    remember(...upTo(60).map((one, index) => ({ ...one, problem: index % 2 === 0 ? "too large" : null })));
    const known = visible().counts.coverage(WINDOW, "11");
    expect(known).toMatchObject({ executions: 50, from: started(11), to: started(60), problemCount: 25 });
    expect(known.problems).toHaveLength(20);
    expect(known.problems[0]).toEqual({ executionId: "59", reason: "too large" });
  });

  test("keeps ids exact up to n8n's largest", () => {
    const large = "9007199254740993";
    remember(memorable(0, { id: large, parentId: "9007199254740995" }));
    store.stretches.claim("listed", { high: large, low: large, isBottom: false });
    expect(withIds(large)).toMatchObject([{ id: large, parentId: "9007199254740995" }]);
    expect(matches()).toMatchObject([{ executionId: large }]);
    expect(store.known("listed", WINDOW).stretches).toMatchObject([{ high: large, low: large }]);
    expect(store.listed.unknownOf([traced(0, { id: large })]).ids).toEqual([]);
  });
});

describe("the list's word that a retry has succeeded", () => {
  const retrySuccessIdOf = (id: string): string | null | undefined =>
    store.visibleTo(View.everything).executions.withIds([id])[0]?.retrySuccessId;
  const failed = (changes: Partial<TracedExecution> = {}) => traced(1, { status: "error", ...changes });

  test("is kept, though the execution need not be read again", () => {
    store.rows.remember([{ ...memorable(0), execution: failed() }], NOW);
    expect(store.listed.unknownOf([failed({ retrySuccessId: "5" })]).ids).toEqual([]);
    expect(retrySuccessIdOf("1")).toBe("5");
  });

  test("is taken back with n8n's: a restored n8n gives the retry's id to another execution", () => {
    store.rows.remember([{ ...memorable(0), execution: failed({ retrySuccessId: "5" }) }], NOW);
    expect(store.listed.unknownOf([failed()]).ids).toEqual([]);
    expect(retrySuccessIdOf("1")).toBeNull();
  });

  test.each([{ workflowId: "another" }, { startedAt: "2031-01-01T00:00:00.000Z" }])(
    "is not kept of another execution with its id: %o",
    (changes) => {
      store.rows.remember([{ ...memorable(0), execution: failed() }], NOW);
      store.listed.unknownOf([failed({ retrySuccessId: "5", ...changes })]);
      expect(retrySuccessIdOf("1")).toBeNull();
    },
  );
});

describe("families", () => {
  const id = fc.integer({ min: 1, max: 14 });
  const link = fc.option(id.map(String), { nil: null, freq: 2 });
  const graph = fc.uniqueArray(
    fc.record({
      id,
      parentId: link,
      retryOf: fc.option(id.map(String), { nil: null, freq: 4 }),
      retrySuccessId: fc.option(id.map(String), { nil: null, freq: 6 }),
      mode: fc.constantFrom("webhook", "integrated", "error", "retry"),
      subExecutions: fc.uniqueArray(id, { maxLength: 3 }),
    }),
    { selector: (one) => one.id, maxLength: 14 },
  );

  test("are the same in SQL and in plain code for any links", inBothLanes, () => {
    fc.assert(
      fc.property(
        graph,
        fc.uniqueArray(id.map(String), { minLength: 1, maxLength: 3 }),
        (nodes, matchIds) => {
          startAfresh();
          const executions = nodes.map(({ id: number, subExecutions, ...facts }) =>
            traced(number, {
              ...facts,
              subExecutions: subExecutions
                .toSorted((a, b) => a - b)
                .map((child) => ({ executionId: String(child), nodeName: "Call" })),
            }),
          );
          remember(...executions.map((execution) => ({ ...memorable(0), execution })));
          const known = visible().requests.family(matchIds);
          const plain = familyOf(matchIds, new LinkIndex(executions));
          expect(known.ids.toSorted()).toEqual(plain.ids.toSorted());
          expect(known.missing.toSorted()).toEqual(plain.missing.toSorted());
          const inFamily = executions.filter((one) => plain.ids.includes(one.id));
          const byId = (a: TracedExecution, b: TracedExecution): number => Number(a.id) - Number(b.id);
          expect(known.executions.toSorted(byId)).toEqual(inFamily.toSorted(byId));
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe("an execution that n8n has deleted", () => {
  const deletedOf = (...ids: string[]): readonly string[] => visible().requests.family(ids).deleted;

  test("stays marked as deleted until n8n lists it again", () => {
    remember(memorable(1), memorable(2));
    store.rows.markDeleted(["1"]);
    expect(deletedOf("1", "2")).toEqual(["1"]);
    expect(withIds("1")).toEqual([traced(1)]);
    expect(store.listed.unknownOf([traced(1)]).ids).toEqual([]);
    expect(deletedOf("1", "2")).toEqual([]);
  });

  test("is replaced once its id belongs to another execution, even an unreadable one", () => {
    const unread = { problem: "n8n fails", facts: null, correlations: [] };
    for (const facts of [{ startedAt: started(77) }, { workflowId: "another" }]) {
      remember(memorable(1));
      remember(memorable(1, facts, unread));
      expect(matches()).toEqual([]);
      expect(withIds("1")).toEqual([traced(1, facts)]);
    }
  });

  test("keeps the facts that were read", () => {
    const facts = { ...NO_FACTS, failingNode: "HTTP", errorClass: "NodeApiError", httpStatus: 502, items: 7 };
    remember(memorable(1, {}, { facts }), memorable(2, {}, { facts: null, problem: "x" }));
    expect(store.executions.factsOf("1")).toEqual(facts);
    expect(store.executions.factsOf("2")).toBeNull();
    expect(store.executions.factsOf("3")).toBeNull();
  });

  test("is forgotten if it was never read or had not ended", () => {
    remember(memorable(1, { status: "waiting" }), memorable(2, {}, { facts: null, problem: "x" }));
    store.rows.markDeleted(["1", "2"]);
    expect(withIds("1", "2")).toEqual([]);
    expect(store.counts.all).toBe(0);
  });

  test("is one that a complete list of a range lacks, unless it was stored after the request", () => {
    remember(...upTo(5));
    store.rows.remember([memorable(6)], NOW + 20);
    remember(memorable(7, { status: "waiting" }));
    store.rows.markMissing({ high: "7", low: "2" }, ["3", "5"], NOW + 10);
    expect(deletedOf("1", "2", "3", "4", "5", "6", "7")).toEqual(["2", "4"]);
  });
});

describe("making room", () => {
  const count = 3_000;
  const most = 2_960;

  test("drops the oldest with everything that belongs to them, and clips claims", () => {
    const sub = { subExecutions: [{ executionId: "5", nodeName: "Call" }] };
    remember(memorable(3, sub), ...upTo(count).slice(3));
    store.stretches.claim("listed", { high: String(count), low: "3", isBottom: true });
    expect(store.makeRoom(count)).toBe(0);
    expect(store.makeRoom(most)).toBe(count - 2 - most);
    expect(store.counts.all).toBe(most);
    expect(withIds("40", "41").map((one) => one.id)).toEqual(["41"]);
    expect(store.stretches.of("listed")).toEqual([{ high: String(count), low: "41", isBottom: false }]);
    expect([...sql.exec("SELECT MIN(execution_id) AS id FROM correlations")]).toEqual([{ id: 41 }]);
    expect(rows("calls")).toEqual([]);
  });

  test("keeps a later scan from claiming what was dropped", () => {
    remember(...upTo(count));
    store.makeRoom(most);
    store.stretches.claim("listed", { high: String(count), low: "1", isBottom: true });
    store.stretches.claim("listed", { high: "30", low: "1", isBottom: true });
    expect(store.stretches.of("listed")).toEqual([{ high: String(count), low: "41", isBottom: false }]);
  });
});

test("room is made in parts, each of which survives an interruption", () => {
  const count = 110_000;
  // Storing that many rows through the store would take most of the test's time.
  sql.exec(
    `WITH RECURSIVE ids (id) AS (SELECT 1000000000000000 UNION ALL SELECT id + 1 FROM ids LIMIT ${count})
     INSERT INTO executions (id, workflow_id, mode, status, is_read, is_deleted)
     SELECT id, 'w', 'webhook', 'success', 1, 0 FROM ids`,
  );
  sql.exec("INSERT INTO counts SELECT id / 1024, COUNT(*) FROM executions GROUP BY 1");
  store.stretches.claim("listed", { high: "1000000000109999", low: "1000000000000000", isBottom: true });
  const part = 10_000;
  expect(store.makeRoom(10)).toBe(part);
  expect(store.stretches.of("listed")).toEqual([
    { high: "1000000000109999", low: "1000000000010000", isBottom: false },
  ]);
  const parts: number[] = [part];
  for (let left = count - part; left > 10; left -= parts.at(-1) ?? left) parts.push(store.makeRoom(10));
  expect(Math.max(...parts)).toBe(part);
  expect(store.makeRoom(10)).toBe(0);
  expect(rows("executions")).toHaveLength(10);
  expect(store.stretches.of("listed")).toMatchObject([{ low: "1000000000109990" }]);
});

test("the id of the n-th newest execution is found from counts", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(6_000), { minLength: 1, maxLength: 60 }), fc.nat(70), (ids, place) => {
      startAfresh();
      remember(...ids.map((id) => memorableExecution(traced(id))));
      const expected = ids.toSorted((a, b) => b - a)[place];
      expect(store.counts.idAt(place)).toBe(expected === undefined ? null : String(expected));
    }),
    { numRuns: 40 },
  );
});

describe("the count of executions from an id on", () => {
  test("equals counting the rows after any changes", inBothLanes, () => {
    const id = fc.integer({ min: 1, max: 5_000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.uniqueArray(id, { minLength: 1, maxLength: 40 })), {
          maxLength: 8,
        }),
        id,
        (steps, downTo) => {
          startAfresh();
          const present = new Set<number>();
          for (const [isNew, ids] of steps) {
            visible().counts.coverage(WINDOW, "1");
            if (isNew) remember(...ids.map((one) => memorable(one)));
            else {
              remember(...ids.map((one) => memorable(one, { status: "waiting" })));
              store.rows.markDeleted(ids.map(String));
            }
            for (const one of ids) isNew ? present.add(one) : present.delete(one);
          }
          const left = [...present].filter((one) => one >= downTo).sort((a, b) => a - b);
          expect(visible().counts.coverage(WINDOW, String(downTo))).toMatchObject({
            executions: left.length,
            lowest: left[0] === undefined ? null : String(left[0]),
            highest: left.at(-1) === undefined ? null : String(left.at(-1)),
          });
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe("what is already stored", () => {
  const running = (facts: Partial<TracedExecution> = {}): MemorableExecution =>
    memorable(1, { status: "running", stoppedAt: null, ...facts });

  /** Statements that `work` writes with. */
  function writesOf(work: () => void): string[] {
    const writes: string[] = [];
    const inner = sql;
    const watched: Sql = {
      databaseSize: 0,
      exec(query, ...bindings) {
        if (/^\s*(?:INSERT|UPDATE|DELETE)/.test(query)) writes.push(query);
        return inner.exec(query, ...bindings);
      },
    };
    store = new ExecutionStore(watched);
    remember(running());
    store.stretches.claim("listed", { high: "9", low: "2", isBottom: false });
    writes.length = 0;
    work();
    return writes;
  }

  test("is not written again: an unchanged execution, a claim within a known one", () => {
    const claim = { high: "9", low: "4", isBottom: false };
    const writes = writesOf(() => {
      remember(running());
      store.stretches.claim("listed", claim);
      store.stretches.claim("listed", { ...claim, low: "2" });
      store.listed.unknownOf([{ ...traced(1), status: "running", stoppedAt: null }]);
    });
    expect(writes).toEqual([]);
    const retried = traced(1, { status: "error", retrySuccessId: "5" });
    remember(memorable(0, retried));
    writes.length = 0;
    store.listed.unknownOf([retried]);
    expect(writes).toEqual([]);
  });

  test("is written again after a change, and the last of two versions wins", () => {
    writesOf(() => {
      remember(running({ workflowName: "renamed" }), running());
    });
    expect(withIds("1")).toMatchObject([{ workflowName: "orders" }]);
    remember(running({ workflowName: "renamed" }));
    expect(withIds("1")).toMatchObject([{ workflowName: "renamed" }]);
  });

  test("is written again after it was forgotten", () => {
    writesOf(() => {
      store.rows.markDeleted(["1"]);
      remember(running());
    });
    expect(withIds("1")).toMatchObject([{ id: "1" }]);
  });

  test("is written again when a known stretch turns out to be the bottom", () => {
    writesOf(() => {
      store.stretches.claim("listed", { high: "9", low: "2", isBottom: true });
    });
    expect(store.stretches.of("listed")).toEqual([{ high: "9", low: "2", isBottom: true }]);
  });
});

describe("the judgement of a closer look", () => {
  const family = () => visible().requests.family(["1", "2", "3"]);

  test("is known of each success until it is read again", () => {
    const facts = { ...NO_FACTS, handledErrors: 0 };
    const [one, two] = [memorable(1, {}, { facts }), memorable(2, {}, { facts })];
    remember(one, two, memorable(3, { status: "error" }, { facts }));
    expect(family()).toMatchObject({ swallowing: [], unjudged: ["1", "2"] });
    store.rows.judge("1", true);
    store.rows.judge("2", false);
    expect(family()).toMatchObject({ swallowing: ["1"], unjudged: [] });
    remember(memorable(1, { workflowName: "renamed" }, { facts }));
    expect(family()).toMatchObject({ swallowing: [], unjudged: ["1"] });
  });

  test("stands until an explanation, which sees more, says otherwise", () => {
    const [one, handled] = [0, 1].map((handledErrors) => ({ facts: { ...NO_FACTS, handledErrors } }));
    remember(memorable(1, {}, one), memorable(2, {}, one), memorable(3, {}, handled));
    store.rows.judge("1", true);
    for (const id of ["1", "2", "3"]) store.rows.judgeFirst(id, false);
    expect(family()).toMatchObject({ swallowing: ["1", "3"], unjudged: [] });
    expect(rows("judgements")).toHaveLength(2);
    store.rows.judge("2", true);
    expect(family()).toMatchObject({ swallowing: ["1", "2", "3"] });
  });

  test("is not stored for failures or unknown executions", () => {
    remember(memorable(3, { status: "error" }));
    store.rows.judge("3", true);
    store.rows.judge("99", true);
    expect(rows("judgements")).toEqual([]);
  });
});
