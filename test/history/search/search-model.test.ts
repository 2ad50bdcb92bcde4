/**
 * After any sequence of events, and whoever has read what, a search continued until it is complete has found what a
 * naive reading of everything finds. So has a search begun earlier and continued only now.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SearchedFor } from "../../../src/history/payload/search-target.ts";
import type { HistorySearch } from "../../../src/history/search/search-query.ts";
import type { TraceWindow } from "../../../src/history/store/trace-window.ts";
import { ContinuedSearch } from "../../support/continued-search.ts";
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
import { modelParameters, patient, sayingAtOnce } from "../../support/model-runs.ts";
import { WINDOW } from "../../support/test-traces.ts";

/** A value at a path is ruled out by terms; a text may be part of a word, so everything is read for it. */
const query: fc.Arbitrary<SearchedFor & { readonly id: string }> = fc
  .record({ id: fc.constantFrom(...REQUEST_IDS), isText: fc.boolean() })
  .map(({ id, isText }) => (isText ? { id, text: id } : { id, path: "body.requestId", value: id }));
/** With a third of 570 ids missing, 21 calls were needed: each call requests 16 of those that may be queued. */
const MOST_CALLS = 60;
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
      /** Another trace at the same time. */
      beside: fc.option(fc.record({ requestId: fc.constantFrom(...REQUEST_IDS), window, limit })),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

/** Continues until the search is complete, and compares what it has found. */
async function searchToTheEnd(search: Begun): Promise<void> {
  if (!search.living.canBeAskedFor(search.window)) return;
  const answers: unknown[] = [];
  for (let calls = 0; calls < MOST_CALLS; calls += 1) {
    const answer = await search.continued.call(300);
    if (answer?.coverage.complete === true) return expectAsNaive(search, answer);
    answers.push({ ...answer, hits: answer?.hits.length });
  }
  throw new Error(`The search does not finish: ${JSON.stringify(answers.slice(-3))}`);
}

function expectAsNaive({ living, id, window: of, continued }: Begun, { coverage }: HistorySearch): void {
  const missed = living.n8n.executions.filter(
    (one) => isInWindow(one, of) && holds(one, id) && !continued.found.has(one.id),
  );
  if (missed.length === 0) return;
  const details = missed.map((one) => ({ id: one.id, status: one.status, startedAt: one.startedAt }));
  throw new Error(`Missed executions: ${JSON.stringify({ id, window: of, details, coverage })}`);
}

interface Begun {
  readonly living: LivingN8n;
  readonly id: string;
  readonly window: TraceWindow;
  readonly continued: ContinuedSearch;
}

function begin(
  living: LivingN8n,
  { id, ...asked }: SearchedFor & { readonly id: string },
  of: TraceWindow,
): Begun {
  return { living, id, window: of, continued: new ContinuedSearch(living, asked, of) };
}

async function run(living: LivingN8n, begun: Begun[], one: Command): Promise<void> {
  if (one.kind === "trace") await living.whileBusy(one.isBusy, async () => await living.ask(one.args));
  else if (one.kind === "search") {
    const search = begin(living, one.query, one.window);
    begun.push(search);
    await living.whileBusy(one.isBusy, async () => await search.continued.call(one.limit));
  } else if (one.kind === "continue") {
    const search = begun[one.at % Math.max(1, begun.length)];
    const beside = async () => (one.beside === null ? null : await living.ask(one.beside));
    const both = async () => await Promise.all([search?.continued.call(one.limit), beside()]);
    await living.whileBusy(one.isBusy, both);
  } else happen(living, one);
}

test("after any sequence of events, a complete search finds what a naive reading finds", {
  ...inBothLanes,
  ...patient,
}, async () => {
  const parameters = modelParameters(runs(60));
  await fc.assert(
    fc.asyncProperty(
      kindOfN8n,
      fc.array(command, { minLength: 1, maxLength: 14 }),
      query,
      window,
      sayingAtOnce(parameters, async (kind, commands, lastQuery, lastWindow) => {
        const living = createLivingN8n(kind);
        const begun: Begun[] = [];
        for (const one of commands) await run(living, begun, one);
        if (!living.canBeReadToTheEnd) return;
        living.mend();
        for (const search of begun) await searchToTheEnd(search);
        await searchToTheEnd(begin(living, lastQuery, lastWindow));
        await searchToTheEnd(begin(living, lastQuery, WINDOW));
        expect(living.isMistakenForQueueing).toBe(false);
      }),
    ),
    parameters,
  );
});
