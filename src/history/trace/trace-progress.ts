/**
 * What a trace tells while it runs: what is found, at once; how much was read, after each page. Whether telling went
 * well is seen to after the page.
 */
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import type { ReportProgress } from "../scan/stop-facts.ts";
import type { TracedExecution } from "../store/traced-execution.ts";

export class TraceProgress {
  readonly #report: ReportProgress;
  /** What is being told; each gives its failure, or null. */
  readonly #telling: Promise<unknown>[] = [];
  /** How many executions the client was told are read. */
  #toldRead = 0;

  constructor(report: ReportProgress) {
    this.#report = report;
  }

  /** Waited for with the next page. @param read how many were read before */
  found(kind: "Found" | "Mentioned", execution: TracedExecution, read: number): void {
    const told = this.#report(read, foundMessage(kind, execution));
    this.#telling.push(
      told.then(
        () => null,
        (error: unknown) => error,
      ),
    );
  }

  /** @throws what telling what was found failed with */
  async settle(): Promise<void> {
    const failure = (await Promise.all(this.#telling.splice(0))).find((error) => error !== null);
    if (failure !== undefined) throw failure;
  }

  /** Of a look into n8n's lists that showed nothing new, nothing is told. @param back how far, for people */
  async page(read: number, back: string | null): Promise<void> {
    if (read <= this.#toldRead) return;
    this.#toldRead = read;
    const where = back === null ? "" : `, back to ${back}`;
    await this.#report(read, `Read ${counted(read, "execution")}${where}`);
  }

  /** What is known before anything is asked of n8n. */
  async begin(known: { readonly execution?: TracedExecution; readonly id?: string }): Promise<void> {
    if (known.execution !== undefined) await this.#report(0, foundMessage("Found", known.execution));
    else if (known.id !== undefined)
      await this.#report(0, `Found: execution ${known.id}, known from an earlier trace`);
    // The scan has begun meanwhile, and may have told more than that.
    else if (this.#toldRead === 0) await this.#report(0, "Reading executions, newest first");
  }
}

const foundMessage = (kind: "Found" | "Mentioned", execution: TracedExecution): string =>
  `${kind}: execution ${execution.id} of ${quoted(execution.workflowName ?? execution.workflowId)}, status ${execution.status}`;
