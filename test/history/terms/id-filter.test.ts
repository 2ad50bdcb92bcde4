/** A batch's id filter finds all its ids, and rarely another: each false hit costs reading an execution. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { MAX_FILTERED_IDS, mayHoldId, toIdFilter } from "../../../src/history/terms/id-filter.ts";

const idsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_one, index) => ({
    digest: createHash("sha256").update(`${name} ${index}`).digest().subarray(0, 16).toString("base64url"),
    needsData: index % 2 === 1,
  }));

test("a small id filter has no more false hits than a large one", () => {
  const filters = Array.from(
    { length: 400 },
    (_one, index) => toIdFilter(idsOf(`own ${index}`, 1 + (index % 40))) ?? "",
  );
  const others = idsOf("other", 500);
  const taken = filters.flatMap((filter) => others.filter((id) => mayHoldId(filter, id)));
  expect(taken.length).toBeLessThan(15);
});

test("an id filter contains all of its ids and almost none of 100,000 others", () => {
  const ids = idsOf("own", MAX_FILTERED_IDS);
  const filter = toIdFilter(ids) ?? "";
  expect(ids.filter((id) => !mayHoldId(filter, id))).toEqual([]);
  expect(idsOf("other", 100_000).filter((id) => mayHoldId(filter, id)).length).toBeLessThan(10);
});
