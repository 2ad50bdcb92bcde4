/** What happened at one moment, or for one cause, whichever workflows it touched. No payload. */
import { type Aftermath, aftermathOf } from "../aftermath.ts";
import { isIn, type Run, type Span, type WorkflowRuns } from "../run.ts";

export interface Incident extends Aftermath {
  readonly kind: "crash" | "memory" | "shared_cause" | "version" | "error_workflow";
  /** The first and the last sign of it, epoch ms. */
  readonly startedAt: number;
  readonly lastAt: number;
  /** How often it happened: of crashes, moments at which they did. */
  readonly times: number;
  /** Most affected first. */
  readonly workflowIds: readonly string[];
  readonly executions: number;
  /** The newest. */
  readonly exampleId: string;
  readonly errorClass: string | null;
  readonly httpStatus: number | null;
  /** True if all asked one host. */
  readonly isOneHost: boolean;
  /** Begins the id of the version with which it began. */
  readonly version: string | null;
  /** The one workflow that ran each time. */
  readonly suspectId: string | null;
}

/** What the rules look at. */
export interface Happened {
  readonly workflows: readonly WorkflowRuns[];
  readonly window: Span;
  readonly asOf: number;
}

export interface Affected {
  readonly workflowId: string;
  readonly run: Run;
}

/** The runs of the window that a rule is about. */
export const affectedBy = ({ workflows, window }: Happened, isAffected: (run: Run) => boolean): Affected[] =>
  workflows.flatMap(({ workflowId, runs }) =>
    runs.filter((run) => isIn(window, run.startedAt) && isAffected(run)).map((run) => ({ workflowId, run })),
  );

/** @param affected not empty */
export function incidentOf(
  kind: Incident["kind"],
  affected: readonly Affected[],
  { workflows, asOf }: Happened,
  more: Partial<Pick<Incident, "times" | "version" | "suspectId" | "startedAt" | "lastAt">> = {},
): Incident {
  const counts = [...Map.groupBy(affected, ({ workflowId }) => workflowId)]
    .map(([workflowId, all]) => ({ workflowId, count: all.length }))
    .toSorted((a, b) => b.count - a.count);
  const touched = new Set(counts.map(({ workflowId }) => workflowId));
  const runs = affected.map(({ run }) => run).toSorted((a, b) => a.startedAt - b.startedAt);
  const newest = runs.at(-1);
  const same = <Value>(of: (run: Run) => Value): Value | null => {
    const [value, ...others] = new Set(runs.map(of));
    return others.length === 0 ? (value ?? null) : null;
  };
  const after = aftermathOf(
    runs,
    workflows.filter(({ workflowId }) => touched.has(workflowId)),
    asOf,
  );
  return {
    kind,
    startedAt: runs[0]?.startedAt ?? asOf,
    lastAt: newest?.startedAt ?? asOf,
    times: 1,
    workflowIds: [...touched],
    executions: runs.length,
    exampleId: newest?.id ?? "",
    errorClass: same(({ failure }) => failure?.errorClass ?? null),
    httpStatus: same(({ failure }) => failure?.httpStatus ?? null),
    isOneHost: same(({ failure }) => failure?.host ?? null) !== null,
    version: null,
    suspectId: null,
    ...more,
    ...after,
    // Anything that succeeds says that n8n is back.
    ...(kind === "crash" && after.succeeded > 0 ? { state: "over" as const } : {}),
  };
}
