/** The table of settings is complete: each setting that src/settings reads has a row, and each row is documented. */
import { globSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { settingsExample, settingsReference } from "../../scripts/reference/settings-reference.ts";
import { isSettingName, SETTING_GROUPS, SETTING_NAMES, SETTINGS } from "../../src/settings/settings-table.ts";

const NAME_IN_QUOTES = /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g;
/** An error code, and a variable that `npm run deploy` sets. */
const NO_SETTINGS = ["CONFIGURATION_ERROR", "WORKER_NAME"];

test("each setting named in src/settings has a row", () => {
  const sources = globSync(inProject("src", "settings", "*.ts")).map((path) => readFileSync(path, "utf8"));
  const names = [...sources.join("\n").matchAll(NAME_IN_QUOTES)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(25);
  expect(names.filter((name) => !isSettingName(name) && !NO_SETTINGS.includes(name))).toEqual([]);
});

test("each setting is in exactly one group", () => {
  const grouped = SETTING_GROUPS.flatMap(({ settings }) => Object.keys(settings));
  expect(grouped).toEqual(SETTING_NAMES);
});

test("documentation and example list each setting once", () => {
  const example = [...settingsExample().matchAll(/^(?:# )?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)=/gm)];
  expect(example.map(([, name]) => name)).toEqual(SETTING_NAMES);
  const documented = [...settingsReference().matchAll(/^\| `(\w+)`/gm)];
  expect(documented.map(([, name]) => name)).toEqual(SETTING_NAMES);
});

test("examples without placeholders are valid values", () => {
  const examples = parseEnv(settingsExample().replace(/^# (?=[A-Z_]+=)/gm, ""));
  for (const name of SETTING_NAMES) {
    const example = examples[name] ?? "";
    if (example === "" || example.includes("<")) continue;
    expect(SETTINGS[name].value.safeParse(example), name).toMatchObject({ success: true });
  }
});
