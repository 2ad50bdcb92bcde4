/** Converts a digest to a picture: runs and failures as columns, and a line for each incident and whatever else broke. */
import { listAt, type Members, membersAt, numberAt, textAt } from "./members.ts";
import { type Bar, explainCall, factsOf, type Picture } from "./picture.ts";
import { labelOf, type Series, STEP_MS } from "./series.ts";

export const isDigest = (data: Members): boolean =>
  Array.isArray(data.incidents) && Array.isArray(data.groups);

/** The lists of a digest, worst first, and what an entry is called. */
const LISTS = {
  incidents: "",
  groups: "failure",
  hanging: "",
  silent: "silent",
  unhandled: "error workflow",
  unusual: "unusual",
};

export function digestPicture(data: Members, sentence: string): Picture {
  const window = membersAt(data, "window");
  const first = timeAt(membersAt(data, "series"), "from") ?? timeAt(window, "from") ?? 0;
  const bars = Object.entries(LISTS).flatMap(([list, kind]) =>
    listAt(data, list).map((one) => toBar(one, kind, first, data)),
  );
  const [left, failed] = [membersAt(data, "notShown"), bars.some(({ state }) => state === "failed")];
  return {
    title: "What broke",
    sentence,
    state: failed ? "failed" : bars.length > 0 ? "warning" : "ok",
    series: seriesOfDigest(data),
    bars,
    lastsMs: (timeAt(window, "to") ?? first) - first,
    notes: Object.keys(LISTS)
      .filter((list) => left[list] !== undefined)
      .map((list) => `${numberAt(left, list)} more of ${list} not in the answer.`),
  };
}

const timeAt = (of: Members, ...keys: readonly string[]): number | undefined =>
  keys.map((key) => Date.parse(textAt(of, key) ?? "")).find(Number.isFinite);

/** Undefined if nothing ran, or not all of it fitted into the answer. */
export function seriesOfDigest(data: Members): Series | undefined {
  const series = membersAt(data, "series");
  const { runs, failures } = series;
  const by = textAt(series, "by") ?? "";
  const [from, step] = [timeAt(series, "from"), STEP_MS[by]];
  if (step === undefined || from === undefined || !Array.isArray(runs) || !Array.isArray(failures))
    return undefined;
  if (from + runs.length * step < (timeAt(membersAt(data, "window"), "to") ?? 0)) return undefined;
  const columns = runs.map((value, index) => ({
    label: labelOf(from + index * step, by),
    value: Number(value),
    failures: Number(failures[index]),
  }));
  return { title: `Runs by ${by}, UTC`, columns };
}

const STATES: Readonly<Record<string, string>> = {
  goes_on: "goes on",
  too_early: "too early to say",
  unknown: "not known yet",
};
const SHOWN_ELSEWHERE = new Set(["says", "workflowName", "url", "kind", "state", "group"]);

function toBar(one: Members, kind: string, first: number, data: Members): Bar {
  const state = textAt(one, "state");
  const end = timeAt(one, "lastAt", "last");
  const start = timeAt(one, "startedAt", "first", "lastAt", "lastStartedAt");
  const startMs = start === undefined ? undefined : Math.max(0, start - first);
  const [name, node] = [textAt(one, "workflowName") ?? textAt(one, "workflowId"), textAt(one, "nodeName")];
  const times = numberAt(one, "count");
  const words = [kind, textAt(one, "kind")?.replaceAll("_", " "), times === undefined ? "" : `${times} ×`];
  const isOpen = startMs === undefined || end === undefined || state === "goes_on";
  return {
    label: textAt(one, "says") ?? [name, node].filter(Boolean).join(": "),
    kind: words.filter(Boolean).join(", "),
    status: STATES[state ?? ""] ?? state ?? "",
    // An incident that is over is no longer red.
    state: state === undefined || state === "over" ? "warning" : "failed",
    depth: 0,
    startMs,
    durationMs: isOpen ? undefined : end - first - startMs,
    facts: factsOf(one, SHOWN_ELSEWHERE),
    url: textAt(one, "url"),
    calls: explainCall(data, textAt(one, "executionId"), "Explain"),
  };
}
