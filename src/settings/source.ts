/** Reads one setting from `env`, or rejects it. */
import type * as z from "zod";
import { SETTINGS, type SettingName } from "./settings-table.ts";
import { fail, type Setting } from "./values.ts";

/** A setting that is missing or malformed, with what to do about it. */
export interface SettingProblem {
  readonly setting: string;
  readonly problem: string;
  readonly solution: string;
}

/** The Worker's `env`, or any object with settings as properties, all optional. */
export type SettingsSource = object;

type Values = { readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]["value"]> };
const rows: { readonly [Name in SettingName]: Setting<Values[Name]> } = SETTINGS;

/**
 * The setting, trimmed; `undefined` when it is absent or empty. Cloudflare passes a variable of type JSON, and a list
 * or number in wrangler.toml, as a value. It must not count as absent, because absent access rules allow everything.
 */
export function text(source: SettingsSource, name: string): string | undefined {
  const value: unknown = Reflect.get(source, name);
  if (value === undefined || value === null) return undefined;
  const set = typeof value === "string" ? value.trim() : JSON.stringify(value);
  return set === "" ? undefined : set;
}

/** @throws ObserverError `CONFIGURATION_ERROR` when it is malformed: it fails closed. */
export function readSetting<Name extends SettingName>(source: SettingsSource, name: Name): Values[Name] {
  const { value, fix = "" } = rows[name];
  const parsed = value.safeParse(text(source, name));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [position] = issue?.path ?? [];
  const number = typeof position === "number" ? ` (number ${position + 1})` : "";
  const solution = issue?.code === "custom" ? issue.params?.solution : undefined;
  fail(name, `${issue?.message}${number}`, typeof solution === "string" ? solution : fix);
}

/** @throws ObserverError `CONFIGURATION_ERROR` as `readSetting`, and when it is missing. */
export function requireSetting<Name extends SettingName>(
  source: SettingsSource,
  name: Name,
  problem = "is missing",
  where = "",
): NonNullable<Values[Name]> {
  return readSetting(source, name) ?? fail(name, problem, `${rows[name].fix}${where}`);
}

/**
 * Caches the last value until a setting that `read` accessed changes: a request reads settings many times, and parsing
 * fifty service tokens each time costs more than the call itself. Failures are not cached. All requests share the
 * value, so it must hold nothing of one caller.
 */
export function memoizeBySettings<Value>(
  read: (source: SettingsSource) => Value,
): (source: SettingsSource) => Value {
  let last: { readonly seen: ReadonlyMap<PropertyKey, unknown>; readonly value: Value } | undefined;
  return (source) => {
    if (last !== undefined && isUnchanged(last.seen, source)) return last.value;
    const seen = new Map<PropertyKey, unknown>();
    const watched = new Proxy(source, {
      get(target, name) {
        const setting: unknown = Reflect.get(target, name);
        seen.set(name, setting);
        return setting;
      },
    });
    const value = read(watched);
    last = { seen, value };
    return value;
  };
}

function isUnchanged(seen: ReadonlyMap<PropertyKey, unknown>, source: SettingsSource): boolean {
  for (const [name, setting] of seen) if (Reflect.get(source, name) !== setting) return false;
  return true;
}
