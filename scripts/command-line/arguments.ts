/** The only reader of command lines, on Node's `parseArgs`. Every command also takes `--help`. Pure. */
import { type ParseArgsConfig, parseArgs } from "node:util";

export type Arguments<Options> =
  | { readonly kind: "run"; readonly options: Options }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string };

/** The result of reading valid arguments. */
export type OptionsOf<Read extends (...args: never) => Arguments<unknown>> = Extract<
  ReturnType<Read>,
  { readonly kind: "run" }
>["options"];

export type Parsed<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>;

/** What is wrong with the arguments, in words for the person who typed them. */
export class WrongArguments extends Error {}

export const text = { type: "string" } as const;
export const flag = { type: "boolean" } as const;

const HIGHEST_PORT = 65_535;

/**
 * @param toOptions throws WrongArguments for invalid values
 * @param unknown replaces Node's message, which quotes the input, if that could be a secret
 */
export function readArguments<const Config extends ParseArgsConfig, Options>(
  args: readonly string[],
  config: Config,
  toOptions: (parsed: Parsed<Config>) => Options,
  unknown?: string,
): Arguments<Options> {
  const end = args.indexOf("--");
  const options = end === -1 ? args : args.slice(0, end);
  if (options.includes("--help") || options.includes("-h")) return { kind: "help" };
  try {
    return { kind: "run", options: toOptions(parse(args, config, unknown)) };
  } catch (error) {
    if (!(error instanceof WrongArguments)) throw error;
    return { kind: "wrong", problem: error.message };
  }
}

function parse<Config extends ParseArgsConfig>(
  args: readonly string[],
  config: Config,
  unknown: string | undefined,
): Parsed<Config> {
  try {
    return parseArgs<Config>({ ...config, args: [...args] });
  } catch (error) {
    throw new WrongArguments(unknown ?? (error instanceof Error ? error.message : String(error)));
  }
}

/** A port as a person typed it. @throws WrongArguments */
export function toPort(typed: string): number {
  const port = Number(typed);
  if (/^\d{1,5}$/.test(typed) && port >= 1 && port <= HIGHEST_PORT) return port;
  throw new WrongArguments(`--port takes a number from 1 to ${HIGHEST_PORT}.`);
}

/** @throws WrongArguments */
export function toWholeNumber(typed: string, option: string, least: number): number {
  const number = Number(typed);
  if (/^\d+$/.test(typed) && Number.isSafeInteger(number) && number >= least) return number;
  throw new WrongArguments(`${option} takes a whole number from ${least} on.`);
}

/** @throws WrongArguments */
export function requireWebAddress(url: string | undefined): void {
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new WrongArguments("--url takes an http or https address.");
}

/** @throws WrongArguments */
export function requireOneAtMost(names: readonly string[], values: Readonly<Record<string, unknown>>): void {
  const given = names.filter((name) => values[name] !== undefined);
  if (given.length > 1)
    throw new WrongArguments(`${given.map((name) => `--${name}`).join(" and ")} exclude each other.`);
}
