/** The incidents of a window: one for each moment or cause, the most serious first. Pure. */
import { brokenVersions, failingErrorWorkflows } from "./broken-versions.ts";
import { crashes, outOfMemory } from "./crashes.ts";
import type { Happened, Incident } from "./incident.ts";
import { sharedCauses } from "./shared-causes.ts";

/** A later rule does not report what an earlier one explains. */
const RULES = [crashes, outOfMemory, sharedCauses, brokenVersions, failingErrorWorkflows];

export function findIncidents(happened: Happened): Incident[] {
  const found: Incident[] = [];
  for (const rule of RULES)
    found.push(...rule(happened).filter((one) => !found.some((earlier) => explains(earlier, one))));
  const isOpen = ({ state }: Incident): number => (state === "over" ? 0 : 1);
  return found.toSorted((a, b) => isOpen(b) - isOpen(a) || b.executions - a.executions);
}

/** A version did not break a workflow that failed together with others at the time. */
const explains = (earlier: Incident, one: Incident): boolean =>
  earlier.exampleId === one.exampleId ||
  (one.kind === "version" &&
    earlier.startedAt <= one.lastAt &&
    earlier.lastAt >= one.startedAt &&
    earlier.workflowIds.some((id) => one.workflowIds.includes(id)));
