/**
 * `npm run tools record`: records the answers of a real n8n for the recorded one, into
 * `test/recorded-n8n/recording/`.
 * Promises: saves n8n's own answers, in which paths and ports of the machine are replaced by those of a usual
 * installation; refuses a recording that still names the machine, and one from which `recording.ts` could not restore
 * exactly what n8n answered.
 */
import { join } from "node:path";
import * as z from "zod";
import type { RunningN8n } from "../../test/real-n8n/boot.ts";
import { fill } from "../../test/real-n8n/fill.ts";
import { callApi } from "../../test/real-n8n/n8n-api.ts";
import { type ExecutionItem, listExecutionsAfter } from "../../test/real-n8n/n8n-database.ts";
import { holdsRequestId, readAllExecutions } from "../../test/real-n8n/naive-reader.ts";
import { type Scenario, sendScenarios } from "../../test/real-n8n/scenarios.ts";
import { seedWorkflows } from "../../test/real-n8n/seed.ts";
import { startUpstream } from "../../test/real-n8n/upstream.ts";
import {
  defaultN8nVersion,
  type RecordedVersion,
  recordedVersions,
  toRecordedVersion,
  VERSION_OPTION,
} from "../../test/real-n8n/versions.ts";
import { dialectOf } from "../../test/recorded-n8n/dialects.ts";
import { type ExecutionForms, recordingDirectoryOf } from "../../test/recorded-n8n/recording.ts";
import { runScript } from "../command-line/command.ts";
import { onRealN8n } from "../record/on-real-n8n.ts";
import { recordReplies } from "../record/replies.ts";
import { saveRecording, toLines, usualPlaces } from "../record/save-recording.ts";

const USAGE = `Records the answers of a real n8n for the recorded one, into test/recorded-n8n/recording.

  npm run tools record -- [options]

  --version <version>  ${recordedVersions.join(", ")}; without it, the first`;

/**
 * Small enough for the repository: the big payload has about 300 kB in the answer, where the real lane sends 20 MB.
 * Recordings of an old n8n only show what differs.
 */
const sizes = { bigItems: 60, fillers: 40 };
const sizesOfOldN8n = { bigItems: 8, fillers: 4 };

const answers = z.record(z.string(), z.unknown());
type Answer = z.infer<typeof answers>;
const list = z.object({ data: z.array(answers) });

/** One execution as saved: its fullest answer, with the workflow's snapshot stored separately. */
interface SavedExecution {
  answer: Answer;
  snapshot: number;
  /** From n8n's database: the answers of an old n8n have none. */
  status: string;
}

type Get = (path: string) => Promise<unknown>;

async function record(
  n8n: RunningN8n,
  scenarios: Scenario[],
  fillers: string[],
): Promise<Record<string, unknown>> {
  const get: Get = (path) => callApi({ baseUrl: n8n.baseUrl, key: n8n.readKey }, "GET", path);
  const version = toRecordedVersion(n8n.installation.version);
  const { executions, snapshots, forms } = await recordExecutions(n8n, get);
  const workflows = list.parse(await get("/workflows?limit=250")).data;
  const details: unknown[] = [];
  for (const { id } of workflows) details.push(await get(`/workflows/${id}`));
  const writeAccess = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  return {
    executions,
    "workflow-snapshots": snapshots,
    workflows,
    "workflow-details": details,
    tags: list.parse(await get("/tags?limit=250")).data,
    discover: dialectOf(version).discovers
      ? [
          { key: "read", answer: await get("/discover") },
          { key: "write", answer: await callApi(writeAccess, "GET", "/discover") },
        ]
      : [],
    replies: await recordReplies(n8n),
    manifest: {
      n8nVersion: version,
      recordedAt: new Date().toISOString(),
      forms,
      scenarios,
      fillers: findFillers(n8n, fillers),
    },
  };
}

/** Request id of each filler → its execution. */
function findFillers(n8n: RunningN8n, requestIds: string[]) {
  const all = readAllExecutions(n8n);
  return requestIds.map((requestId) => {
    const found = all.find((execution) => holdsRequestId(execution, requestId));
    if (!found) throw new Error(`n8n has no execution of the filler ${requestId}.`);
    return { requestId, executionId: found.id };
  });
}

async function recordExecutions(n8n: RunningN8n, get: Get) {
  const executions: SavedExecution[] = [];
  const snapshots: string[] = [];
  const forms = new FormCollector();
  for (const stored of listExecutionsAfter(n8n, 0)) {
    const { id, status } = stored;
    const answer = answers.parse(await get(`/executions/${id}?includeData=true`));
    if (isListed(stored, toRecordedVersion(n8n.installation.version))) {
      const filter = status === "running" ? "&status=running" : "";
      const cursor = Buffer.from(JSON.stringify({ lastId: String(Number(id) + 1), limit: 1 })).toString(
        "base64",
      );
      const read = async (data: string) =>
        list.parse(await get(`/executions?${data}cursor=${encodeURIComponent(cursor)}${filter}`)).data[0];
      forms.add(answer, "item", await read(""));
      forms.add(answer, "itemWithData", await read("includeData=true&"));
    }
    forms.add(answer, "detail", answers.parse(await get(`/executions/${id}`)));
    forms.add(answer, "detailWithData", answer);

    const { workflowData, ...rest } = answer;
    const snapshot = JSON.stringify(workflowData);
    if (!snapshots.includes(snapshot)) snapshots.push(snapshot);
    executions.push({ answer: rest, snapshot: snapshots.indexOf(snapshot), status });
  }
  return { executions, snapshots: snapshots.map((text): unknown => JSON.parse(text)), forms: forms.forms };
}

/** Some executions of an old n8n are in none of its lists. */
function isListed({ status }: ExecutionItem, version: RecordedVersion): boolean {
  const { statuses, unlisted } = dialectOf(version);
  return !unlisted.includes(status) || (status === "running" && statuses.includes(status));
}

/** Records the keys of each form of an execution, in n8n's order, and checks that the fullest form has them all. */
class FormCollector {
  readonly forms: ExecutionForms = { item: [], itemWithData: [], detail: [], detailWithData: [] };

  add(fullest: Answer, form: keyof ExecutionForms, answer: Answer | undefined): void {
    if (!answer) throw new Error(`n8n's list does not hold execution ${fullest.id}.`);
    const keys = Object.keys(answer);
    if (this.forms[form].length === 0) this.forms[form] = keys;
    const rebuilt = Object.fromEntries(this.forms[form].map((key) => [key, fullest[key]]));
    if (JSON.stringify(rebuilt) === JSON.stringify(answer)) return;
    const differing = keys.filter((key) => JSON.stringify(answer[key]) !== JSON.stringify(rebuilt[key]));
    throw new Error(`Execution ${fullest.id} as ${form} differs from its fullest answer in ${differing}.`);
  }
}

const toText = (content: unknown): string =>
  Array.isArray(content) ? toLines(content) : JSON.stringify(content, null, 1);

await runScript(USAGE, { options: { version: VERSION_OPTION } }, async ({ values }) => {
  const version = toRecordedVersion(values.version);
  const { bigItems, fillers: fillerCount } = version === defaultN8nVersion ? sizes : sizesOfOldN8n;
  await onRealN8n(version, async (n8n, keep) => {
    const upstream = await keep(startUpstream());
    const seeded = await seedWorkflows(n8n, upstream.url);
    const scenarios = await sendScenarios(n8n, seeded, upstream, { bigItems });
    const recording = await record(n8n, scenarios, await fill(n8n, fillerCount));
    const places = usualPlaces(n8n, { 9099: upstream.url });
    for (const [name, content] of Object.entries(recording))
      await saveRecording(join(recordingDirectoryOf(version), `${name}.json`), toText(content), places);
  });
});
