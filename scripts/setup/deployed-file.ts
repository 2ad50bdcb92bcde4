/**
 * Stores facts about the deployed Worker, because secrets cannot be read back from Cloudflare. The file holds no
 * secret: only hashes of tokens.
 */

import * as z from "zod";
import { CommandError } from "../command-line/command-error.ts";
import { readText, writeWhole } from "./env-file.ts";

const deployedWorker = z.object({
  worker: z.string(),
  origin: z.string(),
  /** As the setting SERVICE_TOKENS holds them. */
  serviceTokens: z.string(),
  accountId: z.string().optional(),
});
export type DeployedWorker = z.infer<typeof deployedWorker>;

/** Whether a Worker is the one that was deployed. One of the same name on another account is not. */
export const isDeployed = (
  deployed: DeployedWorker,
  { name, accountId }: { readonly name: string; readonly accountId: string | undefined },
): boolean =>
  deployed.worker === name &&
  (deployed.accountId === undefined || accountId === undefined || deployed.accountId === accountId);

/** @throws CommandError when the file is not as it was written */
export async function readDeployedWorker(path: string): Promise<DeployedWorker | undefined> {
  const text = await readText(path);
  if (text === "") return undefined;
  try {
    return deployedWorker.parse(JSON.parse(text));
  } catch {
    throw new CommandError(
      ".deployed.json is not as npm run setup wrote it. Delete it, and run npm run setup -- --deploy again.",
    );
  }
}

/** @throws CommandError when it cannot be written */
export async function writeDeployedWorker(path: string, worker: DeployedWorker): Promise<void> {
  await writeWhole(path, `${JSON.stringify(worker, null, 2)}\n`);
}
