/** The arguments of `npm start` and `npm run dev`. Pure. */
import { parseArgs } from "node:util";
import { parsePort } from "./ports.ts";

export type RunOptions<Flag extends string> =
  | { readonly kind: "run"; readonly port: number | undefined; readonly flags: ReadonlySet<Flag> }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string };

/** @param known names of options that take no value, besides `--help` */
export function readRunOptions<Flag extends string>(
  args: readonly string[],
  known: readonly Flag[] = [],
): RunOptions<Flag> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string" },
        help: { type: "boolean", short: "h" },
        ...Object.fromEntries(known.map((flag) => [flag, { type: "boolean" as const }])),
      },
    });
    if (values.help) return { kind: "help" };
    const given: Readonly<Record<string, unknown>> = values;
    const flags = new Set(known.filter((flag) => given[flag] === true));
    if (values.port === undefined) return { kind: "run", port: undefined, flags };
    const port = parsePort(values.port);
    return port === undefined
      ? { kind: "wrong", problem: "--port takes a number from 1 to 65535." }
      : { kind: "run", port, flags };
  } catch (error) {
    return {
      kind: "wrong",
      problem: error instanceof Error ? error.message : "The arguments are invalid.",
    };
  }
}
