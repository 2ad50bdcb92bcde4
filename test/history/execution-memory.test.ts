/** The memory of executions in SQL, against plain code that says the same. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import {
  EVERYTHING,
  ExecutionMemory,
  MAX_MATCHES,
  MAX_REMEMBERED_EXECUTIONS,
  MEMORY_LIFETIME_MS,
  type MemorableExecution,
  type MemoryWindow,
} from "../../src/history/execution-memory.ts";
import { familyOf, LinkIndex } from "../../src/history/family.ts";
import type { Stretch } from "../../src/history/stretches.ts";
import type { TracedExecution } from "../../src/history/traced-execution.ts";
import type { Sql } from "../../src/platform/sql.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { createLocalSql } from "../support/local-trace-memory.ts";

const WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };
const NOW = Date.UTC(2026, 5, 1);

let sql: Sql;
let memory: ExecutionMemory;
beforeEach(() => {
  sql = createLocalSql();
  memory = new ExecutionMemory(sql);
});

const started = (id: number): string => new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString();

function traced(id: number, facts: Partial<TracedExecution> = {}): TracedExecution {
  return {
    id: String(id),
    workflowId: "w1",
    workflowName: "orders",
    mode: "webhook",
    status: "success",
    startedAt: started(id),
    stoppedAt: started(id),
    waitTill: null,
    parentId: null,
    retryOf: null,
    retrySuccessId: null,
    unknownParentWorkflowId: null,
    subExecutions: [],
    ...facts,
  };
}

function memorable(
  id: number,
  facts: Partial<TracedExecution> = {},
  rest: Partial<MemorableExecution> = {},
): MemorableExecution {
  return {
    execution: traced(id, facts),
    correlations: [{ digest: "d", nodeName: "Webhook", path: "body.requestId" }],
    problem: null,
    isRead: true,
    ...rest,
  };
}

const upTo = (count: number): MemorableExecution[] =>
  Array.from({ length: count }, (_one, index) => memorable(index + 1));

const rows = (table: string): unknown[] => [...sql.exec(`SELECT * FROM ${table}`)];

describe("claims", () => {
  const stretch = fc
    .tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 0, max: 30 }), fc.boolean())
    .map(([low, length, isBottom]) => ({ low, high: low + length, isBottom: isBottom && low < 10 }));

  const stretchesOf = (scope: string): Stretch[] => [...memory.known([scope], WINDOW).stretches];

  const toText = ({ low, high, isBottom }: { low: number; high: number; isBottom: boolean }): Stretch => ({
    low: String(low),
    high: String(high),
    isBottom,
  });

  test("cover exactly the ids that were claimed, in stretches that share none", () => {
    fc.assert(
      fc.property(fc.array(stretch, { minLength: 1, maxLength: 12 }), (claimed) => {
        sql = createLocalSql();
        memory = new ExecutionMemory(sql);
        const covered = new Set<number>();
        for (const one of claimed) {
          memory.claim(EVERYTHING, toText(one), NOW);
          for (let id = one.low; id <= one.high; id += 1) covered.add(id);
        }
        const known = stretchesOf(EVERYTHING).flatMap(({ low, high }) =>
          Array.from({ length: Number(high) - Number(low) + 1 }, (_one, index) => Number(low) + index),
        );
        expect(known.sort((a, b) => a - b)).toEqual([...covered].sort((a, b) => a - b));
        expect(stretchesOf(EVERYTHING).some(({ isBottom }) => isBottom)).toBe(
          claimed.some(({ isBottom }) => isBottom),
        );
      }),
    );
  });

  test("that share an id become one; that only touch stay apart, since ids may lie between", () => {
    memory.claim(EVERYTHING, { high: "300", low: "201", isBottom: false }, NOW);
    memory.claim(EVERYTHING, { high: "200", low: "101", isBottom: false }, NOW);
    expect(stretchesOf(EVERYTHING)).toHaveLength(2);
    memory.claim(EVERYTHING, { high: "201", low: "200", isBottom: false }, NOW);
    expect(stretchesOf(EVERYTHING)).toMatchObject([{ high: "300", low: "101", isBottom: false }]);
  });

  test("ids are compared as numbers, not as text", () => {
    memory.claim(EVERYTHING, { high: "1000", low: "999", isBottom: false }, NOW);
    memory.claim(EVERYTHING, { high: "999", low: "99", isBottom: false }, NOW);
    expect(stretchesOf(EVERYTHING)).toMatchObject([{ high: "1000", low: "99" }]);
  });

  test("of one scope are not those of another", () => {
    memory.claim("w1", { high: "9", low: "1", isBottom: true }, NOW);
    expect(stretchesOf(EVERYTHING)).toEqual([]);
    expect(memory.known([EVERYTHING, "w1"], WINDOW).stretches).toHaveLength(1);
    memory.dropScopes(["w1"]);
    expect(rows("stretches")).toEqual([]);
  });

  test("are as old as the oldest that was read of them", () => {
    memory.remember(upTo(3), NOW - MEMORY_LIFETIME_MS + 10);
    memory.claim(EVERYTHING, { high: "3", low: "1", isBottom: true }, NOW);
    memory.remember([memorable(4)], NOW);
    memory.claim(EVERYTHING, { high: "4", low: "3", isBottom: false }, NOW);
    memory.prune(NOW + 9);
    expect(stretchesOf(EVERYTHING)).toHaveLength(1);
    memory.prune(NOW + 10);
    expect(stretchesOf(EVERYTHING)).toEqual([]);
    expect(memory.executions(["1", "2", "3", "4"]).map(({ id }) => id)).toEqual(["4"]);
  });
});

describe("what has to be read", () => {
  const idsOf = (...listed: TracedExecution[]): string[] => memory.unknownOf(listed).ids;

  test("is unknown, or has changed, or still runs", () => {
    memory.remember(
      [memorable(1), memorable(2, { status: "waiting" }), memorable(3, { status: "running" })],
      NOW,
    );
    expect(idsOf(traced(1), traced(2, { status: "waiting" }))).toEqual([]);
    expect(idsOf(traced(1), traced(2), traced(3, { status: "running" }), traced(4))).toEqual(["2", "3", "4"]);
    expect(idsOf(traced(2, { status: "waiting", waitTill: started(900) }))).toEqual(["2"]);
    expect(idsOf(traced(2, { status: "waiting", stoppedAt: started(900) }))).toEqual(["2"]);
    expect(idsOf(traced(1, { status: "crashed" }))).toEqual(["1"]);
  });

  test("is everything when an execution that had ended is another one now", () => {
    memory.remember([memorable(1), memorable(2)], NOW);
    memory.claim(EVERYTHING, { high: "2", low: "1", isBottom: true }, NOW);
    const answer = memory.unknownOf([traced(2, { startedAt: started(77) }), traced(1)]);
    expect(answer).toMatchObject({ ids: ["2", "1"], isOtherHistory: true });
    for (const table of ["executions", "correlations", "stretches", "calls"]) expect(rows(table)).toEqual([]);
  });

  test("one that had not ended may start anew without being another", () => {
    memory.remember([memorable(1, { status: "waiting" }), memorable(2)], NOW);
    const answer = memory.unknownOf([traced(1, { startedAt: started(77) }), traced(2)]);
    expect(answer).toMatchObject({ ids: ["1"], isOtherHistory: false });
  });
});

describe("what is remembered", () => {
  test("takes the place of what was remembered before", () => {
    memory.remember([memorable(1, { subExecutions: [{ executionId: "5", nodeName: "Call" }] })], NOW);
    memory.remember([memorable(1, { status: "error" }, { correlations: [] })], NOW);
    expect(memory.executions(["1"])).toEqual([traced(1, { status: "error" })]);
    expect(memory.matchesOf("d", WINDOW)).toEqual([]);
    expect(rows("calls")).toEqual([]);
  });

  test("stays when the execution could not be read again, but for its state and the problem", () => {
    memory.remember([memorable(1, { status: "waiting", parentId: "7" })], NOW);
    const unread = { problem: "n8n fails", isRead: false, correlations: [] };
    memory.remember([memorable(1, { status: "success", workflowName: null }, unread)], NOW);
    expect(memory.executions(["1"])).toEqual([traced(1, { parentId: "7" })]);
    expect(memory.matchesOf("d", WINDOW)).toHaveLength(1);
    expect(memory.known([], WINDOW).unread).toEqual(["1"]);
    expect(memory.coverage(WINDOW, "1").problems).toEqual([{ executionId: "1", reason: "n8n fails" }]);
    memory.remember([memorable(1)], NOW);
    expect(memory.known([], WINDOW).unread).toEqual([]);
    expect(memory.coverage(WINDOW, "1").problems).toEqual([]);
  });

  test("is told newest first, by number, inside the window, and one more than is looked at", () => {
    memory.remember([memorable(9), memorable(10), memorable(100), memorable(101, { startedAt: null })], NOW);
    const ids = (window: MemoryWindow = WINDOW): string[] =>
      memory.matchesOf("d", window).map(({ executionId }) => executionId);
    expect(ids()).toEqual(["101", "100", "10", "9"]);
    expect(ids({ ...WINDOW, startedAfter: started(10), startedBefore: started(99) })).toEqual(["101", "10"]);
    expect(ids({ ...WINDOW, workflowId: "w2" })).toEqual([]);
    memory.remember(upTo(MAX_MATCHES + 50), NOW);
    expect(ids()).toHaveLength(MAX_MATCHES + 1);
    expect(ids()[0]).toBe(String(MAX_MATCHES + 50));
  });

  test("is counted down to an id, with its problems, of which few are told", () => {
    memory.remember(
      upTo(60).map((one, index) => ({ ...one, problem: index % 2 === 0 ? "too large" : null })),
      NOW,
    );
    const known = memory.coverage(WINDOW, "11");
    expect(known).toMatchObject({ executions: 50, from: started(11), to: started(60), problemCount: 25 });
    expect(known.problems).toHaveLength(20);
    expect(known.problems[0]).toEqual({ executionId: "59", reason: "too large" });
  });

  test("an id as large as n8n may have is kept exactly", () => {
    const large = "9007199254740993";
    memory.remember([memorable(0, { id: large, parentId: "9007199254740995" })], NOW);
    memory.claim(EVERYTHING, { high: large, low: large, isBottom: false }, NOW);
    expect(memory.executions([large])).toMatchObject([{ id: large, parentId: "9007199254740995" }]);
    expect(memory.matchesOf("d", WINDOW)).toMatchObject([{ executionId: large }]);
    expect(memory.known([EVERYTHING], WINDOW).stretches).toMatchObject([{ high: large, low: large }]);
    expect(memory.unknownOf([traced(0, { id: large })]).ids).toEqual([]);
  });
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

  test("are the same in SQL and in plain code, whatever the links", inBothLanes, () => {
    fc.assert(
      fc.property(
        graph,
        fc.uniqueArray(id.map(String), { minLength: 1, maxLength: 3 }),
        (nodes, matchIds) => {
          sql = createLocalSql();
          memory = new ExecutionMemory(sql);
          const executions = nodes.map(({ id: number, subExecutions, ...facts }) =>
            traced(number, {
              ...facts,
              subExecutions: subExecutions
                .toSorted((a, b) => a - b)
                .map((child) => ({ executionId: String(child), nodeName: "Call" })),
            }),
          );
          memory.remember(
            executions.map((execution) => ({ ...memorable(0), execution })),
            NOW,
          );
          const known = memory.family(matchIds);
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

describe("pruning", () => {
  test("keeps the newest, clips what was claimed, and forgets all that hung on the others", () => {
    const count = MAX_REMEMBERED_EXECUTIONS + 40;
    const sub = { subExecutions: [{ executionId: "5", nodeName: "Call" }] };
    sql.exec("BEGIN");
    memory.remember([memorable(3, sub), ...upTo(count).slice(3)], NOW);
    sql.exec("COMMIT");
    memory.claim(EVERYTHING, { high: String(count), low: "3", isBottom: true }, NOW);
    memory.claim("w1", { high: "30", low: "3", isBottom: true }, NOW);
    expect(memory.isOverfull).toBe(true);
    memory.prune(NOW);
    expect(memory.isOverfull).toBe(false);
    expect(memory.executions(["40", "41"]).map((one) => one.id)).toEqual(["41"]);
    expect(memory.known([EVERYTHING, "w1"], WINDOW).stretches).toMatchObject([
      { high: String(count), low: "41", isBottom: false },
    ]);
    expect([...sql.exec("SELECT MIN(execution_id) AS id FROM correlations")]).toEqual([{ id: 41 }]);
    expect(rows("calls")).toEqual([]);
  });

  test("has a next time as long as anything is kept", () => {
    expect(memory.nextExpiry()).toBeNull();
    memory.remember([memorable(1)], NOW);
    memory.remember([memorable(2)], NOW + 5);
    expect(memory.nextExpiry()).toBe(NOW + MEMORY_LIFETIME_MS);
    memory.prune(NOW + MEMORY_LIFETIME_MS);
    expect(memory.nextExpiry()).toBe(NOW + 5 + MEMORY_LIFETIME_MS);
  });
});
