/**
 * The results of a run of the lane: one line per check, and a table of the kinds of request.
 * A check that throws has failed, and does not affect others; a kind is ok when all its checks are.
 */
import type { Omission } from "./abilities.ts";

export type Verdict = "ok" | "FAIL" | "not possible";

export class LaneReport {
  passed = 0;
  failed = 0;
  /** Kinds in the order of their first check. */
  readonly kinds = new Map<string, Verdict>();
  readonly #omissions: readonly Omission[];
  readonly #print: (line: string) => void;

  constructor(
    omissions: readonly Omission[] = [],
    print: (line: string) => void = (line) => console.log(line),
  ) {
    this.#omissions = omissions;
    this.#print = print;
  }

  /** @param body returns a note for the line, if any */
  async check(
    name: string,
    body: () => Promise<string | undefined> | string | undefined,
    kind: string = name,
  ): Promise<void> {
    try {
      const note = await body();
      this.passed += 1;
      if (!this.kinds.has(kind)) this.kinds.set(kind, "ok");
      this.#print(`  ok    ${name}${note === undefined ? "" : `  (${note})`}`);
    } catch (error) {
      this.failed += 1;
      this.kinds.set(kind, "FAIL");
      this.#print(`  FAIL  ${name}\n        ${toText(error)}`);
    }
  }

  /** Whether this n8n supports it; if not, prints the reason. */
  canDo(kind: string): boolean {
    const omission = this.#omissions.find((each) => each.kind === kind);
    if (omission === undefined) return true;
    this.kinds.set(kind, "not possible");
    this.#print(`  --    ${kind}: ${omission.reason}`);
    return false;
  }

  /** The kinds of one version, one line each. */
  toTable(version: string): string {
    const width = Math.max(...[...this.kinds.keys()].map((kind) => kind.length));
    const lines = [...this.kinds].map(([kind, verdict]) => `${kind.padEnd(width)}  ${verdict}`);
    return [`${"kind of request".padEnd(width)}  n8n ${version}`, ...lines].join("\n");
  }
}

function toText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\n        because of ${toText(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}
