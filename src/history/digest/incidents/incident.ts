/** A failure at one moment, or with one cause, across the workflows it affected. No payload. */
import { type Aftermath, aftermathOf } from "../aftermath.ts";
import { isIn, type Run, type RunFailure, type Span, type WorkflowRuns } from "../run.ts";

export interface Incident extends Aftermath {
  readonly kind: "crash" | "memory" | "shared_cause" | "version" | "error_workflow";
  /** The first and the last sign of the incident, epoch ms. */
  readonly startedAt: number;
  readonly lastAt: number;
  /** Number of moments at which n8n crashed. */
  readonly times: number;
  /** Most affected first. */
  readonly workflowIds: readonly string[];
  readonly executions: number;
  /** The newest execution. */
  readonly exampleId: string;
  readonly common: Partial<RunFailure>;
  /** Prefix of the id of the version with which it began. */
  readonly version: string | null;
  /** The only workflow that was running each time. */
  readonly suspectId: string | null;
}

/** The input of the rules. */
export interface Happened {
  readonly workflows: readonly WorkflowRuns[];
  readonly window: Span;
  readonly asOf: number;
}

export type Affected = Run & { readonly workflowId: string };

/** The runs of the window that a rule concerns, in ascending order. */
export const affectedBy = ({ workflows, window }: Happened, isAffected: (run: Run) => boolean): Affected[] =>
  workflows
    .flatMap(({ workflowId, runs }) => runs.map((run) => ({ ...run, workflowId })))
    .filter((run) => isIn(window, run.startedAt) && isAffected(run))
    .toSorted((a, b) => a.startedAt - b.startedAt);

/** Splits runs wherever the gap exceeds the pause. @param timeOf must not decrease */
export function splitByPauses(
  all: readonly Affected[],
  pauseMs: number,
  timeOf: (run: Affected) => number,
): Affected[][] {
  let part = 0;
  const parts = Map.groupBy(all, (run, index) => {
    if (timeOf(run) - timeOf(all[index - 1] ?? run) > pauseMs) part += 1;
    return part;
  });
  return [...parts.values()];
}

/** @param affected in ascending order, not empty */
export function incidentOf(
  kind: Incident["kind"],
  affected: readonly Affected[],
  { workflows, asOf }: Happened,
  more: Partial<Incident> = {},
): Incident {
  const byWorkflow = Map.groupBy(affected, ({ workflowId }) => workflowId);
  const workflowIds = [...byWorkflow].toSorted((a, b) => b[1].length - a[1].length).map(([id]) => id);
  const [first, newest] = [affected[0], affected.at(-1)];
  const isCommon = ([fact, value]: [string, unknown]): boolean =>
    affected.every(({ failure }) => failure !== null && Reflect.get(failure, fact) === value);
  return {
    kind,
    times: 1,
    workflowIds,
    executions: affected.length,
    version: null,
    suspectId: null,
    startedAt: first?.startedAt ?? asOf,
    lastAt: newest?.startedAt ?? asOf,
    exampleId: newest?.id ?? "",
    common: Object.fromEntries(Object.entries(first?.failure ?? {}).filter(isCommon)),
    ...aftermathOf(
      affected,
      workflows.filter(({ workflowId }) => byWorkflow.has(workflowId)),
      asOf,
    ),
    ...more,
  };
}
