/** Traces of each request: the part of the lane that runs on every n8n. */
import type { AgentClient } from "../support/agent-client.ts";
import type { NaiveExecution } from "./naive-reader.ts";
import type { LaneReport } from "./report.ts";
import type { Scenario } from "./scenarios.ts";
import { checkNotFound, checkScenario, checkSearch } from "./trace-checks.ts";

/** The requests that were sent, and all executions. */
export interface SentRequests {
  readonly scenarios: Scenario[];
  readonly all: NaiveExecution[];
  /** The number of further, ordinary executions. */
  readonly fillers: number;
}

/** @param alsoAnew traces each request once more with a new reading of everything */
export async function checkRequests(
  client: AgentClient,
  { scenarios, all, fillers }: SentRequests,
  report: LaneReport,
  alsoAnew: boolean,
): Promise<void> {
  for (const scenario of scenarios) {
    const check = async (deep: boolean) => await checkScenario(client, scenario, all, deep);
    // The first trace reads everything in any case.
    if (alsoAnew)
      await report.check(`${scenario.name}, all read anew`, async () => await check(true), scenario.name);
    await report.check(`${scenario.name}, over known history`, async () => await check(false), scenario.name);
  }
  await report.check("a search finds the executions of a request id, and nothing else", async () =>
    checkSearch(client, scenarios, all),
  );
  await report.check("an id that was never sent", async () => await checkNotFound(client, fillers));
}
