/**
 * Redacts what only machines look at, for a fraction of what it costs: most of what n8n keeps holds nothing that a
 * rule could touch, and that is cheap to see. For all that passes by, such as what the history index reads.
 *
 * Promises: it gives what `unnumbered` of a previewing redactor with the same settings gives, and where there is more
 * than that redacts of one value, all of it. It keeps nothing but names of members. It never changes its input, but
 * what it gives shares its untouched parts.
 */
import { type Pause, redactUnnumbered } from "../redact.ts";
import { createRules, type RedactionSettings } from "../rules.ts";
import { createTraits } from "./key-traits.ts";
import { SparingWalk, type TouchedPart, type WalkRules } from "./sparing-walk.ts";
import { createUntouchedTexts, newAllowance } from "./untouched-texts.ts";

/** @param value of JSON, as it was parsed */
export type SparingRedactor = (value: unknown, pause: Pause) => Promise<unknown>;

export function createSparingRedactor(
  ownSecrets: readonly string[],
  settings: RedactionSettings,
): SparingRedactor {
  const rules = createRules(ownSecrets, settings);
  const { kindOfKey } = rules;
  const texts = createUntouchedTexts(rules, ownSecrets, settings);
  const isUntouchedKey = (key: string): boolean =>
    texts.reader(newAllowance(), () => false).isUntouched(key, 0);
  const walkRules: WalkRules = { kindOfKey, traitsOf: createTraits(kindOfKey, isUntouchedKey), texts };
  return async (value, pause) => {
    const parts: TouchedPart[] = [];
    const walked = new SparingWalk(walkRules, newAllowance(), parts).walk(value);
    const touched = walked === undefined ? [value] : parts.map((part) => part.value);
    const redacted = touched.length === 0 ? [] : await redactUnnumbered(rules, touched, pause);
    if (walked === undefined) return redacted[0];
    for (const [index, { put }] of parts.entries()) put(redacted[index]);
    return walked.value;
  };
}
