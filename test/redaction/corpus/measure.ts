/** Recall and precision of the redactor: on the corpus, on ordinary data, and on the recorded n8n. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { canaryPattern } from "../../real-n8n/canaries.ts";
import { recordingDirectory } from "../../recorded-n8n/recording.ts";
import { type Case, formedCases, namedCases } from "./carriers.ts";
import { ordinaryRecord } from "./ordinary.ts";
import { createRandom } from "./random.ts";
import { formedSecrets, namedSecrets, tableSecrets } from "./secrets.ts";

const ROUNDS = 3;

/** Every kind in every carrier, in three rounds, and each form of the table in every carrier. */
export function createCases(seed = 1): Case[] {
  const random = createRandom(seed);
  const rounds = Array.from({ length: ROUNDS }).flatMap(() => [
    ...namedSecrets(random).flatMap(namedCases),
    ...formedSecrets(random).flatMap(formedCases),
  ]);
  return [...rounds, ...tableSecrets(random).flatMap(formedCases)];
}

export interface Recall {
  readonly cases: number;
  readonly missed: readonly Case[];
}

export function measureRecall(cases: readonly Case[]): Recall {
  const redact = createRedactor([]);
  const missed = cases.filter(({ value, secrets }) => {
    const shown = JSON.stringify(redact(value).value);
    const plain = shown.replaceAll('\\"', '"').replaceAll("\\\\", "\\");
    return secrets.some((secret) => shown.includes(secret) || plain.includes(secret));
  });
  return { cases: cases.length, missed };
}

/** A field whose value was redacted. */
interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface Precision {
  readonly fields: number;
  readonly wrong: readonly Change[];
}

interface Compared {
  fields: number;
  readonly changes: Change[];
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function compare(before: unknown, after: unknown, path: string, compared: Compared): void {
  if (isContainer(before) && isContainer(after)) {
    for (const [key, value] of Object.entries(before)) {
      compare(value, Reflect.get(after, key), `${path}.${key}`, compared);
    }
    return;
  }
  compared.fields += 1;
  const [was, is] = [JSON.stringify(before), JSON.stringify(after) ?? "(gone)"];
  if (was !== is) compared.changes.push({ path, before: was, after: is });
}

function precisionOn(value: unknown, isRight: (change: Change) => boolean): Precision {
  const compared: Compared = { fields: 0, changes: [] };
  compare(value, createRedactor([])(value).value, "", compared);
  return { fields: compared.fields, wrong: compared.changes.filter((change) => !isRight(change)) };
}

export function measureOrdinary(records: number, seed = 1): Precision {
  const random = createRandom(seed);
  return precisionOn(
    Array.from({ length: records }, () => ordinaryRecord(random)),
    () => false,
  );
}

/** Expected redactions in the recording: planted secrets, n8n's own state, resume links, paths in stacks. */
function isExpected({ path, before }: Change): boolean {
  if (canaryPattern.test(before)) return true;
  if (/\.(?:resumeToken|runtimeData|pushRef|staticData|pinData)$/.test(path)) return true;
  if (/\.(?:resumeUrl|url)$/.test(path)) return before.includes("signature=");
  return path.endsWith("stack") && /at .*\/usr\/local\/lib\/node_modules/.test(before);
}

const RECORDED = ["executions", "workflows", "workflow-details", "workflow-snapshots", "discover", "tags"];

export async function measureRecorded(): Promise<Precision> {
  const results = await Promise.all(
    RECORDED.map(async (name) => {
      const value: unknown = JSON.parse(await readFile(join(recordingDirectory, `${name}.json`), "utf8"));
      return precisionOn(value, isExpected);
    }),
  );
  return {
    fields: results.reduce((sum, { fields }) => sum + fields, 0),
    wrong: results.flatMap(({ wrong }) => wrong),
  };
}

/** About `bytes` of data like the items that n8n sends. */
export function ordinaryValue(bytes: number): unknown[] {
  const random = createRandom(7);
  const one = JSON.stringify(ordinaryRecord(random)).length;
  return Array.from({ length: Math.ceil(bytes / one) }, () => ordinaryRecord(random));
}
