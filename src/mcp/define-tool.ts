/**
 * The seam between tools and the server. A tool never sees the raw server, so that redaction, budget and the error
 * boundary cannot be skipped.
 */
import type * as z from "zod";
import type { AuditedId } from "../activity-log/entry.ts";
import type { Clock } from "../platform/clock.ts";
import type { PrintedJson } from "../redaction/printed-json.ts";
import type { JsonValue } from "../redaction/redact.ts";
import type { Scope } from "../settings/index.ts";
import type { Rendering } from "./rendering/render-answer.ts";

export interface CallContext {
  readonly clock: Clock;
  /** Sleeps, and leaves the call's place to others of its user meanwhile. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Redacts a value as the answer's own redaction will, for a tool that shows parts of it. */
  readonly redact: (value: unknown) => unknown;
  /** Redacts what may be megabytes, with pauses, and with marks that tell no more than their kind, for comparing. */
  readonly redactLarge: (value: unknown) => Promise<JsonValue>;
  /** Redacts a value and prints it as JSON, to be shown page by page. */
  readonly print: (value: unknown) => Promise<PrintedJson>;
  /** Reports to a waiting client, if it asked for that, how much is done, and of how much. Redacted like all else. */
  readonly progress: (done: number, message: string, total?: number) => Promise<void>;
}

/** The next move: `example` is a complete call. */
export interface Guidance {
  readonly message: string;
  readonly example: string;
}

export interface ToolResult<Data> {
  /** One sentence that already answers. Names and ids, never payload. */
  readonly message: string;
  /** Members that are undefined are left out of the answer. */
  readonly data: Data;
}

/** The members a loose schema names, without its index signature. */
type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** The values that a tool may return for a schema: the members that it names, and others besides. */
export type Returned<T> = T extends string
  ? T | PrintedJson
  : T extends readonly (infer Item)[]
    ? readonly Returned<Item>[]
    : T extends object
      ? { readonly [Key in keyof (keyof Named<T> extends never ? T : Named<T>)]: Returned<T[Key & keyof T]> }
      : T;

export interface ToolDefinition<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Context = never,
> {
  /** snake_case, verb first; equals the file's name. */
  readonly name: string;
  readonly title: string;
  /** One line of what, then when to use it. */
  readonly description: string;
  /** The scope a caller needs: `n8n:data` for whatever shows payload. */
  readonly scope: Scope;
  readonly maxTokens: number;
  readonly input: Input;
  readonly output: Output;
  /**
   * Arguments that are ids, and of what: the audit keeps these alone. What a caller may write freely is no id; a
   * request id is kept as a digest.
   */
  readonly audited: { readonly [Key in keyof z.infer<Input>]?: AuditedId };
  /** Hints on how its answers are best read as a text. */
  readonly rendering?: Rendering;
  /** A host that shows MCP Apps draws its answers: `src/views/waterfall` knows their shape. */
  readonly hasPicture?: true;
  /** @throws ObserverError */
  readonly run: (input: z.infer<Input>, context: Context) => Promise<ToolResult<Returned<z.input<Output>>>>;
  /** The call that gets what an answer had no room for. Both data are redacted. */
  readonly rest?: (input: z.infer<Input>, shown: z.infer<Output>, whole: z.infer<Output>) => Guidance;
}

export interface RequestedId {
  readonly as: AuditedId;
  readonly value: string;
}

/** A call with checked arguments. @template Context what it needs to run */
export interface ReadyCall<Context = never> {
  readonly ids: readonly RequestedId[];
  readonly run: (context: Context) => Promise<ToolResult<unknown>>;
  readonly rest: (shown: unknown, whole: unknown) => Guidance | undefined;
}

export type PreparedCall<Context = never> =
  | ({ readonly success: true } & ReadyCall<Context>)
  | { readonly success: false; readonly error: z.ZodError };

/** A tool with erased types. @template Context what its calls need to run; without it, a tool that is not called */
export interface Tool<Context = never> extends Omit<ToolDefinition, "run" | "rest"> {
  readonly prepare: (args: unknown) => PreparedCall<Context>;
}

/** Types a tool. The server annotates it as read-only, as it does every tool. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject, Context = CallContext>(
  definition: ToolDefinition<Input, Output, Context>,
): Tool<Context> {
  const { run, rest, ...facts } = definition;
  return {
    ...facts,
    prepare(args) {
      const parsed = definition.input.safeParse(args);
      if (!parsed.success) return { success: false, error: parsed.error };
      return {
        success: true,
        ids: requestedIds(definition.audited, parsed.data),
        run: async (context) => await run(parsed.data, context),
        rest(shown, whole) {
          const [of, from] = [definition.output.safeParse(shown), definition.output.safeParse(whole)];
          return of.success && from.success ? rest?.(parsed.data, of.data, from.data) : undefined;
        },
      };
    },
  };
}

function requestedIds(
  audited: Readonly<Record<string, AuditedId | undefined>>,
  input: object,
): RequestedId[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const as = Object.hasOwn(audited, name) ? audited[name] : undefined;
    return as !== undefined && typeof value === "string" ? [{ as, value }] : [];
  });
}
