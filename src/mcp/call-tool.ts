/**
 * The boundary that every tool call passes, in and out.
 *
 * Promises: unknown tools, missing scopes and wrong arguments are answered in our own words; whatever a tool returns or
 * throws is redacted, made to fit, checked against its schema and put into the envelope; a bug becomes an incident id:
 * the log gets its stack without the message, the client neither.
 */
import * as z from "zod";
import { counted } from "../platform/counted.ts";
import { describeBug, ObserverError } from "../platform/errors.ts";
import { isObject } from "../platform/is-object.ts";
import { nearestNames } from "../platform/nearest-names.ts";
import type { Redacted } from "../redaction/redact.ts";
import type { Guidance, NamedId, ReadyCall, Tool } from "./define-tool.ts";
import { costOf } from "./degrade.ts";
import { type Envelope, envelopeSchema, errorEnvelope, toTimestamp } from "./envelope.ts";
import { neededScopes } from "./scope-challenge.ts";
import { fitIntoBudget, type LeftOut } from "./token-budget.ts";
import { wrongArguments } from "./wrong-arguments.ts";

export interface CallDependencies<Context> extends Boundary {
  readonly tools: ReadonlyMap<string, Tool<Context>>;
  readonly context: Context;
}

interface Boundary {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Called first; returns a function to call at the end. @throws ObserverError `RATE_LIMITED` */
  readonly admit: () => Promise<() => void>;
  readonly scopes: readonly string[];
  /** Redacts small values: errors, guidance. */
  readonly redact: (value: unknown) => Redacted;
  /** Redacts a tool's result, which may be megabytes, and pauses so that other calls can proceed. */
  readonly redactAnswer: (value: unknown) => Promise<Redacted>;
  readonly now: () => number;
  readonly newIncidentId: () => string;
  /** Called with the requested ids before anything is read. */
  readonly noteIds: (ids: readonly NamedId[]) => void;
  /** The address of the page that shows the answer; undefined without pages. @param data redacted */
  readonly pageUrlOf?: ((tool: string, data: unknown) => string | undefined) | undefined;
  /** Operator's log: no payload, no token. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

/** Estimated tokens of field names and meta. */
const ENVELOPE_TOKENS = 60;
/** Fitting the answer can enlarge `meta`, so it may have to be fitted again. */
const MAX_FITTINGS = 8;

export async function callTool<Context>(
  name: string,
  args: unknown,
  dependencies: CallDependencies<Context>,
): Promise<Envelope> {
  try {
    const release = await dependencies.admit();
    try {
      return await runTool(name, args, dependencies);
    } finally {
      release();
    }
  } catch (error) {
    return toErrorEnvelope(name, error, dependencies);
  }
}

async function runTool<Context>(
  name: string,
  args: unknown,
  dependencies: CallDependencies<Context>,
): Promise<Envelope> {
  const tool = requireTool(name, dependencies.tools);
  requireScope(tool, dependencies.scopes);
  const normalized = normalizeArguments(tool, args);
  const call = tool.prepare(normalized);
  if (!call.success)
    throw call.error instanceof ObserverError ? call.error : wrongArguments(tool, normalized, call.error);
  dependencies.noteIds(call.ids);
  const { message, data } = await call.run(dependencies.context);
  const redacted = await dependencies.redactAnswer({ message, data });
  return toEnvelope(tool, redacted, call.rest, dependencies);
}

function requireTool<Context>(name: string, tools: ReadonlyMap<string, Tool<Context>>): Tool<Context> {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  throw new ObserverError("TOOL_NOT_FOUND", "There is no such tool.", {
    field: "name",
    candidates: nearestNames(name, tools.keys(), 3),
    solution:
      "Call one of the tools that tools/list names. This server only reads: it has no tool that changes anything in n8n.",
  });
}

function requireScope(tool: Tool, scopes: readonly string[]): void {
  const needed = neededScopes(tool);
  if (needed.every((scope) => scopes.includes(scope))) return;
  throw new ObserverError("INSUFFICIENT_SCOPE", `The tool ${tool.name} needs the scope ${tool.scope}.`, {
    expected: needed.join(" "),
    solution:
      "Connect again and allow payload data on the consent page. If that does not help, whoever runs the server has to grant it: to a person by DATA_EMAILS or DATA_GROUPS, to a service token in SERVICE_TOKENS. get_execution and trace_request work without it.",
  });
}

/** Accepts null for absent arguments and numbers for ids, because some clients send them. */
function normalizeArguments(tool: Tool, args: unknown): unknown {
  if (!isObject(args)) return args ?? {};
  return Object.fromEntries(
    Object.entries(args)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [
        key,
        typeof value === "number" && takesText(tool, key, value) ? String(value) : value,
      ]),
  );
}

function takesText(tool: Tool, key: string, value: number): boolean {
  const schema = tool.input.shape[key];
  if (!(schema instanceof z.ZodType)) return false;
  return !schema.safeParse(value).success && schema.safeParse(String(value)).success;
}

/** The arguments that an answer may repeat: the normalized ones if they are valid, otherwise the given ones. */
export function repeatedArguments(tool: Tool | undefined, args: unknown): unknown {
  if (tool === undefined) return args;
  const normalized = normalizeArguments(tool, args);
  return tool.prepare(normalized).success ? normalized : args;
}

function redactionsOf({ counts }: Redacted): Readonly<Record<string, unknown>> {
  if (Object.keys(counts).length === 0) return {};
  const values = (counts.withheld ?? 0) + (counts["too-complex"] ?? 0);
  if (values === 0) return { redactions: counts };
  const solution = `Redacting this answer took too much work, so ${counted(values, "value is", "values are")} withheld. Ask for less at once: one node, fewer items.`;
  return { redactions: counts, withheld: { values, solution } };
}

const content = z.object({ message: z.string(), data: z.unknown() });

function toEnvelope(
  tool: Tool,
  redacted: Redacted,
  rest: ReadyCall["rest"],
  dependencies: Boundary,
): Envelope {
  const whole = content.parse(redacted.value);
  const pageUrl = dependencies.pageUrlOf?.(tool.name, whole.data);
  const meta = {
    timestamp: toTimestamp(dependencies.now()),
    ...(pageUrl === undefined ? {} : { pageUrl }),
    ...redactionsOf(redacted),
  };
  let budget = tool.maxTokens - ENVELOPE_TOKENS;
  for (let fitting = 0; fitting < MAX_FITTINGS; fitting += 1) {
    const { value, leftOut } = fitIntoBudget(redacted.value, Math.max(1, budget));
    const { message, data } = content.parse(value);
    const more =
      leftOut === undefined ? {} : { leftOut: reportLeftOut(leftOut, rest(data, whole.data), dependencies) };
    const envelope: Envelope = { status: "success", message, data, meta: { ...meta, ...more } };
    const excess = costOf(envelope) - tool.maxTokens;
    if (excess <= 0) return checked(tool, envelope);
    // Start from the actual cost: starting from the limit could produce the same answer again.
    budget = Math.min(budget, costOf(value)) - excess;
  }
  throw new RangeError("What was left out does not fit into the token budget.");
}

function reportLeftOut(
  leftOut: LeftOut,
  guidance: Guidance | undefined,
  { redact }: Boundary,
): Readonly<Record<string, unknown>> {
  const counts = Object.fromEntries(Object.entries(leftOut).filter(([, count]) => count > 0));
  // The guidance repeats arguments, so a call that contains a secret is not suggested.
  const isClean = guidance !== undefined && Object.keys(redact(guidance).counts).length === 0;
  return isClean
    ? { ...counts, _guidance: guidance }
    : { ...counts, solution: "Ask for less at once: a smaller limit, one node, an offset." };
}

function checked(tool: Tool, envelope: Envelope): Envelope {
  const { success, error } = envelopeSchema(tool.output).safeParse(envelope);
  if (success) return envelope;
  const message = `The answer of ${tool.name} does not match its own schema.`;
  throw new ObserverError("INVALID_TOOL_RESPONSE_STRUCTURE", message, {
    field: error.issues[0]?.path.join(".") ?? "",
    solution: "This is a fault of this server. Tell its operator, with the time of this answer.",
  });
}

const errorContent = z.object({ message: z.string(), details: z.looseObject({ solution: z.string() }) });

function toErrorEnvelope(name: string, error: unknown, dependencies: Boundary): Envelope {
  const meta = { timestamp: toTimestamp(dependencies.now()) };
  const known = error instanceof ObserverError ? error : toIncident(name, error, dependencies);
  try {
    const clean = dependencies.redact({ message: known.message, details: known.details });
    const { message, details } = errorContent.parse(clean.value);
    const redacted = new ObserverError(known.code, message, details);
    return errorEnvelope(redacted, { ...meta, ...redactionsOf(clean) });
  } catch (failure) {
    // Fails closed: an answer that could not be redacted is not sent.
    return errorEnvelope(toIncident(name, failure, dependencies), meta);
  }
}

function toIncident(name: string, error: unknown, dependencies: Boundary): ObserverError {
  const incidentId = dependencies.newIncidentId();
  // An unknown name is the caller's text, and may be anything.
  const tool = dependencies.tools.has(name) ? name : "unknown";
  dependencies.log({ event: "incident", incidentId, tool, ...describeBug(error) });
  return new ObserverError("TOOL_EXECUTION_FAILED", "Something went wrong inside this server.", {
    incidentId,
    solution:
      "Call again. If it happens again, give the incident id to the operator, who finds it in the log.",
  });
}
