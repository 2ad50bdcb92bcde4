/** What is measured, each in a process of its own, and what comes back. */
import * as z from "zod";
import { n8nAccess } from "./n8n-access.ts";

const expectedTrace = z.object({ requestId: z.string(), executionIds: z.array(z.string()).readonly() });

/** Reads answers and drops them. */
const drainTask = z.object({
  kind: z.literal("drain"),
  n8n: n8nAccess,
  paths: z.array(z.string()).readonly(),
  concurrency: z.number(),
});

/** A first trace with an empty memory, then further ones with what it has learnt. */
const traceTask = z.object({
  kind: z.literal("trace"),
  n8n: n8nAccess,
  first: expectedTrace,
  further: z.array(expectedTrace).readonly(),
});

const sampling = z.object({
  /** `live` after collecting garbage, `raw` without. */
  samples: z.enum(["live", "raw"]),
  everyBytes: z.number(),
});

/** What a first trace holds in memory. */
const traceHeapTask = sampling.extend({
  kind: z.literal("trace-heap"),
  n8n: n8nAccess,
  first: expectedTrace,
});

/** What the index holds in memory while it fills itself. */
const indexHeapTask = sampling.extend({
  kind: z.literal("index-heap"),
  n8n: n8nAccess,
  executions: z.number(),
});

/** What `get_execution` does. */
const summaryTask = z.object({ kind: z.literal("summary"), n8n: n8nAccess, executionId: z.string() });

/** What `explain_failure` does. */
const explanationTask = z.object({
  kind: z.literal("explanation"),
  n8n: n8nAccess,
  executionId: z.string(),
});

/** What that holds in memory. */
const summaryHeapTask = sampling.extend({
  kind: z.literal("summary-heap"),
  n8n: n8nAccess,
  executionId: z.string(),
});

/** An audit of the whole instance: the first page is timed, the others are read for what they hold. */
const auditTask = z.object({ kind: z.literal("audit"), n8n: n8nAccess });

/** What that holds in memory. */
const auditHeapTask = sampling.extend({ kind: z.literal("audit-heap"), n8n: n8nAccess });

export const task = z.discriminatedUnion("kind", [
  drainTask,
  traceTask,
  traceHeapTask,
  indexHeapTask,
  summaryTask,
  explanationTask,
  summaryHeapTask,
  auditTask,
  auditHeapTask,
]);
export type Task = z.infer<typeof task>;
export type TaskOf<Kind extends Task["kind"]> = Extract<Task, { kind: Kind }>;

const timed = z.object({ milliseconds: z.number(), cpuMilliseconds: z.number() });
const held = z.object({ peakGrowth: z.number(), samples: z.number() });

/** What each kind of task measures. */
export const results = {
  drain: timed.extend({ bytes: z.number() }),
  trace: timed.extend({
    /** The pages with data that were asked for. */
    paths: z.array(z.string()),
    further: z.array(z.object({ milliseconds: z.number(), requests: z.number(), pages: z.number() })),
  }),
  "trace-heap": held,
  "index-heap": held,
  summary: timed,
  explanation: timed,
  "summary-heap": held,
  audit: timed.extend({
    /** What was asked of n8n for the first page. */
    paths: z.array(z.string()),
    findings: z.number(),
    pages: z.number(),
    largestPageTokens: z.number(),
  }),
  "audit-heap": held,
} as const;
export type ResultOf<Kind extends keyof typeof results> = z.infer<(typeof results)[Kind]>;
