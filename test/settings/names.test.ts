/** The list of settings is complete: what the code reads is in it, and nothing that it does not read. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { SETTING_NAMES } from "../../src/settings/names.ts";

const NAME_IN_QUOTES = /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g;
/** The code of an error, and what `npm run deploy` says of itself. */
const NO_SETTINGS = ["CONFIGURATION_ERROR", "WORKER_NAME"];
/** Made of a prefix and an ending. */
const ACCESS_RULES = /^(ALLOWED|DATA)_(EMAILS|EMAIL_DOMAINS|GROUPS|OBJECT_IDS)$/;

test("each setting that is read is in the list, and no other", () => {
  const files = globSync(inProject("src", "settings", "*.ts")).filter((path) => !path.endsWith("names.ts"));
  const read = new Set(
    files.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(NAME_IN_QUOTES)].map(([, name = ""]) => name),
    ),
  );
  for (const name of NO_SETTINGS) expect(read.delete(name)).toBe(true);
  expect(SETTING_NAMES.filter((name) => !ACCESS_RULES.test(name)).toSorted()).toEqual([...read].toSorted());
  expect(SETTING_NAMES.filter((name) => ACCESS_RULES.test(name))).toHaveLength(8);
  expect(new Set(SETTING_NAMES).size).toBe(SETTING_NAMES.length);
});
