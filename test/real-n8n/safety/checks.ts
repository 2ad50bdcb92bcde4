/**
 * The security promises (SECURITY.md, docs/redaction.md), on a running Worker and a real n8n: secrets of each kind
 * are posted to webhooks, and then requested in every way.
 * It uses users of its own, without earlier calls, and adds executions and workflows.
 */
import { connectFirst, connectModern } from "../../support/agent-client.ts";
import { signIn } from "../../support/oauth-client.ts";
import { PASSPHRASE, type TestWorker } from "../../support/test-worker.ts";
import type { RunningN8n } from "../boot.ts";
import type { LaneReport } from "../report.ts";
import type { Upstream } from "../upstream.ts";
import type { Watch } from "../watch.ts";
import { checkCutTexts } from "./cut-texts.ts";
import { checkErrorClasses } from "./error-classes.ts";
import { checkErrorTexts } from "./error-texts.ts";
import { checkForms } from "./forms.ts";
import { checkFrontDoor, checkTraceWithoutData } from "./front-door.ts";
import { checkGuesses } from "./guesses.ts";
import { paced, type SafetyLane } from "./lane.ts";
import { checkNames } from "./names.ts";
import { seedSafety } from "./seed.ts";
import { checkShapes } from "./shapes.ts";
import { checkSlowTexts } from "./slow-texts.ts";
import { checkBorrowedWords, checkHiddenFailures, checkPoison, checkUninvited } from "./strangers.ts";
import { checkAccountNumbers, checkTellingNodes } from "./what-stays.ts";

/** Tokens of further users for the Worker. */
export const safetyTokens = {
  "safety-data": "safety-token-of-one-user-0123456789",
  "safety-other": "safety-token-of-another-user-0123456789",
} as const;

/** The kind of check in the table of versions. */
const SAFETY = "security promises";

interface Check {
  readonly name: string;
  /** @param startedAfter the start of its own requests, ISO 8601 */
  readonly run: (lane: SafetyLane, startedAfter: string) => Promise<string>;
}

const checks: readonly Check[] = [
  { name: "a right guess at a secret and a wrong one are the same", run: checkGuesses },
  { name: "values under telling names are hidden, others stay", run: checkNames },
  { name: "providers' tokens are hidden wherever they stand", run: checkForms },
  { name: "secrets are hidden in whatever shape they stand", run: checkShapes },
  { name: "texts that are cut show no secret", run: checkCutTexts },
  { name: "nodes called after secrets keep runs, output and connections", run: checkTellingNodes },
  { name: "numbers of cards and accounts show their last four digits", run: checkAccountNumbers },
  { name: "rows that were slow to redact stall nobody", run: checkSlowTexts },
  { name: "an error's own text is shown to nobody without n8n:data", run: checkErrorTexts },
  { name: "each class of errors that n8n throws is known", run: checkErrorClasses },
  { name: "the Worker answers its own host, and registers no client for other pages", run: checkFrontDoor },
  { name: "what strangers send later hides no failure", run: checkHiddenFailures },
  { name: "a body that speaks like n8n is not believed", run: checkBorrowedWords },
  { name: "a body that names an execution joins no tree", run: checkUninvited },
  { name: "an execution too large to be read whole is nobody else's gap", run: checkPoison },
  { name: "a trace without n8n:data tells no key and confirms no PIN", run: checkTraceWithoutData },
];

export interface Running {
  readonly n8n: RunningN8n;
  readonly watch: Watch;
  readonly upstream: Upstream;
  readonly worker: TestWorker;
}

export async function checkSafety(running: Running, report: LaneReport): Promise<void> {
  if (!report.canDo(SAFETY)) return;
  await using resources = new AsyncDisposableStack();
  const { mcpUrl } = running.worker;
  const workflows = await seedSafety(running.n8n, running.upstream.url);
  const [data, read, other] = await Promise.all([
    connectModern(mcpUrl, safetyTokens["safety-data"], "auto"),
    connectFirst(mcpUrl, await signIn(mcpUrl, PASSPHRASE, false)),
    connectModern(mcpUrl, safetyTokens["safety-other"], "auto"),
  ]);
  for (const client of [data, read, other]) resources.defer(async () => await client.close());
  const lane = { ...running, workflows, data: paced(data), read: paced(read), other: paced(other) };
  for (const { name, run } of checks) {
    const startedAfter = new Date().toISOString();
    await report.check(name, async () => await timed(async () => await run(lane, startedAfter)), SAFETY);
  }
}

async function timed(run: () => Promise<string>): Promise<string> {
  const began = performance.now();
  const note = await run();
  return `${note}; ${((performance.now() - began) / 1_000).toFixed(1)} s`;
}
