/** Says in one line each what happened at one moment or for one cause, and whether it goes on. Holds no payload. Pure. */
import type { Aftermath } from "../../history/digest/aftermath.ts";
import type { Incident } from "../../history/digest/incidents/incident.ts";
import type { QueueFacts } from "../../history/report/index-report.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { counted } from "../../platform/counted.ts";
import { displayName, quoted } from "../../platform/display-name.ts";
import { isStalled, queueSentence } from "../queue-sentence.ts";
import { withoutNull } from "../shown.ts";
import type { Unpublished } from "./n8n-lookups.ts";

export interface IncidentSources {
  readonly incidents: readonly Incident[];
  readonly unpublished: readonly Unpublished[];
  readonly queue: QueueFacts | null;
  /** Hosts that were asked, by the incident's example; only for who may see what errors say. */
  readonly hosts: ReadonlyMap<string, string>;
  readonly names: Readonly<Record<string, string>>;
}

interface Told {
  readonly kind: Incident["kind"] | Unpublished["kind"] | "queue";
  /** Without the end of the sentence. */
  readonly says: string;
  readonly state: Aftermath["state"];
  readonly startedAt: number | null;
  readonly lastAt: number | null;
  readonly workflowIds: readonly string[];
  readonly executions: number | null;
  readonly succeededSince: number | null;
  readonly exampleId: string | null;
  readonly host: string | null;
}

const iso = (time: number): string => new Date(time).toISOString();
const NAMED = 3;

/** The gravest first. @param now epoch ms */
export function tellIncidents(sources: IncidentSources, now: number): readonly Told[] {
  const { incidents, unpublished, queue } = sources;
  const nameOf = (id: string): string => quoted(sources.names[id] ?? id);
  const stalled = queue !== null && isStalled(queue, now) ? [queueTold(queue, now)] : [];
  return [
    ...stalled,
    ...incidents.map((one) => ({
      ...one,
      says: `${SAYS[one.kind](one, nameOf)}, ${timesOf(one)}; ${stateOf(one)}`,
      succeededSince: one.succeeded,
      host: sources.hosts.get(one.exampleId) ?? null,
    })),
    ...unpublished.map((one) => ({ ...unpublishedTold(one), says: unpublishedSays(one, nameOf) })),
  ];
}

export const incidentData = (
  { kind, says, state, workflowIds, exampleId, ...told }: Told,
  names: IncidentSources["names"],
  urls: N8nUrls,
) => {
  const [first] = workflowIds;
  return withoutNull({
    ...{ kind, says, state },
    startedAt: told.startedAt === null ? null : iso(told.startedAt),
    lastAt: told.lastAt === null ? null : iso(told.lastAt),
    workflows: workflowIds.length === 0 ? null : workflowIds.length,
    workflowNames:
      workflowIds.length === 0 ? null : workflowIds.slice(0, NAMED).map((id) => displayName(names[id] ?? id)),
    executions: told.executions,
    succeededSince: told.succeededSince,
    host: told.host,
    executionId: exampleId,
    url: exampleId === null || first === undefined ? null : urls.execution(first, exampleId),
  });
};

type Says = (incident: Incident, nameOf: (id: string) => string) => string;

const placesOf = ({ executions, workflowIds }: Incident): string =>
  `${counted(executions, "execution")} of ${counted(workflowIds.length, "workflow")}`;

const SAYS: Readonly<Record<Incident["kind"], Says>> = {
  crash: (incident, nameOf) => {
    const { times, suspectId } = incident;
    const often = times === 1 ? "" : ` ${times} times`;
    const suspect = suspectId === null ? "" : `, ${nameOf(suspectId)} each time`;
    return `n8n or a worker crashed${often} and cut off ${placesOf(incident)}${suspect}`;
  },
  memory: (incident) => `${placesOf(incident)} ran out of memory`,
  shared_cause: (incident) => {
    const { httpStatus, errorClass, isOneHost } = incident;
    const error = httpStatus === null ? (errorClass ?? "an error") : `HTTP ${httpStatus}`;
    const credential = httpStatus === 401 || httpStatus === 403 ? ": a credential is refused" : "";
    return `${placesOf(incident)} failed with ${error}${isOneHost ? " at one host" : ""}${credential}`;
  },
  version: ({ workflowIds, executions, version }, nameOf) =>
    `${nameOf(workflowIds[0] ?? "")} began to fail with version ${version} (${counted(executions, "execution")})`,
  error_workflow: ({ workflowIds, executions }, nameOf) =>
    `the error workflow ${nameOf(workflowIds[0] ?? "")} failed itself (${counted(executions, "time")})`,
};

const timesOf = ({ startedAt, lastAt }: Incident): string =>
  startedAt === lastAt ? `at ${iso(lastAt)}` : `from ${iso(startedAt)} to ${iso(lastAt)}`;

/** Whether what failed is mended. */
export function stateOf({ state, ran, succeeded }: Aftermath): string {
  const good = `${counted(succeeded, "success", "successes")} since`;
  switch (state) {
    case "over":
      return `over, ${good}`;
    case "too_early":
      return `${good}, too few to call it over`;
    case "goes_on":
      return "goes on";
    case "unknown":
      return ran === 0
        ? "not known yet whether it is over: nothing ran since"
        : `not known yet whether it is over: none of ${counted(ran, "run")} since succeeded`;
  }
}

const queueTold = (queue: QueueFacts, now: number): Told => ({
  ...{ kind: "queue", says: queueSentence(queue, now).replace(/\.$/, ""), state: "goes_on" },
  startedAt: queue.oldestSince === null ? null : Date.parse(queue.oldestSince),
  ...{ lastAt: now, workflowIds: [], executions: queue.length },
  ...{ succeededSince: null, exampleId: null, host: null },
});

const unpublishedTold = ({ kind, workflowId, lastId, lastAt }: Unpublished): Omit<Told, "says"> => ({
  ...{ kind, state: "goes_on", startedAt: lastAt, lastAt, workflowIds: [workflowId] },
  ...{ executions: null, succeededSince: null, exampleId: lastId, host: null },
});

const REASONS: Readonly<Record<Exclude<Unpublished["reason"], null>, string>> = {
  deleted: "was deleted",
  archived: "was archived",
  crashes: "was unpublished, probably by n8n, since its last runs crashed",
};

function unpublishedSays(
  { kind, workflowId, lastAt, reason }: Unpublished,
  nameOf: (id: string) => string,
): string {
  const name = nameOf(workflowId);
  if (kind === "not_published")
    return `${name} has a schedule and was run by hand at ${iso(lastAt)}, but is not published`;
  return `${name} ${reason === null ? "was unpublished" : REASONS[reason]}, after its last run at ${iso(lastAt)}`;
}
