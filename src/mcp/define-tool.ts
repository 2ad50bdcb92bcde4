/** Defines tools. No tool gets the MCP server itself, so none can bypass redaction, budget and error handling. */
import type * as z from "zod";
import type { AuditedId } from "../activity-log/entry.ts";
import type { Clock } from "../platform/clock.ts";
import type { ObserverError } from "../platform/errors.ts";
import type { PrintedJson } from "../redaction/printed-json.ts";
import type { JsonValue } from "../redaction/redact.ts";
import type { Scope } from "../settings/index.ts";
import type { Rendering } from "./rendering/render-answer.ts";

export interface CallContext {
  readonly clock: Clock;
  /** Sleeps, and meanwhile leaves the call's place to other calls of its user. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Redacts a value as the answer's redaction will, for a tool that shows parts of it. */
  readonly redact: (value: unknown) => unknown;
  /** Redacts large values with pauses. Marks show only the kind of a secret, so that results can be compared. */
  readonly redactLarge: (value: unknown) => Promise<JsonValue>;
  /** Redacts a value and prints it as JSON for paging. */
  readonly print: (value: unknown) => Promise<PrintedJson>;
  /** Reports progress, redacted, if the client asked for it. */
  readonly progress: (done: number, message: string, total?: number) => Promise<void>;
}

/** The suggested next step: `example` is a complete call. */
export interface Guidance {
  readonly message: string;
  readonly example: string;
}

export interface ToolResult<Data> {
  /** One sentence that answers the question with names and ids, never payload. */
  readonly message: string;
  /** Undefined members are omitted from the answer. */
  readonly data: Data;
}

/** The named members of a loose schema's type, without its index signature. */
type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** The values that a tool may return for a schema: the named members, and additional ones. */
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
  /** What the tool does, then when to use it. */
  readonly description: string;
  /** The scope that a caller needs: `n8n:data` if the tool shows payload. */
  readonly scope: Scope;
  readonly maxTokens: number;
  readonly input: Input;
  readonly output: Output;
  /** The arguments that the activity log stores: ids, and request ids as digests. Free text is not an id. */
  readonly audited: { readonly [Key in keyof z.infer<Input>]?: AuditedId };
  readonly rendering?: Rendering;
  /** Hosts with MCP Apps draw its answers; `src/views/waterfall` knows their shape. */
  readonly hasPicture?: true;
  /** @throws ObserverError */
  readonly run: (input: z.infer<Input>, context: Context) => Promise<ToolResult<Returned<z.input<Output>>>>;
  /** The call that returns the part that did not fit. `shown` and `whole` are redacted. */
  readonly rest?: (input: z.infer<Input>, shown: z.infer<Output>, whole: z.infer<Output>) => Guidance;
}

export interface NamedId {
  readonly as: AuditedId;
  readonly value: string;
}

/** A call with validated arguments. @template Context what it needs to run */
export interface ReadyCall<Context = never> {
  readonly ids: readonly NamedId[];
  readonly run: (context: Context) => Promise<ToolResult<unknown>>;
  readonly rest: (shown: unknown, whole: unknown) => Guidance | undefined;
}

export type PreparedCall<Context = never> =
  | ({ readonly success: true } & ReadyCall<Context>)
  | { readonly success: false; readonly error: z.ZodError | ObserverError };

/** A tool with erased types. @template Context what its calls need; omit it for a tool that is only described */
export interface Tool<Context = never> extends Omit<ToolDefinition, "run" | "rest"> {
  readonly prepare: (args: unknown) => PreparedCall<Context>;
}

/** Types a tool. The server annotates every tool as read-only. */
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
        ids: namedIds(definition.audited, parsed.data),
        run: async (context) => await run(parsed.data, context),
        rest(shown, whole) {
          const [kept, all] = [definition.output.safeParse(shown), definition.output.safeParse(whole)];
          return kept.success && all.success ? rest?.(parsed.data, kept.data, all.data) : undefined;
        },
      };
    },
  };
}

function namedIds(audited: Readonly<Record<string, AuditedId | undefined>>, input: object): NamedId[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const as = Object.hasOwn(audited, name) ? audited[name] : undefined;
    return as !== undefined && typeof value === "string" ? [{ as, value }] : [];
  });
}
