/** Random requests to a simulated n8n (`request-world.ts`), and when they are traced, for property tests. */
import fc from "fast-check";
import type {
  BatchPlan,
  CallKind,
  CallPlan,
  End,
  FlowPlan,
  PostPlan,
  RetryPlan,
  SendingPlan,
} from "./request-world.ts";

export const REQUESTS = ["req-A", "req-B", "req-C"] as const;
const FEATURES = [
  ...(["caught", "unawaited", "tried", "unnamed", "deep", "idless", "handed on"] as const),
  ...(["canceled", "crashed", "waiting"] as const),
  ...([
    "retries",
    "handlers",
    "unkept",
    "batch",
    "listing batch",
    "answers",
    "twice",
    "editor",
    "unfinished",
    "pruned",
    "n8n 1",
  ] as const),
] as const;
type Feature = (typeof FEATURES)[number];

type Has = (feature: Feature) => boolean;

const ends = (has: Has): fc.Arbitrary<End> =>
  fc.constantFrom<End>(
    "success",
    "error",
    ...(["canceled", "crashed", "waiting"] as const).filter((end) => has(end)),
  );
const kinds = (has: Has): fc.Arbitrary<CallKind> =>
  fc.constantFrom<CallKind>(
    "awaited",
    ...(["caught", "unawaited", "tried"] as const).filter((kind) => has(kind)),
  );
const kept = (has: Has): fc.Arbitrary<boolean> =>
  has("unkept") ? fc.integer({ min: 0, max: 3 }).map((chance) => chance > 0) : fc.constant(true);

function flows(has: Has, depth: number, holdsId: boolean): fc.Arbitrary<FlowPlan> {
  const calls: fc.Arbitrary<readonly CallPlan[]> =
    depth === 0
      ? fc.constant([])
      : fc.array(
          fc.record({
            kind: kinds(has),
            isNamed: has("unnamed") ? fc.boolean() : fc.constant(true),
            flow: flows(has, depth - 1, false),
          }),
          { maxLength: 3 },
        );
  const otherIds = fc.constantFrom(undefined, ...REQUESTS.slice(1));
  const handsOn: fc.Arbitrary<readonly CallPlan[]> = has("handed on")
    ? fc
        .tuple(calls, otherIds)
        .map(([[first, ...rest], as]) => (first === undefined ? [] : [handedOn(first, as), ...rest]))
    : calls;
  return fc.record({
    holdsId: holdsId || !has("idless") ? fc.constant(true) : fc.boolean(),
    isKept: kept(has),
    end: ends(has),
    calls: handsOn,
    handler: handlers(has, depth),
    retries: retries(has, depth),
  });
}

/** A call that passes on another id puts it into the payload, as it could not be found otherwise. */
const handedOn = (call: CallPlan, as: string | undefined): CallPlan =>
  as === undefined ? call : { ...call, as, flow: { ...call.flow, holdsId: true } };

/** An error workflow that passes on another id would be traced as the failed execution. */
const NOT_OF_HANDLERS: readonly Feature[] = ["handlers", "handed on"];

const handlers = (has: Has, depth: number): fc.Arbitrary<FlowPlan | null> =>
  has("handlers") && depth > 0
    ? fc.option(
        flows((feature) => !NOT_OF_HANDLERS.includes(feature) && has(feature), 1, false).chain((flow) =>
          fc.boolean().map((holdsId) => ({ ...flow, holdsId })),
        ),
      )
    : fc.constant(null);

const retries = (has: Has, depth: number): fc.Arbitrary<readonly RetryPlan[]> =>
  has("retries")
    ? fc.array(
        fc.record({
          isOfLast: fc.boolean(),
          isKept: kept(has),
          end: ends(has),
          redone: flows(
            (feature) => (feature !== "retries" || depth > 1) && has(feature),
            Math.max(0, depth - 1),
            false,
          ),
        }),
        { maxLength: 2 },
      )
    : fc.constant([]);

const depths = (has: Has): number => (has("deep") ? 2 : 1);

const posts = (has: Has): fc.Arbitrary<PostPlan> =>
  fc.record({
    requestId: has("handed on") ? fc.constant(REQUESTS[0]) : fc.constantFrom(...REQUESTS.slice(0, 2)),
    workflow: fc.constantFrom("orders", "invoices"),
    // Of a retry, n8n does not say that what it retries was run in the editor.
    isInEditor: has("editor") && !has("unkept") ? fc.boolean() : fc.constant(false),
    flow: flows(has, depths(has), true),
  });

const batches = (has: Has): fc.Arbitrary<BatchPlan> =>
  fc.record({
    listsIds: has("listing batch") ? fc.boolean() : fc.constant(false),
    isCalled: has("deep") ? fc.boolean() : fc.constant(false),
    isAnswered: has("answers") && !has("unkept") ? fc.boolean() : fc.constant(false),
    kind: kinds(has),
    isNamed: has("unnamed") ? fc.boolean() : fc.constant(true),
    isKept: kept(has),
    end: ends(has),
    items: fc
      .shuffledSubarray([...REQUESTS], { minLength: 2 })
      .chain((ids) => (has("twice") ? fc.constantFrom(ids, [...ids, ids[0] ?? ""]) : fc.constant(ids)))
      .chain((ids) =>
        fc.tuple(
          ...ids.map((requestId) => flows(has, depths(has) - 1, true).map((flow) => ({ requestId, flow }))),
        ),
      ),
    handler: handlers(has, 1),
    retries: retries(has, 1),
  });

const sendings = (has: Has): fc.Arbitrary<readonly SendingPlan[]> =>
  fc.array(
    has("batch") || has("listing batch")
      ? fc.oneof<fc.Arbitrary<SendingPlan>[]>(posts(has), batches(has))
      : posts(has),
    { minLength: 1, maxLength: 3 },
  );

/** The last of all moments, in percent. */
export const ALL_IS_OVER = 100;

/** Cases with few features each, so that one feature's mistakes are not hidden by another. */
export const cases = fc.subarray<Feature>([...FEATURES], { minLength: 1, maxLength: 5 }).chain((features) => {
  const has: Has = (feature) => features.includes(feature);
  return fc.record({
    plans: sendings(has),
    pruned: fc.constant(has("pruned")),
    isOld: fc.constant(has("n8n 1")),
    /** The moment of the first trace, in percent of all moments. */
    early: has("unfinished") ? fc.integer({ min: 0, max: 99 }) : fc.constant(ALL_IS_OVER),
    order: fc.shuffledSubarray([...REQUESTS], { minLength: REQUESTS.length }),
    /** Chooses an execution that is requested by id and workflow, and deleted by n8n. */
    pick: fc.nat({ max: 999 }),
  });
});

export type Case = typeof cases extends fc.Arbitrary<infer One> ? One : never;
