/** When an id without an execution can no longer get one. */
import { expect, test } from "vitest";
import { MOST_OPEN_MS } from "../../../src/history/store/given-ids.ts";
import { createLocalHistory, createLocalSql } from "../../support/local-history.ts";

const NOON = Date.UTC(2026, 0, 1, 12);

test("an id is closed some time after it was seen, also across a restart", () => {
  const sql = createLocalSql();
  const { givenIds } = createLocalHistory(sql).instance.store;
  givenIds.see("60", NOON);
  givenIds.see("70", NOON + MOST_OPEN_MS - 1);
  expect(givenIds.closedUpTo).toBe("0");
  const restarted = createLocalHistory(sql).instance.store.givenIds;
  restarted.see("80", NOON + MOST_OPEN_MS);
  expect(restarted.closedUpTo).toBe("60");
  restarted.see("80", NOON + 2 * MOST_OPEN_MS);
  expect(restarted.closedUpTo).toBe("80");
});

test("the time counts anew after the clock was set back", () => {
  const { givenIds } = createLocalHistory().instance.store;
  givenIds.see("60", NOON);
  givenIds.see("70", NOON - 3_600_000);
  expect(givenIds.closedUpTo).toBe("0");
  givenIds.see("80", NOON - 3_600_000 + MOST_OPEN_MS);
  expect(givenIds.closedUpTo).toBe("70");
});
