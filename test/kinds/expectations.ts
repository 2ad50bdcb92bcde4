/**
 * What a true explanation of each recorded kind says, written from what was done to the workflow and from nothing
 * else: neither n8n's answers nor any rule was looked at for it.
 */
import { failedExpectations } from "./failed-expectations.ts";
import { silentExpectations } from "./silent-expectations.ts";

export interface Expectation {
  readonly kind: string;
  /** The node that is to be named first or second: any of them. None where the whole workflow is meant. */
  readonly roots: readonly string[];
  /** Where it shows, which may be named beside the root. */
  readonly symptoms?: readonly string[];
  /** Each has to be in the first or the second sentence. */
  readonly says: readonly RegExp[];
  /** Each has to be in some finding, or in the failing node's own words. */
  readonly alsoSays?: readonly RegExp[];
  /** None may be in any sentence: it would not be true. */
  readonly neverSays?: readonly RegExp[];
}

/** Of everything but ordinary successes, of which nothing is to be said but that nothing went wrong. */
export const expectations: readonly Expectation[] = [...failedExpectations, ...silentExpectations];
