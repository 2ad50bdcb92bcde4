/** A few random lives of n8n and its index. `more-lives.test.ts` runs more of them. */
import { test } from "vitest";
import { checkLives } from "./living-counts/living-counts.ts";

test("counts equal those of a plain list, whatever happened before", {
  timeout: 24 * 60 * 60 * 1_000,
}, async () => {
  await checkLives(4);
});
