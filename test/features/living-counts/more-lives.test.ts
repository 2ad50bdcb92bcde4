/** Other lives than those of `npm test`. */
import { test } from "vitest";
import { checkLives } from "./living-counts.ts";

test("after anything, counts are those of a plain list, in more lives", { timeout: 240_000 }, async () => {
  await checkLives(40);
});
