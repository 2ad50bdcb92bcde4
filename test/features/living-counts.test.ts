/** What is counted while n8n and its index live: a few lives. `more-lives.test.ts` runs more of them. */
import { test } from "vitest";
import { checkLives } from "./living-counts/living-counts.ts";

test("after anything, counts are those of a plain list", { timeout: 24 * 60 * 60 * 1_000 }, async () => {
  await checkLives(4);
});
