/** Makes terms outside workerd. */
import { createTermKey } from "../../src/history/request-ids/correlation-digest.ts";
import { TermMaker } from "../../src/history/terms/execution-terms.ts";
import { TermHasher } from "../../src/history/terms/term-hasher.ts";
import type { TermSources } from "../../src/history/terms/term-reading.ts";

export function createLocalTerms(rulesDigest = "the rules of a test", key = "a key for tests"): TermSources {
  const maker = new TermMaker(new TermHasher(createTermKey(key, "an n8n")));
  return { maker, rulesDigest };
}
