/**
 * `explain_failure` and `get_execution` over the recorded kinds, alternately, through the boundary that every call
 * passes. n8n is in this process: its cost affects both alike.
 */
import { startRecordedKinds } from "../../test/kinds/recorded-kinds.ts";
import { defaultN8nVersion } from "../../test/real-n8n/versions.ts";
import { createCaller, settingsFor } from "../../test/support/call-recorded.ts";
import { asMilliseconds, asTimes, type Report } from "./report.ts";
import { median, medianOf } from "./statistics.ts";

const REPETITIONS = 7;

interface Times {
  readonly summary: number;
  readonly explanation: number;
  readonly requests: number;
}

export async function benchRecordedExplanations(report: Report): Promise<void> {
  const { kinds, n8n } = await startRecordedKinds(defaultN8nVersion);
  try {
    const caller = createCaller({ settings: settingsFor(n8n) });
    const timed = async (tool: string, args: object): Promise<number> => {
      const started = performance.now();
      const { status } = await caller.call(tool, args);
      if (status !== "success") throw new Error(`${tool} ${JSON.stringify(args)} was refused.`);
      return performance.now() - started;
    };
    const measured: Times[] = [];
    for (const executionId of kinds.flatMap(({ judgedIds }) => judgedIds)) {
      const [summaries, explanations]: [number[], number[]] = [[], []];
      let requests = 0;
      for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
        summaries.push(await timed("get_execution", { id: executionId }));
        n8n.requests.length = 0;
        explanations.push(await timed("explain_failure", { executionId }));
        requests = n8n.requests.length;
      }
      measured.push({
        summary: median(summaries),
        explanation: median(explanations),
        requests,
      });
    }
    for (const requests of [1, 2]) tell(report, requests, measured);
  } finally {
    await n8n.close();
  }
}

function tell(report: Report, requests: number, measured: readonly Times[]): void {
  const selected = measured.filter((one) => one.requests === requests);
  const summary = medianOf(selected, (one) => one.summary);
  const explanation = medianOf(selected, (one) => one.explanation);
  const what = `${selected.length} recorded executions of which it takes ${requests === 1 ? "one request" : "two requests"}`;
  report.tell(`summary of each of ${what}`, asMilliseconds(summary));
  report.tell("why it ended as it did", asMilliseconds(explanation));
  report.check(`explanation / summary of ${what}`, explanation / summary, { most: 1.5 }, asTimes);
}
