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
import type { WholeSentences } from "./wording/finding.ts";
import type { FixedKind } from "./wording/fixed-clauses.ts";

/**
 * `exact`: n8n says so, or the data shows it. `likely`: the data shows it, and hardly anyone would intend it. `compared`:
 * an earlier success differed. `observed`: true, but may be intended.
 */
export type Confidence = "exact" | "likely" | "compared" | "observed";

export const isSure = ({ confidence = "exact" }: Pick<AnyFact, "confidence">): boolean =>
  confidence === "exact" || confidence === "likely";

export interface AnyFact {
  /** Where it began; null when that is not known. */
  readonly node: string | null;
  /** The node that failed because of the output of `node`. */
  readonly failedNode?: string;
  /** Path in an item, as the workflow itself writes it. */
  readonly field?: string;
  /** Payload. */
  readonly value?: ReadValue;
  /** Payload: the value that was there in the last success. */
  readonly was?: ReadValue;
  /** Payload: what the service, the code or the model itself said. */
  readonly said?: string;
  /** Names in the error's text that the failed node's parameters have too. */
  readonly names?: readonly string[];
  /**
   * Payload, never shown: the keys that lead to the value, by which it is redacted if `field` does not name it; none for
   * the item that lacks the field.
   */
  readonly valuePath?: readonly string[];
  /** Payload, never shown: the keys that lead to `said`. */
  readonly saidPath?: readonly string[];
  readonly executionId?: string;
  readonly confidence?: Confidence;
  /** The text came from the service, which may repeat what was sent to it. */
  readonly isSaidByService?: true;
  /** The fact that caused it, in a sub-execution. */
  readonly root?: Fact;
  /** For an edit, its effect; for any other fact, what changed since the last success. */
  readonly since?: Fact;
}

type Words = typeof CLAUSES & WholeSentences;
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
