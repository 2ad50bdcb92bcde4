/** The measurements, each done in a process of its own, and their results. */
import * as z from "zod";
import { n8nAccess } from "./n8n-access.ts";

const expectedTrace = z.object({ requestId: z.string(), executionIds: z.array(z.string()).readonly() });
const n8n = n8nAccess;
const ofExecution = { n8n, executionId: z.string() };

/** What holds memory: a first trace, the index that fills itself, `get_execution`, or an audit. */
const holder = z.discriminatedUnion("what", [
  z.object({ what: z.literal("trace"), first: expectedTrace }),
  z.object({ what: z.literal("index"), executions: z.number() }),
  z.object({ what: z.literal("summary"), executionId: z.string() }),
  z.object({ what: z.literal("audit") }),
]);

export const task = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("drain"),
    n8n,
    paths: z.array(z.string()).readonly(),
    concurrency: z.number(),
  }),
  /** A first trace on an empty index, then further ones on the filled index. */
  z.object({
    kind: z.literal("trace"),
    n8n,
    first: expectedTrace,
    further: z.array(expectedTrace).readonly(),
  }),
  z.object({ kind: z.literal("summary"), ...ofExecution }),
  z.object({ kind: z.literal("explanation"), ...ofExecution }),
  /** An audit of the whole instance: only the first page is timed; the others are counted. */
  z.object({ kind: z.literal("audit"), n8n }),
  z.object({
    kind: z.literal("heap"),
    n8n,
    holder,
    /** `live` after collecting garbage, `raw` without. */
    samples: z.enum(["live", "raw"]),
    everyBytes: z.number(),
  }),
]);
export type Task = z.infer<typeof task>;
export type TaskOf<Kind extends Task["kind"]> = Extract<Task, { kind: Kind }>;

const timed = z.object({ milliseconds: z.number(), cpuMilliseconds: z.number() });

export const results = {
  drain: timed.extend({ bytes: z.number() }),
  trace: timed.extend({
    /** The requested pages with data. */
    paths: z.array(z.string()),
    further: z.array(z.object({ milliseconds: z.number(), requests: z.number(), pages: z.number() })),
  }),
  summary: timed,
  explanation: timed,
  audit: timed.extend({
    /** Requests to n8n for the first page. */
    paths: z.array(z.string()),
    findings: z.number(),
    pages: z.number(),
    largestPageTokens: z.number(),
  }),
  heap: z.object({ peakGrowth: z.number() }),
} as const;
export type ResultOf<Kind extends keyof typeof results> = z.infer<(typeof results)[Kind]>;
