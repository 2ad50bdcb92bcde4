/**
 * The recorded kinds of failures and agent runs, as `scripts/tools/record-kinds.ts` saved them: n8n's answers with data.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { RecordedVersion } from "../real-n8n/versions.ts";

export const kindsDirectory = join(dirname(fileURLToPath(import.meta.url)), "recording", "kinds");

const recordedKinds = z.array(z.object({ kind: z.string(), answer: z.record(z.string(), z.unknown()) }));
export type RecordedKind = z.infer<typeof recordedKinds>[number];

/** In the order of execution. */
export async function readKinds(version: RecordedVersion): Promise<RecordedKind[]> {
  return recordedKinds.parse(JSON.parse(await readFile(join(kindsDirectory, `${version}.json`), "utf8")));
}
