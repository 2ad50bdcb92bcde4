/**
 * Whatever is missing from a history (deleted, never saved, too large, withheld, unreadable, in no list, beyond what a
 * call reads, deleted meanwhile, another n8n between two pages), no answer is `not_found` with `complete: true` while an
 * execution that holds the id can be read.
 *
 * Two things cannot be known where executions are in no list: those more than `EMPTY_IDS_AT_THE_TOP` ids above the
 * highest known id (docs/versions.md), and those that wait in a queue right behind ids that have no execution
 * (docs/trace.md).
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceAnswer } from "../../../src/features/trace-request/trace.ts";
import { EMPTY_IDS_AT_THE_TOP } from "../../../src/history/scan/unlisted.ts";
import type { TraceQuery } from "../../../src/history/trace/history-trace.ts";
import { NOTHING_KNOWN } from "../../../src/n8n/capabilities/capabilities.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  N8N_1_100,
  N8N_1_123,
  queuedExecution,
} from "../../support/fake-n8n.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { createLocalCapabilities } from "../../support/local-capabilities.ts";
import { ENGINE_V2_ID } from "../../support/newer-n8n.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

const COMMON = [
  ...(["plain", "failed", "canceled", "deleted", "waiting", "running"] as const),
  // A status of a later n8n, where only `stoppedAt` says whether it ended; a link to a run of engine v2.
  ...(["unknown, ended", "unknown, open", "linked to engine v2"] as const),
] as const;
/** With one of these in the history, no answer can claim that all was read. */
const RARE = ["too large", "withheld", "broken", "failing", "of a later form"] as const;
type Kind = (typeof COMMON)[number] | (typeof RARE)[number] | "queued";

const some = (kinds: readonly Kind[]) =>
  fc.record({
    kind: fc.constantFrom<Kind>("plain", ...kinds),
    workflowId: fc.constantFrom("w1", "w2"),
  });
/** A run of deleted executions, such as a workflow leaves that saves nothing. */
const unsaved = fc
  .integer({ min: 1, max: 160 })
  .map((count) => Array<Part>(count).fill({ kind: "deleted", workflowId: "w1" }));

interface Part {
  readonly kind: Kind;
  readonly workflowId: string;
}

const REQUEST_ID = "request-of-the-test";

const ordinary = (kinds: readonly Kind[]): fc.Arbitrary<Part[]> =>
  fc.array(some(kinds), { minLength: 1, maxLength: 40 });

/** Few kinds in each history: then one kind cannot hide what another one breaks. */
const history: fc.Arbitrary<Part[]> = fc
  .tuple(
    fc.subarray<Kind>([...COMMON], { maxLength: 3 }),
    fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constantFrom<Kind>(...RARE)),
  )
  .chain(([common, rare]) =>
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: ordinary(common) },
        { weight: 1, arbitrary: unsaved },
        { weight: 1, arbitrary: rare === null ? ordinary(common) : ordinary([...common, rare]) },
      ),
      { maxLength: 4 },
    ),
  )
  .map((parts) => parts.flat());

const STATUSES: Partial<Record<Kind, Record<string, unknown>>> = {
  failed: { status: "error" },
  canceled: { status: "canceled" },
  waiting: { status: "waiting", waitTill: "3000-01-01T00:00:00.000Z" },
  running: { status: "running", stoppedAt: null },
  "too large": { data: { resultData: { runData: {} } }, dataTooLargeToDisplay: true },
  withheld: { data: { resultData: { runData: {} }, redactionInfo: { isRedacted: true } } },
  broken: { mode: 7 },
  "unknown, ended": { status: "paused-by-policy" },
  "unknown, open": { status: "paused-by-policy", stoppedAt: null },
  "linked to engine v2": { retryOf: ENGINE_V2_ID, retrySuccessId: ENGINE_V2_ID },
  "of a later form": { data: { version: 2, resultData: { runData: {} } } },
};

interface GeneratedHistory {
  readonly executions: readonly FakeExecution[];
  /** The execution that holds the id. */
  readonly holder: FakeExecution | undefined;
  /** Ids of the executions that n8n fails to return. */
  readonly failing: ReadonlySet<string>;
}

/**
 * @param place of the execution that holds the id, from 0 for the oldest to 1 for the newest
 * @param queued how many of the newest executions wait in a queue
 */
function generate(parts: readonly Part[], place: number, queued: number): GeneratedHistory {
  const failing = new Set<string>();
  const all: readonly Part[] = [...parts, ...Array<Part>(queued).fill({ kind: "queued", workflowId: "w1" })];
  const there = all.flatMap(({ kind }, index) => (kind === "deleted" ? [] : [index]));
  const holderIndex = there[Math.round(place * (there.length - 1))];
  const executions = there.map((index) => {
    const { kind = "plain", workflowId = "w1" } = all[index] ?? {};
    const id = index + 1;
    if (kind === "failing") failing.add(String(id));
    const requestId = index === holderIndex ? REQUEST_ID : `other-${id}`;
    if (kind === "queued") return queuedExecution(id, requestId);
    return fakeExecution(id, requestId, { workflowId, ...STATUSES[kind] });
  });
  return { executions, failing, holder: executions.find(({ id }) => Number(id) - 1 === holderIndex) };
}

/** True when nothing leads from the known executions up to this one. */
function isBeyondReach({ id, status }: FakeExecution, executions: readonly FakeExecution[]): boolean {
  let top = 0;
  const listedIds = executions.filter(
    ({ status }) => !["waiting", "running", "new"].includes(String(status)),
  );
  top = Math.max(0, ...listedIds.map((each) => Number(each.id)));
  const above = executions.map((each) => Number(each.id)).filter((each) => each > top);
  const begun = executions.filter((each) => each.status !== "new").map((each) => Number(each.id));
  const isNextThere = (newest: number): boolean => executions.some((each) => each.id === String(newest + 1));
  // A queue behind ids without an execution shows only at some distances, also behind a waiting or running execution.
  if (status === "new" && !(isNextThere(top) && isNextThere(Math.max(0, ...begun)))) return true;
  for (const next of above.sort((a, b) => a - b)) {
    if (next - top > EMPTY_IDS_AT_THE_TOP) return Number(id) >= next;
    top = next;
  }
  return false;
}

const WAYS = [null, N8N_1_123, N8N_1_100] as const;

/** What happens to n8n at its n-th answer. */
const event = fc.record({
  at: fc.integer({ min: 0, max: 12 }),
  kind: fc.constantFrom("replaced" as const, "html" as const, "deletes" as const, "fails" as const),
  ways: fc.constantFrom(...WAYS),
  which: fc.nat(),
});

const html = (): Response =>
  new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } });

function applyEvents(
  n8n: FakeN8n,
  failing: ReadonlySet<string>,
  events: readonly (typeof event extends fc.Arbitrary<infer V> ? V : never)[],
): void {
  let answers = 0;
  n8n.intercept = (url) => {
    const now = events.filter(({ at }) => at === answers);
    answers += 1;
    const id = /\/executions\/(\d+)$/.exec(url.pathname)?.[1];
    for (const { kind, ways, which } of now) {
      if (kind === "replaced") n8n.old = ways;
      if (kind === "deletes") n8n.executions = n8n.executions.filter((_each, index) => index !== which % 50);
      if (kind === "html") return html();
      if (kind === "fails") return failure(500);
    }
    if (id !== undefined && failing.has(id)) return failure(500);
    // A page that contains a failing execution fails as a whole.
    const hasFailing =
      url.searchParams.has("includeData") && [...failing].some((each) => isOnPage(n8n, url, each));
    return hasFailing ? failure(500) : undefined;
  };
}

function isOnPage(n8n: FakeN8n, url: URL, id: string): boolean {
  const cursor = url.searchParams.get("cursor");
  if (cursor === null || url.searchParams.has("status")) return false;
  const { lastId, limit } = JSON.parse(atob(cursor));
  const page = n8n.executions
    .map((each) => Number(each.id))
    .filter((each) => each < Number(lastId))
    .sort((a, b) => b - a)
    .slice(0, limit);
  return page.includes(Number(id));
}

const window = fc.oneof(
  { weight: 3, arbitrary: fc.constant(WINDOW) },
  fc.constantFrom("w1", "w2").map((workflowId) => ({ ...WINDOW, workflowId })),
  fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 })).map(([from, length]) => ({
    workflowId: null,
    startedAfter: new Date(Date.UTC(2026, 0, 1) + from * 1_000).toISOString(),
    startedBefore: new Date(Date.UTC(2026, 0, 1) + (from + length) * 1_000).toISOString(),
  })),
);

function isInWindow({ workflowId, startedAt }: FakeExecution, asked: TraceQuery["window"]): boolean {
  if (asked.workflowId !== null && workflowId !== asked.workflowId) return false;
  const started = startedAt ?? "";
  return started >= (asked.startedAfter ?? "") && started <= (asked.startedBefore ?? "9");
}

const claimsToKnow = ({ outcome, coverage }: TraceAnswer): boolean =>
  outcome === "not_found" && coverage.complete;

const asks = fc.array(
  fc.record({
    requestId: fc.constantFrom(REQUEST_ID, "never sent"),
    window,
    limit: fc.constantFrom(20, 2_000, 2_000),
    /** The n8n that answers from now on, if it is another one. */
    replacedBy: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constantFrom(...WAYS)),
  }),
  { minLength: 1, maxLength: 4 },
);

test(
  "no answer is not_found and complete while an execution with the id can be read",
  inBothLanes,
  async () => {
    let conclusive = 0;
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.constantFrom(0, 1, 0.9, 0.5, 0.3),
        fc.constantFrom(...WAYS),
        fc.oneof(fc.constant([]), fc.array(event, { maxLength: 3 })),
        fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
        asks,
        async (parts, place, ways, events, queued, questions) => {
          const { executions, failing, holder } = generate(parts, place, queued);
          const n8n = createFakeN8n(executions);
          n8n.old = ways;
          n8n.dates = "filtered";
          applyEvents(n8n, failing, events);
          const traces = createTestTraces(undefined, createLocalCapabilities(NOTHING_KNOWN));
          for (const { replacedBy, ...asked } of [...questions, { requestId: REQUEST_ID, window: WINDOW }]) {
            if (replacedBy !== undefined) n8n.old = replacedBy;
            const answer = await traces.ask(n8n, asked).catch((error: unknown) => {
              // A clear error is no answer that could be false.
              if (error instanceof ObserverError) return null;
              throw error;
            });
            if (answer === null || !claimsToKnow(answer)) continue;
            conclusive += 1;
            const isThere = holder !== undefined && n8n.executions.includes(holder);
            if (!isThere || asked.requestId !== REQUEST_ID || !isInWindow(holder, asked.window)) continue;
            expect({ holder: holder.id, isBeyondReach: isBeyondReach(holder, n8n.executions) }).toEqual({
              holder: holder.id,
              isBeyondReach: true,
            });
          }
        },
      ),
      { numRuns: runs(400) },
    );
    // Guards against a test that never compares anything.
    expect(conclusive).toBeGreaterThan(runs(200));
  },
);
