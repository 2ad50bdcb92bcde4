/**
 * After whatever has happened, and whoever has read what, a search that was continued until it said to be complete has
 * found what a naive reading of everything finds. So has one that was begun earlier and is continued only now.
 */
import fc from "fast-check";
import { test } from "vitest";
import type { SearchedFor } from "../../../src/history/payload/search-target.ts";
import type { HistorySearch } from "../../../src/history/search/search-query.ts";
import type { TraceWindow } from "../../../src/history/store/trace-window.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import {
  createLivingN8n,
  happen,
  happening,
  holds,
  isInWindow,
  kindOfN8n,
  type LivingN8n,
  REQUEST_IDS,
  window,
} from "../../support/living-n8n.ts";
import { queriesOf } from "../../support/local-history.ts";
import { modelParameters, patient } from "../../support/model-runs.ts";
import { WINDOW } from "../../support/test-traces.ts";

/** Terms rule out executions for a value at a path; a text may be a part of a word, so all are read for it. */
const query: fc.Arbitrary<SearchedFor & { readonly id: string }> = fc
  .record({ id: fc.constantFrom(...REQUEST_IDS), isText: fc.boolean() })
  .map(({ id, isText }) => (isText ? { id, text: id } : { id, path: "body.requestId", value: id }));
const MOST_CALLS = 20;
const limit = fc.constantFrom(5, 40, 130, 2_000);

const command = fc.oneof(
  { weight: 6, arbitrary: happening },
  fc.record({
    kind: fc.constant("trace" as const),
    args: fc.record({ requestId: fc.constantFrom(...REQUEST_IDS), window, limit }),
    isBusy: fc.boolean(),
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("search" as const),
      query,
      window,
      limit,
      isBusy: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("continue" as const),
      at: fc.nat(),
      limit,
      isBusy: fc.boolean(),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

/** A search over one or more calls. */
class ContinuedSearch {
  readonly #living: LivingN8n;
  readonly #query: SearchedFor & { readonly id: string };
  readonly #window: TraceWindow;
  readonly #found = new Set<string>();
  #searchId: string | undefined;

  constructor(living: LivingN8n, query: SearchedFor & { readonly id: string }, window: TraceWindow) {
    this.#living = living;
    this.#query = query;
    this.#window = window;
  }

  /** One call. Null when n8n failed at it. */
  async call(limit: number): Promise<HistorySearch | null> {
    const { traces, n8n } = this.#living;
    const sources = traces.sourcesOf(n8n);
    const newId = () => `${Math.random()}`;
    const queries = queriesOf(traces.history, { userId: "anna", view: traces.view, sources, newId });
    const { id: _id, ...asked } = this.#query;
    const args = {
      query: asked,
      window: this.#window,
      limit,
      maxHits: 10_000,
      searchId: this.#searchId,
      timeBudgetMs: 20_000,
    };
    try {
      const answer = await queries.search(args, async () => {}, sources.redactLarge);
      this.#searchId = answer.searchId;
      for (const { executionId } of answer.hits) this.#found.add(executionId);
      return answer;
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      // It has expired, or its place was lost with an answer that failed.
      if (error.code === "TRACE_NOT_FOUND") this.#beginAgain();
      return null;
    }
  }

  #beginAgain(): void {
    this.#searchId = undefined;
    this.#found.clear();
  }

  async toTheEnd(): Promise<void> {
    const told: unknown[] = [];
    for (let calls = 0; calls < MOST_CALLS; calls += 1) {
      const answer = await this.call(300);
      if (answer?.coverage.complete === true) return this.#expectAsNaive(answer);
      told.push({ ...answer, hits: answer?.hits.length });
    }
    throw new Error(`It never comes to an end: ${JSON.stringify(told.slice(-3))}`);
  }

  #expectAsNaive({ coverage }: HistorySearch): void {
    const missed = this.#living.n8n.executions.filter(
      (one) => isInWindow(one, this.#window) && holds(one, this.#query.id) && !this.#found.has(one.id),
    );
    if (missed.length === 0) return;
    const told = missed.map(({ id, status, startedAt }) => ({ id, status, startedAt }));
    throw new Error(
      `It missed some: ${JSON.stringify({ query: this.#query, window: this.#window, told, coverage })}`,
    );
  }
}

async function run(living: LivingN8n, begun: ContinuedSearch[], one: Command): Promise<void> {
  if (one.kind === "trace") await living.whileBusy(one.isBusy, async () => await living.ask(one.args));
  else if (one.kind === "search") {
    const search = new ContinuedSearch(living, one.query, one.window);
    begun.push(search);
    await living.whileBusy(one.isBusy, async () => await search.call(one.limit));
  } else if (one.kind === "continue") {
    const search = begun[one.at % Math.max(1, begun.length)];
    await living.whileBusy(one.isBusy, async () => await search?.call(one.limit));
  } else happen(living, one);
}

test("after anything, a search finds what reading everything finds", {
  ...inBothLanes,
  ...patient,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      kindOfN8n,
      fc.array(command, { minLength: 1, maxLength: 14 }),
      query,
      window,
      async (kind, commands, lastQuery, lastWindow) => {
        const living = createLivingN8n(kind);
        const begun: ContinuedSearch[] = [];
        for (const one of commands) await run(living, begun, one);
        if (!living.canBeReadToTheEnd) return;
        for (const search of begun) await search.toTheEnd();
        await new ContinuedSearch(living, lastQuery, lastWindow).toTheEnd();
        await new ContinuedSearch(living, lastQuery, WINDOW).toTheEnd();
      },
    ),
    modelParameters(runs(60)),
  );
});
