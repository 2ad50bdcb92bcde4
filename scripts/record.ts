/**
 * `npm run record`: records the answers of a real n8n for the recorded one, into `test/recorded-n8n/recording/`.
 * Promises: what is saved is n8n's own words, except for paths and ports of the machine, which are replaced by
 * those of a usual installation; a recording that still names the machine is refused, and so is one from which
 * `recording.ts` could not give back exactly what n8n answered.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { bootN8n, type RunningN8n } from "../test/real-n8n/boot.ts";
import { fill } from "../test/real-n8n/fill.ts";
import { installN8n, n8nVersion } from "../test/real-n8n/install.ts";
import { callApi, listExecutionsAfter } from "../test/real-n8n/n8n-api.ts";
import { holdsRequestId, readAllExecutions } from "../test/real-n8n/naive-reader.ts";
import { type Scenario, sendScenarios } from "../test/real-n8n/scenarios.ts";
import { seedWorkflows } from "../test/real-n8n/seed.ts";
import { startUpstream } from "../test/real-n8n/upstream.ts";
import { type ExecutionForms, recordingDirectory } from "../test/recorded-n8n/recording.ts";

/** Small enough for the repository: about 300 kB in the answer, where the real lane sends 20 MB. */
const bigItems = 60;
const fillerCount = 40;

const answers = z.record(z.string(), z.unknown());
type Answer = z.infer<typeof answers>;
const list = z.object({ data: z.array(answers) });

/** One execution as saved: its fullest answer, with the workflow's snapshot kept apart. */
interface SavedExecution {
  answer: Answer;
  snapshot: number;
}

async function main(): Promise<void> {
  const installation = await installN8n(console.log);
  const upstream = await startUpstream();
  const n8n = await bootN8n(installation, console.log);
  try {
    const seeded = await seedWorkflows(n8n, upstream.url);
    const scenarios = await sendScenarios(n8n, seeded, upstream, { bigItems });
    const fillers = await fill(n8n, fillerCount);
    const replacements: [string, string][] = [
      [`${installation.directory}/node_modules/n8n/`, "/usr/local/lib/node_modules/n8n/"],
      [`${installation.directory}/node_modules/`, "/usr/local/lib/node_modules/n8n/node_modules/"],
      [n8n.baseUrl.slice("http://".length), "127.0.0.1:5678"],
      [upstream.url.slice("http://".length), "127.0.0.1:9099"],
    ];
    await save(await record(n8n, scenarios, fillers), replacements);
  } finally {
    await n8n.stop();
    await upstream.close();
  }
}

async function record(
  n8n: RunningN8n,
  scenarios: Scenario[],
  fillers: string[],
): Promise<Record<string, unknown>> {
  const get = (path: string) => callApi({ baseUrl: n8n.baseUrl, key: n8n.readKey }, "GET", path);
  const { executions, snapshots, forms } = await recordExecutions(n8n);
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
    discover: [
      { key: "read", answer: await get("/discover") },
      { key: "write", answer: await callApi(writeAccess, "GET", "/discover") },
    ],
    manifest: {
      n8nVersion,
      recordedAt: new Date().toISOString(),
      forms,
      scenarios,
      fillers: await findFillers(n8n, fillers),
    },
  };
}

/** Request id of each filler → its execution. */
async function findFillers(
  n8n: RunningN8n,
  requestIds: string[],
): Promise<{ requestId: string; executionId: string }[]> {
  const all = await readAllExecutions(n8n.baseUrl, n8n.readKey);
  return requestIds.map((requestId) => {
    const found = all.find((execution) => holdsRequestId(execution, requestId));
    if (!found) throw new Error(`n8n has no execution of the filler ${requestId}.`);
    return { requestId, executionId: found.id };
  });
}

async function recordExecutions(n8n: RunningN8n): Promise<{
  executions: SavedExecution[];
  snapshots: unknown[];
  forms: ExecutionForms;
}> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.readKey };
  const get = (path: string) => callApi(access, "GET", path);
  const executions: SavedExecution[] = [];
  const snapshots: string[] = [];
  const forms = new FormCollector();
  for (const { id, status } of await listExecutionsAfter(access, 0)) {
    const answer = answers.parse(await get(`/executions/${id}?includeData=true`));
    const filter = status === "running" ? "&status=running" : "";
    const cursor = Buffer.from(JSON.stringify({ lastId: String(Number(id) + 1), limit: 1 })).toString(
      "base64",
    );
    const [item] = list.parse(await get(`/executions?cursor=${cursor}${filter}`)).data;
    const [itemWithData] = list.parse(
      await get(`/executions?includeData=true&cursor=${cursor}${filter}`),
    ).data;
    forms.add(answer, "item", item);
    forms.add(answer, "itemWithData", itemWithData);
    forms.add(answer, "detail", answers.parse(await get(`/executions/${id}`)));
    forms.add(answer, "detailWithData", answer);

    const { workflowData, ...rest } = answer;
    const snapshot = JSON.stringify(workflowData);
    if (!snapshots.includes(snapshot)) snapshots.push(snapshot);
    executions.push({ answer: rest, snapshot: snapshots.indexOf(snapshot) });
  }
  return { executions, snapshots: snapshots.map((text) => JSON.parse(text)), forms: forms.forms };
}

/** Learns which keys, in which order, n8n gives in each form of an execution, and that they are all in the fullest. */
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

async function save(recording: Record<string, unknown>, replacements: [string, string][]): Promise<void> {
  await rm(recordingDirectory, { recursive: true, force: true });
  await mkdir(recordingDirectory, { recursive: true });
  let total = 0;
  for (const [name, content] of Object.entries(recording)) {
    let text = toText(content);
    for (const [from, to] of replacements) text = text.replaceAll(from, to);
    refuseMachineNames(name, text);
    await writeFile(join(recordingDirectory, `${name}.json`), text);
    total += Buffer.byteLength(text);
  }
  console.log(`Saved ${Math.round(total / 1024)} kB into ${recordingDirectory}`);
}

/** Lists have one element a line, so that a difference between two recordings can be read. */
function toText(content: unknown): string {
  if (!Array.isArray(content)) return `${JSON.stringify(content, null, 1)}\n`;
  return `[\n${content.map((element) => JSON.stringify(element)).join(",\n")}\n]\n`;
}

function refuseMachineNames(name: string, text: string): void {
  for (const path of [homedir(), tmpdir(), process.cwd()]) {
    const at = text.indexOf(`${path}/`);
    if (at >= 0)
      throw new Error(`The recording ${name} names this machine: …${text.slice(at - 80, at + 80)}…`);
  }
}

await main();
