/**
 * The executions of the recorded n8n: the recording itself, and as many older copies of it as requested.
 * Copies are whole requests (an execution never appears without the ones it is linked to), and only of requests
 * that ended; their JSON is rendered on demand. Newest first, by descending id, as in n8n.
 */
import { type Copy, copyRequestId, createTemplate, moveId, moveTime, type Template } from "./copies.ts";
import type { ExecutionForms, RecordedExecution, RecordedScenario, Recording } from "./recording.ts";

/** One execution of one copy. */
export interface StoredExecution {
  id: number;
  status: string;
  workflowId: string;
  /** Milliseconds since 1970; null when it never started. */
  startedAt: number | null;
  /** Its JSON, in one of the four forms of n8n's answers. */
  write: (form: keyof ExecutionForms) => string;
}

export interface ExecutionStore {
  /** Newest first. */
  all: StoredExecution[];
  /** The executions that have not ended, newest first. */
  unfinished: StoredExecution[];
  find: (id: number) => StoredExecution | undefined;
  /** The scenarios that a copy holds, with its ids. Copy 0 is the recording. */
  scenarios: (copyNumber: number) => RecordedScenario[];
  /** The number of copies besides the recording. The oldest may be incomplete. */
  copies: number;
}

/** The time by which each copy is older than the one before, in milliseconds. */
const timeStep = 60 * 60_000;

export const isUnfinished = (status: string): boolean => ["new", "running", "waiting"].includes(status);

/** @param multiplyTo the total number of executions; if fewer than recorded, only the recorded ones */
export function createExecutionStore(recording: Recording, multiplyTo = 0): ExecutionStore {
  const recorded = recording.executions.map((each) => toRecordedTemplate(each, recording));
  const groups = groupByRequest(recorded, recording);
  const copies = planCopies(recorded, groups, multiplyTo);
  const all = copies.flatMap(({ copy, members }) => members.map((each) => toStored(each, copy)));
  all.sort((left, right) => right.id - left.id);
  const byId = new Map(all.map((each) => [each.id, each]));
  return {
    all,
    unfinished: all.filter(({ status }) => isUnfinished(status)),
    find: (id) => byId.get(id),
    scenarios: (copyNumber) => scenariosOf(recording, copies[copyNumber]),
    copies: copies.length - 1,
  };
}

/** One recorded execution, ready to be rendered for any copy. */
interface RecordedTemplate {
  recorded: RecordedExecution["answer"];
  status: string;
  fields: Map<string, Template>;
  forms: ExecutionForms;
}

interface PlannedCopy {
  copy: Copy;
  members: RecordedTemplate[];
}

function toRecordedTemplate(
  { answer, snapshot, status }: RecordedExecution,
  recording: Recording,
): RecordedTemplate {
  const requestIds = requestIdsOf(answer.id, recording);
  const fields = new Map<string, Template>();
  for (const [name, value] of Object.entries(answer)) {
    const key = name === "id" ? "executionId" : name;
    if (value !== undefined) fields.set(name, createTemplate(value, key, requestIds));
  }
  const workflowData = JSON.stringify(recording.snapshots[snapshot]);
  fields.set("workflowData", () => workflowData);
  return { recorded: answer, status, fields, forms: recording.manifest.forms };
}

function requestIdsOf(executionId: string, { manifest }: Recording): string[] {
  const scenarios = manifest.scenarios.filter(({ expected }) => expected.executionIds.includes(executionId));
  const fillers = manifest.fillers.filter((filler) => filler.executionId === executionId);
  return [...scenarios, ...fillers].map(({ requestId }) => requestId);
}

/** Requests that ended, each with all its executions; the largest first, so that single executions fill the rest. */
function groupByRequest(recorded: RecordedTemplate[], { manifest }: Recording): RecordedTemplate[][] {
  const idGroups = [
    ...manifest.scenarios.map(({ expected }) => expected.executionIds),
    ...manifest.fillers.map(({ executionId }) => [executionId]),
  ];
  return idGroups
    .map((ids) => recorded.filter((each) => ids.includes(each.recorded.id)))
    .filter((group) => group.every(({ status }) => !isUnfinished(status)))
    .sort((left, right) => right.length - left.length);
}

/** Whole copies as long as they fit, then enough requests of one more copy to reach the number exactly. */
function planCopies(
  recorded: RecordedTemplate[],
  groups: RecordedTemplate[][],
  multiplyTo: number,
): PlannedCopy[] {
  const span = Math.max(...recorded.map((each) => Number(each.recorded.id)));
  const memberships = [recorded];
  for (let missing = multiplyTo - recorded.length; missing > 0; ) {
    const members = takeGroups(groups, missing);
    if (members.length === 0) throw new Error("The recording has no single execution to fill up with.");
    memberships.push(members);
    missing -= members.length;
  }
  return memberships.map((members, number) => ({
    copy: {
      number,
      // The newest copy has the highest ids, and there is room for a whole recording in each.
      idOffset: (memberships.length - 1 - number) * span,
      timeOffset: -number * timeStep,
    },
    members,
  }));
}

function takeGroups(groups: RecordedTemplate[][], most: number): RecordedTemplate[] {
  const taken: RecordedTemplate[] = [];
  for (const group of groups) if (taken.length + group.length <= most) taken.push(...group);
  return taken;
}

function toStored({ recorded, status, fields, forms }: RecordedTemplate, copy: Copy): StoredExecution {
  const started = recorded.startedAt;
  return {
    id: Number(moveId(recorded.id, copy)),
    status,
    workflowId: recorded.workflowId,
    startedAt: started === null ? null : Date.parse(moveTime(started, copy)),
    write: (form) => writeFields(forms[form], fields, copy),
  };
}

function writeFields(names: string[], fields: Map<string, Template>, copy: Copy): string {
  const written: string[] = [];
  for (const name of names) {
    const template = fields.get(name);
    if (template) written.push(`${JSON.stringify(name)}:${template(copy)}`);
  }
  return `{${written.join(",")}}`;
}

function scenariosOf({ manifest }: Recording, planned: PlannedCopy | undefined): RecordedScenario[] {
  if (!planned) return [];
  const { copy, members } = planned;
  const held = new Set(members.map(({ recorded }) => recorded.id));
  return manifest.scenarios
    .filter(({ expected }) => expected.executionIds.every((id) => held.has(id)))
    .map((scenario) => ({
      ...scenario,
      requestId: copyRequestId(scenario.requestId, copy.number),
      expected: {
        ...scenario.expected,
        entryIds: scenario.expected.entryIds.map((id) => moveId(id, copy)),
        executionIds: scenario.expected.executionIds.map((id) => moveId(id, copy)),
      },
    }));
}
