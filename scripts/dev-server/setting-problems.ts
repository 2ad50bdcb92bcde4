/** Reads what a server on this machine reports about its settings, and renders it. */
import * as z from "zod";
import type { SettingProblem } from "../../src/settings/index.ts";

const startPage = z.looseObject({
  /** Names of the n8n instances; empty if the settings name none. */
  instances: z.array(z.string()).default([]),
  settingProblems: z.array(z.looseObject({ setting: z.string(), problem: z.string(), solution: z.string() })),
});

const ANSWER_TIMEOUT_MS = 10_000;

/** @throws Error when it does not answer as n8n-observer does */
export async function readStartPage(origin: string): Promise<z.infer<typeof startPage>> {
  const response = await fetch(`${origin}/`, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  return startPage.parse(await response.json());
}

/** Each problem with its fix; empty without problems. Pure. */
export function renderSettingProblems(problems: readonly SettingProblem[]): string {
  if (problems.length === 0) return "";
  const lines = problems.map(({ problem, solution }) => `  ${problem}\n    ${solution}`);
  return `Not ready yet. In .dev.vars:\n\n${lines.join("\n")}\n\nThen stop this with Ctrl-C, and call npm run dev again.\n`;
}
