/**
 * What a true explanation of each recorded kind says, derived only from what was done to the workflow, without
 * looking at n8n's answers or at any rule.
 */
import { failedExpectations } from "./failed-expectations.ts";
import { silentExpectations } from "./silent-expectations.ts";

export interface Expectation {
  readonly kind: string;
  /** Nodes of which one has to be named first or second. Empty where the whole workflow is meant. */
  readonly roots: readonly string[];
  /** Nodes where the failure shows, which may be named beside the root. */
  readonly symptoms?: readonly string[];
  /** Each has to match in the first or the second sentence. */
  readonly says: readonly RegExp[];
  /** Each has to match in some finding, or in the failing node's own words. */
  readonly alsoSays?: readonly RegExp[];
  /** None may match in any sentence, as it would be untrue. */
  readonly neverSays?: readonly RegExp[];
}

/** Expectations for every kind except ordinary successes, of which it may only be said that nothing went wrong. */
export const expectations: readonly Expectation[] = [...failedExpectations, ...silentExpectations];
