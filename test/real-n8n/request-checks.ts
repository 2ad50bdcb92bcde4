/** What became of each request: the part of the lane that every n8n undergoes. */
import type { AgentClient } from "../support/agent-client.ts";
import type { NaiveExecution } from "./naive-reader.ts";
import type { LaneReport } from "./report.ts";
import type { Scenario } from "./scenarios.ts";
import { checkNotFound, checkScenario, checkSearch } from "./trace-checks.ts";

/** What was sent, and all that n8n knows. */
export interface SentRequests {
  readonly scenarios: Scenario[];
  readonly all: NaiveExecution[];
  /** How many ordinary executions there are beside them. */
  readonly fillers: number;
}

/** @param alsoAnew asks about each request once more, and has all read again for it */
export async function checkRequests(
  client: AgentClient,
  { scenarios, all, fillers }: SentRequests,
  report: LaneReport,
  alsoAnew: boolean,
): Promise<void> {
  for (const scenario of scenarios) {
    const check = async (deep: boolean) => await checkScenario(client, scenario, all, deep);
    // The first one reads everything in any case.
    if (alsoAnew)
      await report.check(`${scenario.name}, all read anew`, async () => await check(true), scenario.name);
    await report.check(`${scenario.name}, over known history`, async () => await check(false), scenario.name);
  }
  await report.check("a search finds the executions of a request id, and nothing else", async () =>
    checkSearch(client, scenarios, all),
  );
  await report.check("an id that was never sent", async () => await checkNotFound(client, fillers));
}
