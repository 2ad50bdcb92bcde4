/** n8n or a worker stopped, and all that it ran ended with it; or what a node did took too much memory. Pure. */
import { WORKER_DIED } from "../../../executions/error-sentence.ts";
import type { Run } from "../run.ts";
import { type Affected, affectedBy, type Happened, type Incident, incidentOf } from "./incident.ts";

const CRASHED = new Set(["WorkflowCrashedError", "NodeCrashedError", WORKER_DIED]);
const OUT_OF_MEMORY = new Set(["TaskRunnerOomError", "MemoryLimitError"]);
/** What n8n recovers from its log ended with its last event, the rest when n8n was back. */
const SAME_MOMENT_MS = 5 * 60_000;
/** One alone is an ordinary failure. */
const LEAST_WITHOUT_MEMORY = 2;

const hasCrashed = ({ status, failure }: Run): boolean =>
  status === "crashed" || CRASHED.has(failure?.errorClass ?? "");

const endOf = ({ run }: Affected): number => run.stoppedAt ?? run.startedAt;

/** All crashes are one incident: what ran each time may be the cause. */
export function crashes(happened: Happened): Incident[] {
  const affected = affectedBy(happened, hasCrashed).toSorted((a, b) => endOf(a) - endOf(b));
  if (affected.length === 0) return [];
  const moments: Affected[][] = [];
  for (const one of affected) {
    const latest = moments.at(-1);
    const before = latest?.at(-1);
    if (latest !== undefined && before !== undefined && endOf(one) - endOf(before) <= SAME_MOMENT_MS)
      latest.push(one);
    else moments.push([one]);
  }
  const [first, last] = [affected[0], affected.at(-1)];
  const isAlwaysThere = (id: string): boolean =>
    moments.every((moment) => moment.some(({ workflowId }) => workflowId === id));
  const always = [...new Set(affected.map(({ workflowId }) => workflowId))].filter(isAlwaysThere);
  return [
    incidentOf("crash", affected, happened, {
      times: moments.length,
      suspectId: moments.length > 1 && always.length === 1 ? (always[0] ?? null) : null,
      ...(first === undefined || last === undefined ? {} : { startedAt: endOf(first), lastAt: endOf(last) }),
    }),
  ];
}

export function outOfMemory(happened: Happened): Incident[] {
  const affected = affectedBy(happened, ({ failure }) => OUT_OF_MEMORY.has(failure?.errorClass ?? ""));
  return affected.length < LEAST_WITHOUT_MEMORY ? [] : [incidentOf("memory", affected, happened)];
}
