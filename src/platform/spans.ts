/**
 * Our own spans in the platform's traces, which show where a call spent its time. `docs/observability.md` lists them.
 *
 * Promises: a span has a name from this table, and attributes from its row. A value is a number or a word (a code, a
 * tool's name, a digest): any other text, such as a payload, an address or a query, is left out.
 */
import { type ErrorCode, ObserverError } from "./errors.ts";

interface SpanKind {
  readonly what: string;
  /** Attribute → what it says. */
  readonly attributes: Readonly<Record<string, string>>;
}

export const SPANS = {
  "n8n_observer.tool": {
    what: "A call of a tool, from the moment it arrives to its answer.",
    attributes: {
      "tool.name": "The tool; `unknown` if there is no tool of that name.",
      "call.outcome": "`success`, or the error code that the caller got.",
      "call.bytes_read": "Bytes of the bodies that n8n sent for it.",
      "call.redactions": "How many values were redacted in the answer.",
      "request_id.digest":
        "Keyed digest of the request id in the question: the `requestIdDigest` of the activity log.",
      "n8n.instance": "The n8n instance of the call, if there are several.",
    },
  },
  "n8n_observer.index": {
    what: "Work of the history index, for one call or in the background.",
    attributes: {
      "index.operation":
        "`trace`, `search`, `failures`, `query`, `look`, `workflows` or `status` for a call; `step` in the background.",
      "index.outcome": "`success`, or the error code.",
      "index.bytes_read": "Bytes of the bodies that n8n sent for it.",
      "n8n.instance": "The n8n instance of the index.",
    },
  },
  "n8n_observer.n8n_request": {
    what: "One request to n8n: the wait for a slot, and the answer to its end.",
    attributes: {
      "n8n.scope": "The scope of n8n's API that the request needs, such as `execution:list`.",
      "n8n.outcome": "`success`, or the error code.",
      "n8n.bytes_read": "Bytes of the body.",
      "n8n.waited_ms": "Milliseconds spent waiting for a slot of the limiter.",
    },
  },
} as const satisfies Record<string, SpanKind>;

export type SpanName = keyof typeof SPANS;
export type SpanAttributes<Name extends SpanName> = {
  readonly [Attribute in keyof (typeof SPANS)[Name]["attributes"]]?: string | number | undefined;
};

export interface Span<Name extends SpanName> {
  readonly set: (attributes: SpanAttributes<Name>) => void;
}

export interface Spans {
  /** Runs a function in a span that ends with it. Errors are rethrown. */
  readonly enter: <Name extends SpanName, Result>(
    name: Name,
    run: (span: Span<Name>) => Promise<Result>,
  ) => Promise<Result>;
}

interface PlatformSpan {
  /** False if the trace is not recorded. */
  readonly isTraced: boolean;
  setAttribute(key: string, value: string | number): unknown;
}

/** The part of `cloudflare:workers`' `tracing` used here. */
export interface PlatformTracing {
  enterSpan<Result>(name: string, run: (span: PlatformSpan) => Result): Result;
}

const DISCARDING_SPAN = { set: () => {} };

/** Without platform traces, everything runs unchanged. */
export const WITHOUT_SPANS: Spans = { enter: async (_name, run) => await run(DISCARDING_SPAN) };

/** The characters and length of a name, a code or a digest; a payload is not limited to these. */
const WORD = /^[A-Za-z0-9_.:-]{1,64}$/;

export function createSpans(tracing: PlatformTracing | undefined): Spans {
  if (tracing === undefined) return WITHOUT_SPANS;
  return {
    enter: async (name, run) =>
      await tracing.enterSpan(name, async (span) => {
        if (!span.isTraced) return await run(DISCARDING_SPAN);
        const known: Readonly<Record<string, string>> = SPANS[name].attributes;
        return await run({
          set: (attributes) => {
            for (const [key, value] of Object.entries(attributes)) {
              if (Object.hasOwn(known, key) && isHarmless(value)) span.setAttribute(key, value);
            }
          },
        });
      }),
  };
}

const isHarmless = (value: unknown): value is string | number =>
  typeof value === "number" ? Number.isFinite(value) : typeof value === "string" && WORD.test(value);

/** The code, never the text, of an error that was thrown within a span. */
export const outcomeOfError = (error: unknown): ErrorCode =>
  error instanceof ObserverError ? error.code : "TOOL_EXECUTION_FAILED";
