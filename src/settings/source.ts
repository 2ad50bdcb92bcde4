/** How a setting is read from `env` and refused: what every reader here is made of. */
import * as z from "zod";
import { ObserverError } from "../platform/errors.ts";

/** A setting that is missing or malformed, with what to do about it. */
export interface SettingProblem {
  readonly setting: string;
  readonly problem: string;
  readonly solution: string;
}

/** The Worker's `env`, or anything with the settings as properties: any of them may be absent. */
export type SettingsSource = object;

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** True for a host that never leaves this machine; only there is plain `http` acceptable. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOSTS.has(hostname) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** The setting without the space around it; `undefined` when it is absent or empty. */
export function text(source: SettingsSource, name: string): string | undefined {
  const value: unknown = Reflect.get(source, name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/**
 * Refuses a setting. Never quotes the value: a mistyped secret could be in it.
 * @throws ObserverError `CONFIGURATION_ERROR`, always.
 */
export function fail(setting: string, problem: string, solution: string): never {
  throw new ObserverError("CONFIGURATION_ERROR", `The setting ${setting} ${problem}.`, {
    field: setting,
    solution,
  });
}

/** An https URL (http on loopback only) without user, query or fragment. */
export const safeUrl = z
  .url({ protocol: /^https?$/ })
  .transform((value) => new URL(value))
  .refine((url) => url.protocol === "https:" || isLoopbackHost(url.hostname))
  .refine((url) => url.username === "" && url.password === "" && url.search === "" && url.hash === "");

/** A setting that is on or off; off when it is absent. */
export function readSwitch(source: SettingsSource, setting: string): boolean {
  const value = text(source, setting)?.toLowerCase() ?? "off";
  if (value !== "on" && value !== "off")
    fail(setting, "is neither on nor off", "Set it to on or off; off is the default.");
  return value === "on";
}

/** The items of a list separated by commas, semicolons or new lines. */
export function listOf(source: SettingsSource, setting: string): string[] {
  return (text(source, setting) ?? "")
    .split(/[,;\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/**
 * The same reader, which gives what it gave last for as long as each setting that it looked at is what it was: a
 * request reads them many times, and to parse fifty service tokens each time costs more than what is asked. What fails
 * is read anew each time. All requests share what is kept: settings, and nothing of one caller.
 */
export function keepingLast<Value>(
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
