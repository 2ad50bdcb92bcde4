/** What is redacted besides the baseline. */
import * as z from "zod";
import { checkPattern, MAX_STEPS } from "../redaction/custom-patterns.ts";
import { isBaselineKey } from "../redaction/key-rules.ts";
import { fail, keepingLast, listOf, readSwitch, type SettingsSource, text } from "./source.ts";

/** What is redacted besides the baseline, and what is not. */
export interface RedactionSettings {
  /** Further keys whose values are secret. */
  readonly keys: readonly string[];
  /** Keys that are not, though they look like it. */
  readonly allow: readonly string[];
  readonly patterns: readonly RegExp[];
  /** Whether addresses, telephone numbers, cards and bank accounts are redacted too. */
  readonly personalData: boolean;
}

const keyName = z.string().regex(/^[\p{L}\p{N}_. -]{2,100}$/u);

function readKeyNames(source: SettingsSource, setting: string): string[] {
  const names = listOf(source, setting);
  const wrong = names.findIndex((name) => !keyName.safeParse(name).success);
  if (wrong >= 0) {
    fail(
      setting,
      `has a malformed name (number ${wrong + 1})`,
      "List names of keys separated by commas, for example: customerNumber, x-tenant-key. The way they are spelled (camelCase, snake_case, kebab-case) makes no difference.",
    );
  }
  return names;
}

function readAllowedKeys(source: SettingsSource): string[] {
  const names = readKeyNames(source, "REDACT_ALLOW");
  const refused = names.findIndex(isBaselineKey);
  if (refused >= 0) {
    fail(
      "REDACT_ALLOW",
      `names a key that is always redacted (number ${refused + 1})`,
      "Take it out: passwords, secrets, keys, cookies and authorization cannot be allowed.",
    );
  }
  return names;
}

const MAX_PATTERNS = 50;

/** Line by line, since a pattern may hold any other separator. */
function readPatterns(source: SettingsSource): RegExp[] {
  const lines = (text(source, "REDACT_PATTERNS") ?? "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length > MAX_PATTERNS) {
    fail("REDACT_PATTERNS", `has more than ${MAX_PATTERNS} patterns`, "Join some of them with |.");
  }
  const taken = lines.map((line, index) => {
    const checked = checkPattern(line);
    if ("problem" in checked) {
      fail(
        "REDACT_PATTERNS",
        `has a pattern that is refused (number ${index + 1}): it ${checked.problem}`,
        "Write one regular expression per line, for example ACME-[A-Z0-9]{8,32} or /acme-\\d{6}/i. docs/redaction.md says which are taken.",
      );
    }
    return checked;
  });
  if (taken.reduce((sum, { steps }) => sum + steps, 0) > MAX_STEPS) {
    fail(
      "REDACT_PATTERNS",
      `has patterns that together can look at more than ${MAX_STEPS} characters from one place, which is slow`,
      "Narrow their repetitions, or let them begin with what only such a secret begins with. docs/redaction.md says how it is counted.",
    );
  }
  return taken.map(({ pattern }) => pattern);
}

/**
 * What is redacted besides the baseline.
 * @throws ObserverError `CONFIGURATION_ERROR` for a name or pattern that is refused, with the reason.
 */
export const readRedactionSettings = keepingLast((source): RedactionSettings => {
  return {
    keys: readKeyNames(source, "REDACT_KEYS"),
    allow: readAllowedKeys(source),
    patterns: readPatterns(source),
    personalData: readSwitch(source, "REDACT_PII"),
  };
});
