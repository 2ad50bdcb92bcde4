/** The arguments of `npm run ask`. Pure. */
import { parseArgs } from "node:util";

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

export type AskArguments =
  | { readonly kind: "ask"; readonly options: AskOptions }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string };

const text = { type: "string" } as const;

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: text,
      token: text,
      instance: text,
      workflow: text,
      after: text,
      before: text,
      trace: text,
      deep: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export function readAskArguments(args: readonly string[]): AskArguments {
  try {
    const { values, positionals } = parse(args);
    if (values.help) return { kind: "help" };
    const [requestId, ...more] = positionals;
    if (more.length > 0) return wrong("There is more than one request id. One with spaces needs quotes.");
    if (!requestId && !values.trace) return wrong("The request id is missing.");
    const { url, token, instance, workflow, after, before, trace, deep = false, json = false } = values;
    if (url !== undefined && !isWebAddress(url)) return wrong("--url takes an http or https address.");
    return {
      kind: "ask",
      options: { requestId, url, token, instance, workflow, after, before, trace, deep, json },
    };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : "The arguments are invalid.");
  }
}

function wrong(problem: string): AskArguments {
  return { kind: "wrong", problem };
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
