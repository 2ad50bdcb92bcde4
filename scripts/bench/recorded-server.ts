/**
 * The recorded n8n in a process of its own. Arguments: the number of executions, the number of workflows besides the
 * recorded ones, and the minimum milliseconds of each answer.
 */
import * as z from "zod";
import { HOUR_MS } from "../../src/platform/durations.ts";
import { readRecording } from "../../test/recorded-n8n/recording.ts";
import { startRecordedN8n } from "../../test/recorded-n8n/server.ts";
import { endWithParent, sendToParent } from "./child-process.ts";
import { manyWorkflows } from "./many-workflows.ts";
import type { recordedServer } from "./servers.ts";

const [executions = 0, workflows = 0, milliseconds = 0] = process.argv.slice(2).map(Number);

const busy = z.looseObject({ id: z.string(), name: z.string() });

/** All of them are published, as on a busy instance. */
const further = manyWorkflows(workflows).map((one) => ({ ...busy.parse(one), active: true, tags: [] }));
const recording = await readRecording();
const { baseUrl, apiKey, scenariosOfCopy, copies, faults } = await startRecordedN8n({
  recording: { ...recording, workflows: [...recording.workflows, ...further] },
  multiplyTo: executions,
});
if (milliseconds > 0) faults.always({ kind: "slow", milliseconds });
// The last copy may lack some requests.
const oldest = scenariosOfCopy(Math.max(0, copies - 1))
  .map(({ requestId, expected }) => ({ requestId, executionIds: expected.executionIds }))
  .sort((a, b) => Math.min(...a.executionIds.map(Number)) - Math.min(...b.executionIds.map(Number)));
const [newest] = recording.manifest.scenarios.filter(({ expected }) => expected.executionIds.length > 0);
const entry = recording.executions.find(({ answer }) => newest?.expected.entryIds.includes(answer.id));
const startedAfter = new Date(Date.parse(entry?.answer.startedAt ?? "") - HOUR_MS).toISOString();
endWithParent();
sendToParent({
  n8n: { baseUrl, apiKey },
  oldest,
  newest: { requestId: newest?.requestId ?? "", startedAfter },
} satisfies z.infer<typeof recordedServer>);
