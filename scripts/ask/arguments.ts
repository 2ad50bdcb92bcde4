/** The arguments of `npm run ask`. Pure. */
import {
  type Arguments,
  flag,
  readArguments,
  requireWebAddress,
  text,
  WrongArguments,
} from "../command-line/arguments.ts";

export const ASK_USAGE = `Asks a running n8n-observer what happened to a request, as an agent would.

  npm run ask -- <requestId>                  the server that npm start or npm run dev runs
  npm run ask -- <requestId> --url <url>      another one

  --instance <name>    only this n8n, where there are several
  --workflow <name>    only executions of this workflow
  --after <date>       only executions started after this ISO 8601 date
  --before <date>      only executions started before it
  --trace <traceId>    go on with an earlier trace
  --deep               look for the id everywhere in the payload, which takes longer
  --url <url>          connector URL (default http://localhost:8787/mcp)
  --token <token>      service token; the environment variable N8N_OBSERVER_TOKEN is more discreet
  --json               the whole answer as JSON
  --help               this text

A request id that begins with a dash goes after a second "--". Exit code: 0 found, 1 not found or an error, 2 wrong arguments.`;

export interface AskOptions {
  readonly requestId: string | undefined;
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly instance: string | undefined;
  readonly workflow: string | undefined;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly trace: string | undefined;
  readonly deep: boolean;
  readonly json: boolean;
}

const FORM = {
  allowPositionals: true,
  options: {
    ...{ url: text, token: text, instance: text, workflow: text, after: text, before: text, trace: text },
    ...{ deep: flag, json: flag },
  },
} as const;

export function readAskArguments(args: readonly string[]): Arguments<AskOptions> {
  return readArguments(args, FORM, ({ values, positionals }) => {
    const [requestId, ...more] = positionals;
    if (more.length > 0)
      throw new WrongArguments("There is more than one request id. One with spaces needs quotes.");
    if (!requestId && !values.trace) throw new WrongArguments("The request id is missing.");
    requireWebAddress(values.url);
    const { url, token, instance, workflow, after, before, trace, deep = false, json = false } = values;
    return { requestId, url, token, instance, workflow, after, before, trace, deep, json };
  });
}

/** The arguments of the tool `trace_request`. */
export function toToolArguments(options: AskOptions): Record<string, string | boolean> {
  const named = {
    requestId: options.requestId,
    instance: options.instance,
    workflowName: options.workflow,
    startedAfter: options.after,
    startedBefore: options.before,
    traceId: options.trace,
    deep: options.deep || undefined,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
