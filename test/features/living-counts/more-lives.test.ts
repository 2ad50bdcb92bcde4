/** More random lives than `npm test` runs. */
import { test } from "vitest";
import { checkLives } from "./living-counts.ts";

test("counts equal those of a plain list, whatever happened before, in more lives", {
  timeout: 240_000,
}, async () => {
  await checkLives(40);
});
