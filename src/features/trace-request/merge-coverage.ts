/** How far several n8n instances were asked, as one says it of itself. Pure. */
import type { Answered, TracePart } from "./instance-answers.ts";

type Coverage = TracePart["coverage"];

/** @param hasFailed whether an n8n gave no answer at all */
export function mergeCoverage(answered: readonly Answered[], hasFailed: boolean): Coverage {
  const all = answered.map(({ part }) => part.coverage);
  const sum = (of: (each: Coverage) => number): number => all.reduce((total, each) => total + of(each), 0);
  const times = (of: (each: Coverage) => string | null): string[] =>
    all
      .map(of)
      .filter((time) => time !== null)
      .sort();
  const unsaved = answered.flatMap(({ instance, part }) =>
    (part.coverage.unsavedWorkflows ?? []).map((each) => ({ ...each, instance })),
  );
  const stopped = all.find(({ stoppedBy }) => stoppedBy !== "complete")?.stoppedBy ?? "complete";
  const error = all.find((each) => each.error !== undefined)?.error;
  return {
    scannedExecutions: sum((each) => each.scannedExecutions),
    readNow: sum((each) => each.readNow),
    from: times(({ from }) => from)[0] ?? null,
    to: times(({ to }) => to).at(-1) ?? null,
    gaps: all.every(({ gaps }) => gaps !== null) ? sum(({ gaps }) => gaps ?? 0) : null,
    // An id is one of its own n8n.
    oldestId: null,
    complete: !hasFailed && all.every(({ complete }) => complete),
    stoppedBy: hasFailed ? "n8n" : stopped,
    skipped: answered.flatMap(({ instance, part }) =>
      part.coverage.skipped.map((each) => ({ ...each, instance })),
    ),
    searchedForMentions: sum((each) => each.searchedForMentions),
    unsavedWorkflows: all.every(({ unsavedWorkflows }) => unsavedWorkflows === null) ? null : unsaved,
    ...(error === undefined ? {} : { error }),
  };
}
