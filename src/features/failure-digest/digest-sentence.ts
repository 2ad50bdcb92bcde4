/** What broke and what is silent, in one sentence. Names, counts and times; no payload. Pure. */
import type { HistoryFailures } from "../../history/digest/failure-query.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import type { CheckedSilence, UnhandledFailures } from "./workflow-checks.ts";

export interface Digest extends Omit<HistoryFailures, "silent" | "unhandled"> {
  readonly silent: readonly CheckedSilence[];
  readonly unhandled: readonly UnhandledFailures[];
}

export interface Told {
  readonly from: number;
  readonly to: number;
}

const iso = (time: number): string => new Date(time).toISOString();

export function digestSentence(digest: Digest, { from, to }: Told): string {
  const { totals } = digest;
  const found = [
    ...failures(digest),
    ...silent(digest),
    ...hanging(digest),
    ...unusual(digest),
    ...unhandled(digest),
  ];
  const ran = `${counted(totals.runs, "run")} of ${counted(totals.workflows, "workflow")}`;
  const span = `From ${iso(from)} to ${iso(to)}`;
  const answer =
    found.length === 0
      ? `${span} nothing broke: ${ran}, none of which failed, hangs or is far from usual.`
      : `${span}: ${found.join("; ")}. In all ${ran}.`;
  return answer + whatIsUnknown(digest, from);
}

const countedAs = (count: number, [one, many]: readonly [string, string]): string =>
  counted(count, one, many);

function failures({ groups, repeats }: Digest): string[] {
  if (groups.length === 0) return [];
  const executions = groups.reduce((sum, { count }) => sum + count, 0);
  const before = groups.reduce((sum, group) => sum + group.before, 0);
  const workflows = new Set(groups.map(({ workflowId }) => workflowId)).size;
  const kinds = counted(groups.length, "kind of failure", "kinds of failure");
  const repeated = repeats === 0 ? "" : `, and ${counted(repeats, "caller")} that failed by them`;
  return [
    `${kinds} in ${counted(workflows, "workflow")} (${counted(executions, "execution")}${repeated}; ${before} of these in the window before)`,
  ];
}

function silent({ silent: all, names }: Digest): string[] {
  return (["schedule", "webhook"] as const).flatMap((kind) => {
    const of = all.filter((each) => each.kind === kind);
    return of.length === 0
      ? []
      : [`${counted(of.length, `${kind} is`, `${kind}s are`)} silent${nameOne(of, names)}`];
  });
}

const HANGS = {
  running: ["execution hangs", "executions hang"],
  waiting: ["execution waits without end", "executions wait without end"],
  overdue: ["execution should have gone on", "executions should have gone on"],
} as const;

function hanging({ hanging: all, names }: Digest): string[] {
  return (["running", "waiting", "overdue"] as const).flatMap((kind) => {
    const of = all.filter((each) => each.kind === kind);
    return of.length === 0 ? [] : [countedAs(of.length, HANGS[kind]) + nameOne(of, names)];
  });
}

const UNUSUAL = {
  empty: ["workflow ran green and did next to nothing", "workflows ran green and did next to nothing"],
  caught: ["workflow caught more errors than usual", "workflows caught more errors than usual"],
  slow: ["workflow was far slower than usual", "workflows were far slower than usual"],
} as const;

function unusual({ unusual: all, names }: Digest): string[] {
  return (["empty", "caught", "slow"] as const).flatMap((kind) => {
    const of = all.filter((each) => each.kind === kind);
    return of.length === 0 ? [] : [countedAs(of.length, UNUSUAL[kind]) + nameOne(of, names)];
  });
}

function unhandled({ unhandled: all, names }: Digest): string[] {
  const what = counted(
    all.length,
    "error workflow that should have run did not",
    "error workflows that should have run did not",
  );
  return all.length === 0 ? [] : [what + nameOne(all, names)];
}

function nameOne(found: readonly { readonly workflowId: string }[], names: Digest["names"]): string {
  const [first, ...others] = new Set(found.map(({ workflowId }) => workflowId));
  return first === undefined || others.length > 0 ? "" : ` (${quoted(names[first] ?? first)})`;
}

function whatIsUnknown({ knownSince, stop }: Digest, from: number): string {
  if (stop.reason === "complete") return "";
  const since = knownSince === null ? "what was known before" : `what began since ${iso(knownSince)}`;
  return knownSince === null || knownSince > from
    ? ` This is about ${since} alone: the rest was not read in time; call again to read on.`
    : " The window before was not read to its end: call again for the whole comparison.";
}
