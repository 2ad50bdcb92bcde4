/** The progress reports of a trace: matches at once, counts after each page. Failed ones surface with the next page. */
import { quoted } from "../../platform/display-name.ts";
import { type ReportProgress, readSoFar } from "../scan/stop-facts.ts";
import type { TracedExecution } from "../store/traced-execution.ts";

export class TraceProgress {
  readonly #report: ReportProgress;
  /** Pending reports, awaited with the next page. */
  #reports: Promise<void>[] = [];
  #reportedRead = 0;

  constructor(report: ReportProgress) {
    this.#report = report;
  }

  /** @param read how many executions were read before */
  found(kind: "Found" | "Mentioned", execution: TracedExecution, read: number): void {
    const report = this.#report(read, foundMessage(kind, execution));
    // Avoids an unhandled rejection: it may fail long before it is awaited.
    report.catch(() => {});
    this.#reports.push(report);
  }

  /** @throws the error of a failed report */
  async settle(): Promise<void> {
    const reports = this.#reports;
    this.#reports = [];
    await Promise.all(reports);
  }

  /** Does not report a look that read nothing new. @param back start of the last execution read, ISO 8601 */
  async page(read: number, back: string | null): Promise<void> {
    if (read <= this.#reportedRead) return;
    this.#reportedRead = read;
    await this.#report(read, readSoFar(read, back));
  }

  /** Before anything was read. @param known the execution, or the id of one that an earlier trace has found */
  async begin(known: TracedExecution | string | undefined): Promise<void> {
    if (typeof known === "string")
      await this.#report(0, `Found: execution ${known}, known from an earlier trace`);
    else if (known !== undefined) await this.#report(0, foundMessage("Found", known));
    // The scan has started meanwhile and may have reported more.
    else if (this.#reportedRead === 0) await this.#report(0, "Reading executions, newest first");
  }
}

const foundMessage = (
  kind: "Found" | "Mentioned",
  { id, workflowName, workflowId, status }: TracedExecution,
) => `${kind}: execution ${id} of ${quoted(workflowName ?? workflowId)}, status ${status}`;
