/**
 * As `history-model.test.ts` and `search/search-model.test.ts`, but each caller sees other workflows, with or without
 * payload, and access rules change: each caller finds everything they may see, and learns nothing of the rest.
 */
import fc from "fast-check";
import { test } from "vitest";
import type { SearchedFor } from "../../src/history/payload/search-target.ts";
import type { TraceWindow } from "../../src/history/store/trace-window.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import { ContinuedSearch } from "../support/continued-search.ts";
import { inBothLanes, runs } from "../support/lane.ts";
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
} from "../support/living-n8n.ts";
import { modelParameters, patient, sayingAtOnce } from "../support/model-runs.ts";
import { anyView, askAs, expectNothingHidden, maySee, tryAs, type User } from "../support/ruled-users.ts";
import { WINDOW } from "../support/test-traces.ts";

const MOST_CALLS = 60;
const USERS = 3;
const limit = fc.constantFrom(5, 40, 130, 2_000);
const who = fc.nat({ max: USERS - 1 });
const requestId = fc.constantFrom(...REQUEST_IDS);
const question = fc.record({ who, requestId, window, limit, deep: fc.boolean() });
const query = fc
  .record({ id: requestId, isText: fc.boolean() })
  .map(({ id, isText }) => (isText ? { id, text: id } : { id, path: "body.requestId", value: id }));

const command = fc.oneof(
  { weight: 7, arbitrary: happening },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("trace" as const),
      questions: fc.array(question, { minLength: 1, maxLength: 2 }),
      isBusy: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("search" as const),
      who,
      query,
      window,
      limit,
      isBusy: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("continue" as const),
      trace: fc.nat(),
      search: fc.nat(),
      limit,
      isBusy: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant("rule" as const), who, view: anyView }),
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

interface BegunTrace {
  readonly user: User;
  readonly requestId: string;
  readonly window: TraceWindow;
  readonly traceId: string;
}
interface BegunSearch {
  readonly user: User;
  readonly id: string;
  readonly window: TraceWindow;
  readonly continued: ContinuedSearch;
}

class Life {
  readonly living: LivingN8n;
  readonly users: readonly User[];
  readonly traces: BegunTrace[] = [];
  readonly searches: BegunSearch[] = [];

  constructor(living: LivingN8n, users: readonly User[]) {
    this.living = living;
    this.users = users;
  }

  user(place: number): User {
    const user = this.users[place];
    if (user === undefined) throw new Error("There is no such user.");
    return user;
  }

  async trace({ who: place, deep, ...args }: typeof question extends fc.Arbitrary<infer Q> ? Q : never) {
    const user = this.user(place);
    const answer = await tryAs(this.living, user, { ...args, deep: deep && user.view.mayReadData(null) });
    if (answer !== null) this.traces.push({ ...args, user, traceId: answer.traceId });
  }

  begin(user: User, { id, ...asked }: SearchedFor & { readonly id: string }, of: TraceWindow): BegunSearch {
    const { traces, n8n } = this.living;
    const progress = (message: string): void => expectNothingHidden(this.living, user, message);
    return {
      user,
      id,
      window: of,
      continued: new ContinuedSearch({ traces, n8n, user, progress }, asked, of),
    };
  }

  /** @throws {Error} if the answer names anything hidden */
  async goOn({ user, continued }: BegunSearch, most: number) {
    const answer = await continued.call(most);
    const { view } = user;
    expectNothingHidden(this.living, { ...user, view: view.withData }, answer);
    return answer;
  }
}

async function run(life: Life, one: Command): Promise<void> {
  const { living } = life;
  if (one.kind === "trace") {
    const all = async () => await Promise.all(one.questions.map((each) => life.trace(each)));
    await living.whileBusy(one.isBusy, all);
  } else if (one.kind === "search") {
    const search = life.begin(life.user(one.who), one.query, one.window);
    life.searches.push(search);
    await living.whileBusy(one.isBusy, async () => await life.goOn(search, one.limit));
  } else if (one.kind === "continue") {
    const trace = life.traces[one.trace % Math.max(1, life.traces.length)];
    const search = life.searches[one.search % Math.max(1, life.searches.length)];
    const both = async () =>
      await Promise.all([
        trace && tryAs(living, trace.user, { traceId: trace.traceId, limit: one.limit }),
        search && life.goOn(search, one.limit),
      ]);
    await living.whileBusy(one.isBusy, both);
  } else if (one.kind === "rule") life.user(one.who).view = one.view;
  else happen(living, one);
}

async function traceToTheEnd(
  { living }: Life,
  { user, ...asked }: Omit<BegunTrace, "traceId">,
): Promise<void> {
  if (!living.canBeAskedFor(asked.window)) return;
  let answer = await askAs(living, user, { ...asked, limit: 300 });
  for (let calls = 0; !answer.coverage.complete; calls += 1) {
    if (calls > MOST_CALLS)
      throw new Error(`The trace does not finish: ${JSON.stringify([answer.coverage, user.view.parts])}`);
    answer = await askAs(living, user, { traceId: answer.traceId, limit: 300 });
  }
  const found = new Set(answer.executions.filter(({ match }) => match?.kind === "exact").map(({ id }) => id));
  expectAsNaive(living, user, asked.window, asked.requestId, found, answer.coverage);
  const there = living.n8n.executions.filter((one) => found.has(one.id));
  const wrong = there.filter((one) => !holds(one, asked.requestId) || !maySee(user, one));
  if (wrong.length > 0)
    throw new Error(`It found what does not hold it: ${wrong.map(({ id }) => id).join()}`);
}

async function searchToTheEnd(life: Life, search: BegunSearch): Promise<void> {
  const { living } = life;
  if (!living.canBeAskedFor(search.window)) return;
  const coverages: unknown[] = [];
  const user = { ...search.user, view: search.user.view.withData };
  for (let calls = 0; calls < MOST_CALLS; calls += 1) {
    const answer = await life.goOn(search, 300);
    if (answer?.coverage.complete === true)
      return expectAsNaive(living, user, search.window, search.id, search.continued.found, answer.coverage);
    coverages.push(answer?.coverage);
  }
  throw new Error(`The search does not finish: ${JSON.stringify([coverages.slice(-3), user.view.parts])}`);
}

function expectAsNaive(
  living: LivingN8n,
  user: User,
  of: TraceWindow,
  id: string,
  found: ReadonlySet<string>,
  coverage: unknown,
): void {
  const missed = living.n8n.executions.filter(
    (one) => maySee(user, one) && isInWindow(one, of) && holds(one, id) && !found.has(one.id),
  );
  if (missed.length === 0) return;
  const details = missed.map(({ id: missing, status, startedAt }) => ({ id: missing, status, startedAt }));
  throw new Error(
    `Missed executions: ${JSON.stringify({ id, of, view: user.view.parts, details, coverage })}`,
  );
}

/** False if the trace has expired, or the caller may no longer ask for it. */
async function canGoOn(living: LivingN8n, { user, traceId }: BegunTrace): Promise<boolean> {
  try {
    await askAs(living, user, { traceId, limit: 5 });
    return true;
  } catch (error) {
    if (error instanceof ObserverError && ["TRACE_NOT_FOUND", "INSUFFICIENT_SCOPE"].includes(error.code))
      return false;
    throw error;
  }
}

test("after any sequence of events, each caller finds what a naive reading of their view finds", {
  ...inBothLanes,
  ...patient,
}, async () => {
  const parameters = modelParameters(runs(60));
  await fc.assert(
    fc.asyncProperty(
      kindOfN8n,
      fc.tuple(anyView, anyView, anyView),
      fc.array(command, { minLength: 1, maxLength: 14 }),
      fc.record({ query, window }),
      sayingAtOnce(parameters, async (kind, views, commands, last) => {
        const living = createLivingN8n(kind);
        const life = new Life(
          living,
          views.map((view, place) => ({ userId: `user-${place}`, view })),
        );
        for (const one of commands) await run(life, one);
        if (!living.canBeReadToTheEnd) return;
        living.mend();
        for (const one of life.traces) if (await canGoOn(living, one)) await traceToTheEnd(life, one);
        for (const one of life.searches) await searchToTheEnd(life, one);
        for (const user of life.users) {
          for (const range of [WINDOW, last.window]) {
            await searchToTheEnd(life, life.begin(user, last.query, range));
            await traceToTheEnd(life, { user, requestId: last.query.id, window: range });
          }
        }
      }),
    ),
    parameters,
  );
});
