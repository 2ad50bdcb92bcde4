/**
 * Rules find facts, never sentences. `wording/` turns the facts alone into sentences.
 *
 * To add a cause: a rule in `rules/` (or a row of a table there) that returns `{ kind, node, … }`, and a row of that
 * kind in `wording/clauses.ts` (what follows `"Node" failed because`) or `wording/sentences.ts`. The row's argument type
 * defines the fields of the fact, so the two cannot drift apart. `explain.ts` sets the priority of the rule. The kind's
 * name up to its first dot is the cause that an answer shows.
 */
import type { ReadValue } from "../../json/omitted.ts";
import type { CLAUSES } from "./wording/clauses.ts";
import type { FixedKind } from "./wording/fixed-clauses.ts";
import type { SENTENCES } from "./wording/sentences.ts";

/** `exact`: n8n says so, or the data shows it. `compared`: an earlier success differed. `observed`: true, but may be intended. */
export type Confidence = "exact" | "compared" | "observed";

interface AnyFact {
  /** Where it began; null when that is not known. */
  readonly node: string | null;
  /** The node that failed on what `node` made. */
  readonly failedNode?: string;
  /** Path in an item, as the workflow itself writes it. */
  readonly field?: string;
  /** Payload: the value found instead. */
  readonly value?: ReadValue;
  /** An execution with more details. */
  readonly executionId?: string;
  /** Defaults to `exact`. */
  readonly confidence?: Confidence;
  /** The text came from the service, which may repeat what was sent to it. */
  readonly isSaidByService?: true;
  /** The fact that caused it, in a sub-execution. */
  readonly root?: Fact;
}

type Words = typeof CLAUSES & typeof SENTENCES;
type Held<Row> = Row extends (fact: infer Fact) => string ? Fact : never;

/** Kinds whose wording includes data of the execution. */
export type VariedKind = keyof Words;
/** Distributes over the kinds, so that a kind determines its fields. */
export type FactOf<One extends VariedKind> = {
  [Each in One]: { readonly kind: Each } & AnyFact & Held<Words[Each]>;
}[One];
export type FixedFact = { readonly kind: FixedKind } & AnyFact;
export type Fact = FactOf<VariedKind> | FixedFact;

type CauseOf<One extends string> = One extends `${infer Cause}.${string}` ? Cause : One;
/** Fixed, so that programs that read an answer can rely on them. */
export type CauseId = CauseOf<Fact["kind"]>;

export function causeOf({ kind }: Fact): CauseId;
export function causeOf({ kind }: Fact): string {
  return kind.split(".", 1)[0] ?? kind;
}
