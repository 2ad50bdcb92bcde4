/** Says in a line per incident what happened (at one time, or for one cause) and whether it goes on. No payload. Pure. */
import type { Aftermath } from "../../history/digest/aftermath.ts";
import type { HistoryFailures } from "../../history/digest/failure-query.ts";
import type { Incident } from "../../history/digest/incidents/incident.ts";
import { iso } from "../../history/digest/run.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { counted } from "../../platform/counted.ts";
import { displayName, quoted } from "../../platform/display-name.ts";
import { isStalled, queueSentence } from "../queue-sentence.ts";
import type { Unpublished } from "./digest-lookups.ts";

export interface IncidentSources extends Pick<HistoryFailures, "incidents" | "queue" | "names"> {
  readonly unpublished: readonly Unpublished[];
  /** The called hosts, by the incident's example execution; only if the caller may see error texts. */
  readonly hosts: ReadonlyMap<string, string>;
}

const MAX_NAMED = 3;

/** The incidents as an answer shows them, worst first. */
export function describeIncidents({ names, hosts, ...sources }: IncidentSources, urls: N8nUrls) {
  const { queue } = sources;
  const nameOf = (id: string): string => quoted(names[id] ?? id);
  const placesOf = (workflowIds: readonly string[], executionId: string) => ({
    workflows: workflowIds.length,
    workflowNames: workflowIds.slice(0, MAX_NAMED).map((id) => displayName(names[id] ?? id)),
    executionId,
    url: urls.execution(workflowIds[0] ?? "", executionId),
  });
  const stalled = queue !== null && isStalled(queue) ? [queue] : [];
  return [
    ...stalled.map((each) => ({
      kind: "queue",
      says: queueSentence(each).replace(/\.$/, ""),
      state: "goes_on",
      startedAt: each.oldestSince ?? undefined,
      executions: each.length,
    })),
    ...sources.incidents.map((one) => ({
      kind: one.kind,
      says: `${INCIDENT_SENTENCES[one.kind](one, nameOf)}, ${timesOf(one)}; ${stateOf(one)}`,
      state: one.state,
      startedAt: iso(one.startedAt),
      lastAt: iso(one.lastAt),
      executions: one.executions,
      succeededSince: one.succeeded,
      host: hosts.get(one.exampleId),
      ...placesOf(one.workflowIds, one.exampleId),
    })),
    ...sources.unpublished.map(({ workflowId, lastId, lastAt, reason }) => ({
      kind: reason === "never_published" ? "not_published" : "unpublished",
      says: `${nameOf(workflowId)} ${REASONS[reason]} at ${iso(lastAt)}`,
      state: "goes_on",
      lastAt: iso(lastAt),
      ...placesOf([workflowId], lastId),
    })),
  ];
}

type Says = (incident: Incident, nameOf: (id: string) => string) => string;

const placesIn = ({ executions, workflowIds }: Incident): string =>
  `${counted(executions, "execution")} of ${counted(workflowIds.length, "workflow")}`;

const INCIDENT_SENTENCES: Readonly<Record<Incident["kind"], Says>> = {
  crash: (incident, nameOf) => {
    const { times, suspectId } = incident;
    const suspect = suspectId === null ? "" : `, ${nameOf(suspectId)} each time`;
    return `n8n or a worker crashed${times === 1 ? "" : ` ${counted(times, "time")}`} and cut off ${placesIn(incident)}${suspect}`;
  },
  memory: (incident) => `${placesIn(incident)} ran out of memory`,
  shared_cause: (incident) => {
    const { httpStatus, errorClass, host } = incident.common;
    const isOneHost = typeof host === "string";
    const error = httpStatus == null ? (errorClass ?? "an error") : `HTTP ${httpStatus}`;
    const credential = httpStatus === 401 || httpStatus === 403 ? ": a credential is refused" : "";
    return `${placesIn(incident)} failed with ${error}${isOneHost ? " at one host" : ""}${credential}`;
  },
  version: ({ workflowIds, executions, version }, nameOf) =>
    `${nameOf(workflowIds[0] ?? "")} began to fail with version ${version} (${counted(executions, "execution")})`,
  error_workflow: ({ workflowIds, executions }, nameOf) =>
    `the error workflow ${nameOf(workflowIds[0] ?? "")} failed itself (${counted(executions, "time")})`,
};

const REASONS: Readonly<Record<Unpublished["reason"], string>> = {
  deleted: "was deleted, after its last run",
  archived: "was archived, after its last run",
  crashes: "was unpublished, probably by n8n, since its last runs crashed, the last",
  unpublished: "was unpublished, after its last run",
  never_published: "has a schedule but is not published; it was run by hand",
};

const timesOf = ({ startedAt, lastAt }: Incident): string =>
  startedAt === lastAt ? `at ${iso(lastAt)}` : `from ${iso(startedAt)} to ${iso(lastAt)}`;

/** Whether the failure is over. */
export function stateOf({ state, where, ran, succeeded, lastSuccessAt }: Aftermath): string {
  const good = `${counted(succeeded, "success", "successes")} since`;
  const nothing = ran === 0 ? "nothing ran since" : `none of ${counted(ran, "run")} since succeeded`;
  const places =
    where.count < where.of && state !== "over"
      ? ` (in ${where.count} of ${counted(where.of, "workflow")})`
      : "";
  const last = lastSuccessAt === null ? "" : `, last success at ${iso(lastSuccessAt)}`;
  return {
    over: `over, ${good}`,
    too_early: `${good}${places}, too few to call it over`,
    goes_on: `goes on${places}${last}`,
    unknown: `not known yet whether it is over${places}: ${succeeded > 0 ? good : nothing + last}`,
  }[state];
}
