/**
 * The formats of settings, as zod schemas from text to value. An issue is the rest of a sentence that begins with the
 * setting's name. It never quotes the value, which may contain a mistyped secret.
 */
import * as z from "zod";
import { ObserverError } from "../platform/errors.ts";

export interface Setting<Value = unknown> {
  /** Parses its text, or `undefined` if it is not set. */
  readonly value: z.ZodType<Value>;
  /** What it does, in Markdown with links relative to docs. */
  readonly about: string;
  /** Its default: a sentence or a value, in Markdown. */
  readonly without: string;
  readonly fix?: string;
  readonly range?: string;
  readonly example?: string;
  /** A credential for this server or n8n; never written to wrangler.toml. */
  readonly isSecret?: true;
  readonly needed?: string;
  /** The Deploy to Cloudflare button asks for it. */
  readonly isAsked?: true;
}

export type Settings = Readonly<Record<string, Setting>>;

export const SCOPES = ["n8n:read", "n8n:data"] as const;
/** `n8n:read` is everything without payload; `n8n:data` adds payloads, always redacted. */
export type Scope = (typeof SCOPES)[number];

/** Redaction finds our own secrets by their text; a shorter one would match by chance. */
export const MINIMUM_SECRET_LENGTH = 8;

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** True for a host that never leaves this machine; only there is plain `http` acceptable. */
export const isLoopbackHost = (hostname: string): boolean =>
  LOOPBACK_HOSTS.has(hostname) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);

/** Never quotes the value, which may contain a secret. @throws ObserverError `CONFIGURATION_ERROR`, always. */
export function fail(setting: string, problem: string, solution: string): never {
  throw new ObserverError("CONFIGURATION_ERROR", `The setting ${setting} ${problem}.`, {
    field: setting,
    solution,
  });
}

/** A problem whose solution differs from the setting's. */
export const refusal = (problem: string, solution: string) => ({ error: problem, params: { solution } });

/** A text read by `parse`, which returns `undefined` when it is malformed. */
export const parsed = <Value>(parse: (text: string) => Value | undefined) =>
  z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: "has a malformed entry" });
    return z.NEVER;
  });

/** A list separated by commas, semicolons or new lines. An issue in an entry is reported with its number. */
export const list = <Value>(entry: z.ZodType<Value, string>, separator = /[,;\n]/) =>
  z
    .string()
    .transform((text) =>
      text
        .split(separator)
        .map((item) => item.trim())
        .filter((item) => item !== ""),
    )
    .pipe(z.array(entry));

const isWhole = (text: string, least: number, most: number): boolean =>
  /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most;

/** Table columns for a whole number within bounds. */
export const whole = (least: number, most: number, fallback: number) => ({
  value: z
    .string()
    .refine((text) => isWhole(text, least, most), `is not a whole number from ${least} to ${most}`)
    .transform(Number)
    .default(fallback),
  without: `\`${fallback}\``,
  range: `${least} to ${most}`,
  fix: `Set it to such a number, or leave it out: ${fallback} is the default.`,
  example: String(fallback),
});

/** A whole number within bounds, or `off`, which is null. */
export function wholeNumberOrOff(least: number, most: number, fallback: number) {
  const problem = `is not a whole number from ${least} to ${most} (or off)`;
  return {
    ...whole(least, most, fallback),
    value: z
      .string()
      .toLowerCase()
      .refine((text) => text === "off" || isWhole(text, least, most), problem)
      .transform((text) => (text === "off" ? null : Number(text)))
      .default(fallback),
    fix: `Set it to such a number (or off), or leave it out: ${fallback} is the default.`,
  };
}

/** One of these words, in upper or lower case. */
export const oneOf = <const Words extends readonly string[]>(words: Words, problem: string) =>
  z.string().toLowerCase().pipe(z.enum(words, problem));

export const onOrOffWord = oneOf(["on", "off"], "is neither on nor off");

const onOff = (fallback: "on" | "off") => ({
  value: onOrOffWord.default(fallback).transform((word) => word === "on"),
  without: `\`${fallback}\``,
  fix: `Set it to on or off; ${fallback} is the default.`,
  example: fallback === "on" ? "off" : "on",
});

/** Table columns for an on/off setting. */
export const onOrOff = onOff("off");
/** The same for a setting that is on by default. */
export const onUnlessOff = onOff("on");

/** An https URL (http on loopback only) without user, query or fragment. */
export const safeUrl = (problem: string) =>
  z
    .url({ protocol: /^https?$/, error: problem })
    .transform((value) => new URL(value))
    .refine(
      (url) =>
        (url.protocol === "https:" || isLoopbackHost(url.hostname)) &&
        `${url.username}${url.password}${url.search}${url.hash}` === "",
      problem,
    );

/** The source of a regular expression for a UUID in lower case. */
export const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** SHA-256 in hex, in lower case. */
export const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "is not a SHA-256 in hex")
  .toLowerCase();
