/** The arguments of `npm run ask`. Pure. */
import { defined } from "../../src/platform/defined.ts";
import { isObject } from "../../src/platform/is-object.ts";
import { parseJson } from "../../src/platform/parse-json.ts";
import {
  flag,
  type OptionsOf,
  readArguments,
  requireWebAddress,
  text,
  WrongArguments,
} from "../command-line/arguments.ts";

export const ASK_USAGE = `Asks a running n8n-observer as an agent would: what happened to a request, or any of its tools.

  npm run ask -- <requestId>                  the server that npm start or npm run dev runs
  npm run ask -- <requestId> --url <url>      another one
  npm run ask -- <tool> '<JSON>'              calls a tool with these arguments, such as
                                              explain_failure '{"executionId":"2357"}'

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

A request id that begins with a dash goes after a second "--". With a tool, only --url, --token and --json apply.
Exit code: 0 found or answered, 1 not found or an error, 2 wrong arguments.`;

/** The arguments of a tool, as JSON gives them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

export interface ToolCall {
  readonly tool: string;
  readonly args: ToolArguments;
}

const FORM = {
  allowPositionals: true,
  options: {
    ...{ url: text, token: text, instance: text, workflow: text, after: text, before: text, trace: text },
    ...{ deep: flag, json: flag },
  },
} as const;

const TOO_MANY =
  "There is more than one request id. One with spaces needs quotes; a tool takes its arguments as one JSON object.";

/** @throws WrongArguments unless the arguments are a JSON object */
function toToolCall(tool: string | undefined, json: string): ToolCall {
  if (!tool || !json.trimStart().startsWith("{")) throw new WrongArguments(TOO_MANY);
  const args = parseJson(json);
  if (!isObject(args)) throw new WrongArguments("The arguments of the tool are not valid JSON.");
  return { tool, args };
}

export const readAskArguments = (args: readonly string[]) =>
  readArguments(args, FORM, ({ values, positionals }) => {
    const [requestId, toolArguments, ...more] = positionals;
    if (more.length > 0) throw new WrongArguments(TOO_MANY);
    const call = toolArguments === undefined ? undefined : toToolCall(requestId, toolArguments);
    if (!requestId && !values.trace) throw new WrongArguments("The request id is missing.");
    requireWebAddress(values.url);
    const { url, token, json = false, deep = false, instance, workflow, after, before, trace } = values;
    const filters = { instance, workflow, after, before, trace };
    if (call !== undefined && (deep || Object.values(filters).some((value) => value !== undefined)))
      throw new WrongArguments(
        "With a tool, only --url, --token and --json apply: the rest goes into the JSON.",
      );
    const asked = call === undefined ? { requestId } : { call, requestId: undefined };
    return { ...asked, url, token, ...filters, deep, json };
  });
/** With a `call`, there is no request id. */
export type AskOptions = OptionsOf<typeof readAskArguments>;

/** The arguments of the tool `trace_request`. */
export const toToolArguments = (options: AskOptions): ToolArguments =>
  defined({
    requestId: options.requestId,
    instance: options.instance,
    workflowName: options.workflow,
    startedAfter: options.after,
    startedBefore: options.before,
    traceId: options.trace,
    deep: options.deep || undefined,
  });
