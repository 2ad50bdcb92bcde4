/**
 * `npm run tools record:failures`: plays every kind of failure, of silent and of ordinary success on a real n8n, and
 * saves n8n's answers in `test/recorded-n8n/recording/failures/<version>.json`; with `--unseen` the kept kinds of the
 * second hold-out, in `unseen/`, or all of them in another directory.
 * Promises: saves n8n's own answers, in which paths and ports of the machine are replaced; refuses a recording that
 * still names the machine. Reports and leaves out a kind that could not be played, and then exits 1.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { RunningN8n } from "../../test/real-n8n/boot.ts";
import { plannedKinds } from "../../test/real-n8n/kinds/index.ts";
import { startKindServices } from "../../test/real-n8n/kinds/services.ts";
import { type PlannedKind, type PlayedKind, play } from "../../test/real-n8n/kinds/stage.ts";
import { callApi } from "../../test/real-n8n/n8n-api.ts";
import { listExecutionsAfter } from "../../test/real-n8n/n8n-database.ts";
import { startScriptedModel } from "../../test/real-n8n/scripted-model.ts";
import { unseenScripts } from "../../test/real-n8n/unseen/agents.ts";
import { keptKinds, unseenKinds } from "../../test/real-n8n/unseen/index.ts";
import { startOddServices } from "../../test/real-n8n/unseen/odd-services.ts";
import {
  type RecordedVersion,
  recordedVersions,
  toRecordedVersion,
  VERSION_OPTION,
} from "../../test/real-n8n/versions.ts";
import { failuresDirectory, unseenDirectory } from "../../test/recorded-n8n/failures.ts";
import { flag, text } from "../command-line/arguments.ts";
import { runScript } from "../command-line/command.ts";
import { onRealN8n } from "../record/on-real-n8n.ts";
import { type Replacement, saveRecording, toLines, usualPlaces } from "../record/save-recording.ts";

const executionAnswer = z.looseObject({ id: z.string(), workflowData: z.looseObject({}) });
const workflowAnswer = z.looseObject({ activeVersion: z.looseObject({}).nullish() });
const workflowList = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

const USAGE = `Plays every kind of failure, of silent and of ordinary success on a real n8n, and saves n8n's answers.

  npm run tools record:failures -- [options]

  --version <version>  ${recordedVersions.join(", ")}; without it, the first
  --unseen             plays the second hold-out
  --to <directory>     saves all of it here`;

/** The newest agent node of each version. */
const AGENT: Readonly<Record<RecordedVersion, number>> = {
  "2.40.5": 3.1,
  "1.123.81": 3,
  "1.100.1": 2,
};
/** Timeout of code nodes in seconds: the code of one kind never ends. */
const CODE_LIMIT = { N8N_RUNNERS_TASK_TIMEOUT: "3" };

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

/** The published version is mostly the edited one: then it is saved once, and the reader restores it. */
function withoutSecondCopy(answer: unknown): unknown {
  const { activeVersion, ...workflow } = workflowAnswer.parse(answer);
  if (!activeVersion) return answer;
  const { nodes, connections, ...version } = activeVersion;
  const isSame = isDeepStrictEqual({ nodes, connections }, pick(workflow));
  return isSame ? { ...workflow, activeVersion: version } : answer;
}

const pick = ({ nodes, connections }: Readonly<Record<string, unknown>>) => ({ nodes, connections });

/** Keeps three frames of a stack: further ones only name places in n8n's own code. */
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

/** @returns the kinds that could be played */
async function playAll(
  n8n: RunningN8n,
  services: Parameters<typeof play>[1],
  planned: readonly PlannedKind[],
): Promise<PlayedKind[]> {
  const kinds: PlayedKind[] = [];
  for (const kind of planned) {
    const started = Date.now();
    try {
      const played = await play(n8n, services, kind);
      console.log(`${played.name}: ${played.executionIds.join(" ")} (${Date.now() - started} ms)`);
      kinds.push(played);
    } catch (error) {
      console.error(`${kind.name} could not be played: ${String(error)}`);
    }
  }
  return kinds;
}

const portOf = (url: string, to: number): Replacement => [`"port":${new URL(url).port}`, `"port":${to}`];

const OPTIONS = { version: VERSION_OPTION, unseen: flag, to: text } as const;

await runScript(USAGE, { options: OPTIONS }, async ({ values: { version: typed, unseen, to } }) => {
  const version = toRecordedVersion(typed);
  const directory = to ?? (unseen ? unseenDirectory : failuresDirectory);
  const isKept = ({ name }: PlannedKind): boolean =>
    directory !== unseenDirectory || keptKinds[version].includes(name);
  return await onRealN8n(
    version,
    async (n8n, keep) => {
      const services = await keep(startKindServices());
      const odd = await keep(startOddServices());
      const model = await keep(startScriptedModel(unseenScripts));
      const planned: readonly PlannedKind[] = unseen
        ? unseenKinds({ odd, model, agentVersion: AGENT[version] }).filter(isKept)
        : plannedKinds;
      const kinds = await playAll(n8n, services, planned);
      const parts = Object.entries({ kinds, ...(await readAll(n8n)) });
      const text = parts.map(([name, all]) => `${JSON.stringify(name)}:${toLines(all)}`).join(",\n");
      const { url, secureUrl } = services;
      await saveRecording(`${directory}/${version}.json`, `{${text}}`, [
        ...usualPlaces(n8n, { 9098: url, 9443: secureUrl, 9096: odd.url, 9097: model.urlOf("") }),
        portOf(url, 9098),
        portOf(secureUrl, 9443),
      ]);
      return kinds.length === planned.length ? 0 : 1;
    },
    unseen ? CODE_LIMIT : {},
  );
});
