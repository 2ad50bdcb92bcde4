/**
 * `npm run tools record:failures [-- --version <n8n version>] [--unseen] [--to <directory>]`: plays every kind of failure, of
 * silent and of ordinary success on a real n8n, and saves n8n's answers in
 * `test/recorded-n8n/recording/failures/<version>.json`; with `--unseen` those of the second hold-out that are kept, in
 * `unseen/`, or all of them in another directory.
 * Promises: what is saved is n8n's own answer, but for paths and ports of the machine; a recording that still names
 * the machine is refused. A kind that could not be played is left out and told, and the command ends with 1.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import * as z from "zod";
import { bootN8n, type RunningN8n } from "../../test/real-n8n/boot.ts";
import { installN8n } from "../../test/real-n8n/install.ts";
import { plannedKinds } from "../../test/real-n8n/kinds/index.ts";
import { startKindServices } from "../../test/real-n8n/kinds/services.ts";
import { type PlannedKind, type PlayedKind, play } from "../../test/real-n8n/kinds/stage.ts";
import { callApi } from "../../test/real-n8n/n8n-api.ts";
import { listExecutionsAfter } from "../../test/real-n8n/n8n-database.ts";
import { startScriptedModel } from "../../test/real-n8n/scripted-model.ts";
import { unseenScripts } from "../../test/real-n8n/unseen/agents.ts";
import { keptKinds, unseenKinds } from "../../test/real-n8n/unseen/index.ts";
import { startOddServices } from "../../test/real-n8n/unseen/odd-services.ts";
import { type N8nVersion, readN8nVersion } from "../../test/real-n8n/versions.ts";
import { failuresDirectory, unseenDirectory } from "../../test/recorded-n8n/failures.ts";

const executionAnswer = z.looseObject({ id: z.string(), workflowData: z.looseObject({}) });
const workflowAnswer = z.looseObject({ activeVersion: z.looseObject({}).nullish() });
const workflowList = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

/** Which kinds are played, and where n8n's answers to them go. */
interface Recorded {
  readonly version: N8nVersion;
  readonly isUnseen: boolean;
  readonly directory: string;
}

/** The newest agent that each has. */
const AGENT: Readonly<Record<N8nVersion, number>> = { "2.40.5": 3.1, "1.123.81": 3, "1.100.1": 2 };
/** Seconds after which code is ended: of the kinds, one never ends. */
const CODE_LIMIT = { N8N_RUNNERS_TASK_TIMEOUT: "3" };

async function main({ version, isUnseen, directory }: Recorded): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const installation = await installN8n(version, console.log);
  const services = resources.adopt(await startKindServices(), async (server) => await server.close());
  const odd = resources.adopt(await startOddServices(), async (server) => await server.close());
  const model = resources.adopt(
    await startScriptedModel(unseenScripts),
    async (server) => await server.close(),
  );
  const n8n = resources.adopt(
    await bootN8n(installation, { log: console.log, ...(isUnseen ? { environment: CODE_LIMIT } : {}) }),
    async (running) => await running.stop(),
  );
  const unseen = unseenKinds({ odd, model, agentVersion: AGENT[version] });
  const isKept = ({ name }: PlannedKind): boolean =>
    directory !== unseenDirectory || keptKinds[version].includes(name);
  const planned: readonly PlannedKind[] = isUnseen ? unseen.filter(isKept) : plannedKinds;
  const kinds: PlayedKind[] = [];
  for (const kind of planned) {
    const started = Date.now();
    try {
      const played = await play(n8n, services, kind);
      console.log(`${played.name}: ${played.executionIds.join(" ")} (${Date.now() - started} ms)`);
      kinds.push(played);
    } catch (error) {
      console.error(`${kind.name} could not be played: ${String(error)}`);
      process.exitCode = 1;
    }
  }
  await save(`${directory}/${version}.json`, { kinds, ...(await readAll(n8n)) }, [
    [`${installation.directory}/node_modules/n8n/`, "/usr/local/lib/node_modules/n8n/"],
    [`${installation.directory}/node_modules/`, "/usr/local/lib/node_modules/n8n/node_modules/"],
    [n8n.baseUrl.slice("http://".length), "127.0.0.1:5678"],
    [new URL(services.url).host, "127.0.0.1:9098"],
    [new URL(services.secureUrl).host, "127.0.0.1:9443"],
    [new URL(odd.url).host, "127.0.0.1:9096"],
    [new URL(model.urlOf("")).host, "127.0.0.1:9097"],
    [`"port":${new URL(services.url).port}`, '"port":9098'],
    [`"port":${new URL(services.secureUrl).port}`, '"port":9443'],
  ]);
}

interface Saved {
  readonly executions: readonly { answer: unknown; snapshot: number; status: string }[];
  readonly snapshots: readonly unknown[];
  readonly workflows: readonly unknown[];
}

async function readAll(n8n: RunningN8n): Promise<Saved> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.readKey };
  const snapshots: string[] = [];
  const executions: Saved["executions"][number][] = [];
  for (const { id, status } of listExecutionsAfter(n8n, 0)) {
    const read = await callApi(access, "GET", `/executions/${id}?includeData=true`);
    const { workflowData, ...answer } = executionAnswer.parse(read);
    const snapshot = JSON.stringify(workflowData);
    if (!snapshots.includes(snapshot)) snapshots.push(snapshot);
    executions.push({ answer: withoutLongStacks(answer), snapshot: snapshots.indexOf(snapshot), status });
  }
  const { data } = workflowList.parse(await callApi(access, "GET", "/workflows?limit=250"));
  const workflows: unknown[] = [];
  for (const { id } of data)
    workflows.push(withoutSecondCopy(await callApi(access, "GET", `/workflows/${id}`)));
  return { executions, snapshots: snapshots.map((text): unknown => JSON.parse(text)), workflows };
}

/** What is published is mostly what is edited, and then it need not be saved twice: the reader puts it back. */
function withoutSecondCopy(answer: unknown): unknown {
  const { activeVersion, ...workflow } = workflowAnswer.parse(answer);
  if (!activeVersion) return answer;
  const { nodes, connections, ...version } = activeVersion;
  const isSame = isDeepStrictEqual({ nodes, connections }, pick(workflow));
  return isSame ? { ...workflow, activeVersion: version } : answer;
}

const pick = ({ nodes, connections }: Readonly<Record<string, unknown>>) => ({ nodes, connections });

/** Frames of a stack beyond the first three say nothing but where n8n's own code stands. */
function withoutLongStacks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLongStacks);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "stack" && typeof each === "string" ? shortStack(each) : withoutLongStacks(each),
    ]),
  );
}

function shortStack(stack: string): string {
  const lines = stack.split("\n");
  const first = lines.findIndex((line) => line.startsWith("    at "));
  return first === -1 ? stack : lines.slice(0, first + 3).join("\n");
}

async function save(
  path: string,
  { kinds, executions, snapshots, workflows }: Saved & { readonly kinds: readonly PlayedKind[] },
  replacements: readonly (readonly [string, string])[],
): Promise<void> {
  const lines = (all: readonly unknown[]): string =>
    `[\n${all.map((each) => JSON.stringify(each)).join(",\n")}\n]`;
  const parts = { kinds, executions, snapshots, workflows };
  const written = Object.entries(parts).map(([name, all]) => `${JSON.stringify(name)}:${lines(all)}`);
  const text = replacements.reduce(
    (replaced, [from, to]) => replaced.replaceAll(from, to),
    `{${written.join(",\n")}}\n`,
  );
  const telling = [homedir(), tmpdir()].find((path) => path !== "/" && text.includes(`${path}/`));
  if (telling !== undefined) throw new Error(`The recording names a path of this machine, below ${telling}.`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  console.log(`Saved ${executions.length} executions, ${Math.round(text.length / 1024)} kB`);
}

const { values } = parseArgs({
  options: {
    version: { type: "string" },
    unseen: { type: "boolean", default: false },
    to: { type: "string" },
  },
});
await main({
  version: readN8nVersion(values.version === undefined ? [] : ["--version", values.version]),
  isUnseen: values.unseen,
  directory: values.to ?? (values.unseen ? unseenDirectory : failuresDirectory),
});
