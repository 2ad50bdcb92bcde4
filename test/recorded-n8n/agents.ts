/**
 * The recorded kinds of agent runs, as `scripts/tools/record-agents.ts` saved them: n8n's answers with data, and the
 * counts of the model's server.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { RecordedVersion } from "../real-n8n/versions.ts";

export const agentsDirectory = join(dirname(fileURLToPath(import.meta.url)), "recording", "agents");

const recordedAgents = z.array(
  z.object({
    kind: z.string(),
    served: z.object({ completions: z.number(), promptTokens: z.number(), completionTokens: z.number() }),
    answer: z.record(z.string(), z.unknown()),
  }),
);
export type RecordedAgent = z.infer<typeof recordedAgents>[number];

/** In the order of execution. */
export async function readAgents(version: RecordedVersion): Promise<RecordedAgent[]> {
  return recordedAgents.parse(JSON.parse(await readFile(join(agentsDirectory, `${version}.json`), "utf8")));
}
