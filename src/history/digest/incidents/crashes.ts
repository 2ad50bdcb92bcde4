/** n8n or a worker stopped, ending all its running executions; or a node used too much memory. Pure. */
import { WORKER_DIED } from "../../../executions/error-sentence.ts";
import { MINUTE_MS } from "../../../platform/durations.ts";
import { aftermathOf } from "../aftermath.ts";
import { isIn } from "../run.ts";
import {
  type Affected,
  affectedBy,
  type Happened,
  type Incident,
  incidentOf,
  splitByPauses,
} from "./incident.ts";

const CRASHED = new Set(["WorkflowCrashedError", "NodeCrashedError", WORKER_DIED]);
const OUT_OF_MEMORY = new Set(["TaskRunnerOomError", "MemoryLimitError"]);
/** Executions that n8n recovers from its log ended with their last event, the others when n8n was back. */
const SAME_MOMENT_MS = 5 * MINUTE_MS;
/** A single one is an ordinary failure. */
const LEAST_WITHOUT_MEMORY = 2;

const endOf = ({ stoppedAt, startedAt }: Affected): number => stoppedAt ?? startedAt;

/** All crashes form one incident, because what ran each time may be the cause. */
export function crashes(happened: Happened): Incident[] {
  const { window } = happened;
  // Long-running executions began before the window.
  const affected = affectedBy(
    { ...happened, window: { ...window, from: Number.NEGATIVE_INFINITY } },
    ({ status, failure }) => status === "crashed" || CRASHED.has(failure?.errorClass ?? ""),
  )
    .filter((run) => isIn(window, run.startedAt) || isIn(window, endOf(run)))
    .toSorted((a, b) => endOf(a) - endOf(b));
  const [first, last] = [affected[0], affected.at(-1)];
  if (first === undefined || last === undefined) return [];
  const moments = splitByPauses(affected, SAME_MOMENT_MS, endOf);
  const ran = moments.map((runs) => new Set(runs.map(({ workflowId }) => workflowId)));
  const [suspectId = null, ...others] = [...(ran[0] ?? [])].filter((id) => ran.every((ids) => ids.has(id)));
  // Any later run shows whether n8n is back; a success proves it.
  const runs = happened.workflows.flatMap((each) => each.runs).toSorted((a, b) => b.startedAt - a.startedAt);
  const since = aftermathOf(affected, [{ workflowId: "", runs }], happened.asOf);
  return [
    incidentOf("crash", affected, happened, {
      ...since,
      state: since.succeeded > 0 ? "over" : since.state,
      times: ran.length,
      startedAt: endOf(first),
      lastAt: endOf(last),
      suspectId: ran.length > 1 && others.length === 0 ? suspectId : null,
    }),
  ];
}

export function outOfMemory(happened: Happened): Incident[] {
  const affected = affectedBy(happened, ({ failure }) => OUT_OF_MEMORY.has(failure?.errorClass ?? ""));
  return affected.length < LEAST_WITHOUT_MEMORY ? [] : [incidentOf("memory", affected, happened)];
}
