/** The arguments of `npm start` and `npm run dev`. Pure. */
import { type Arguments, flag, readArguments, text, toPort } from "../command-line/arguments.ts";

export interface RunOptions<Flag extends string> {
  readonly port: number | undefined;
  readonly flags: ReadonlySet<Flag>;
}

/** @param known names of options that take no value */
export function readRunOptions<Flag extends string>(
  args: readonly string[],
  known: readonly Flag[] = [],
): Arguments<RunOptions<Flag>> {
  const options = { port: text, ...Object.fromEntries(known.map((name) => [name, flag])) };
  return readArguments(args, { options }, ({ values }) => {
    const given: Readonly<Record<string, unknown>> = values;
    return {
      port: values.port === undefined ? undefined : toPort(values.port),
      flags: new Set(known.filter((name) => given[name] === true)),
    };
  });
}
