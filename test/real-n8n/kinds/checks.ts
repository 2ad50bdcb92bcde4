/**
 * Plays every kind on a real n8n of its own, explains it over MCP, and judges it like the recorded ones.
 * A kind that cannot be played fails the lane, and the Worker sends nothing but GET.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { judgeAll, shortcomingsOf, tallyOf } from "../../kinds/judge-all.ts";
import { EXPLAIN_TOOL } from "../../kinds/recorded-kinds.ts";
import { type AgentClient, connectModern } from "../../support/agent-client.ts";
import { closeAtEnd } from "../../support/close-at-end.ts";
import { SERVICE_TOKEN } from "../../support/test-worker.ts";
import { bootN8n, type RunningN8n } from "../boot.ts";
import { COUNTS, checkCounts } from "../counts.ts";
import { checkIncidents } from "../incidents.ts";
import { installN8n } from "../install.ts";
import type { LaneReport } from "../report.ts";
import { checkOnlyGet } from "../trace-checks.ts";
import { checkDay, DAY } from "../troubled-day.ts";
import type { N8nVersion } from "../versions.ts";
import { startWatchedWorker } from "../watched-worker.ts";
import { plannedKinds } from "./index.ts";
import { startKindServices } from "./services.ts";
import { type PlayedKind, play } from "./stage.ts";

/** The kind of check in the table of versions. */
export const KINDS = "why it failed, or did nothing";
/** The minimum share of strictly explained kinds. */
const NINE_OF_TEN = 0.9;
const rateLimited = z.looseObject({
  code: z.literal("RATE_LIMITED"),
  details: z.looseObject({ retryAfter: z.number() }),
});
const settings = { N8N_REQUESTS_PER_MINUTE: "20000" };

/** @param what incidents run only on request, as they kill n8n and take minutes */
export async function checkKinds(
  version: N8nVersion,
  report: LaneReport,
  what: readonly ("kinds" | "incidents")[],
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const log = (line: string): void => console.log(line);
  const n8n = closeAtEnd(resources, await bootN8n(await installN8n(version), { log }));
  const { watch, worker } = await startWatchedWorker(resources, n8n, settings);
  const client = closeAtEnd(resources, await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto"));
  await report.check(
    "eight troubles of a day are named by one call",
    async () => await checkDay(client, n8n),
    DAY,
  );
  const checkLater = what.includes("incidents") ? await checkIncidents(client, n8n, report) : async () => {};
  if (what.includes("kinds")) await playKinds(client, n8n, report);
  await checkLater();
  await report.check(
    "counts, failures and medians equal those in n8n's database",
    async () => await checkCounts(client, n8n),
    COUNTS,
  );
  await report.check("nothing but GET reached n8n for it", () => checkOnlyGet(watch), KINDS);
}

async function playKinds(client: AgentClient, n8n: RunningN8n, report: LaneReport): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const services = closeAtEnd(resources, await startKindServices());
  console.log(`playing ${plannedKinds.length} kinds of failures and successes`);
  const played: PlayedKind[] = [];
  await report.check(
    "every kind can be played",
    async () => {
      for (const kind of plannedKinds) played.push(await play(n8n, services, kind));
      return `${played.flatMap(({ executionIds }) => executionIds).length} executions`;
    },
    KINDS,
  );
  await report.check(
    "nine kinds of ten are explained, and no ordinary success raises an alarm",
    async () => {
      const judged = await judgeAll(played, async (executionId) => await explainInTurn(client, executionId));
      const tally = tallyOf(judged);
      const shortcomings = shortcomingsOf(judged).join("\n");
      if (tally.falseAlarms > 0 || tally.explained < NINE_OF_TEN * tally.kinds) throw new Error(shortcomings);
      console.log(shortcomings);
      return JSON.stringify(tally);
    },
    KINDS,
  );
}

/** Waits when refused, as a user may make a hundred calls in ten seconds. */
async function explainInTurn(client: AgentClient, executionId: string): Promise<Envelope> {
  const { envelope } = await client.call(EXPLAIN_TOOL, { executionId });
  const refusal = rateLimited.safeParse(envelope.data);
  if (!refusal.success) return envelope;
  await sleep(refusal.data.details.retryAfter * 1_000);
  return (await client.call(EXPLAIN_TOOL, { executionId })).envelope;
}
