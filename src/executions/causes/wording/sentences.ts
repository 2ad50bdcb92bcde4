/** Whole sentences for the kinds of fact that `clauses.ts` does not word. */
import { executionNamed } from "../../../platform/another-workflow.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import type { CallerRole } from "../../agent-run/call-kinds.ts";
import type { Stop } from "../../agent-run/stop-rules.ts";
import { nounOf, stoppedSentence } from "../../agent-run/wording.ts";
import type { KeyDifferences } from "../../comparison/compare-shapes.ts";
import type { ErrorFacts } from "../../error-sentence.ts";
import { troubleInAgent } from "./agents-sentences.ts";
import { BREAKS_JSON, type HowItBreaks, type ItemPlace } from "./clauses.ts";
import type { Differing } from "./compared-sentences.ts";
import { FIXED_CLAUSES, type FixedKind } from "./fixed-clauses.ts";
import { type Comparison, compared } from "./items-sentences.ts";

const during = (node: string | null): string => (node === null ? "" : ` while ${quoted(node)} ran`);
const at = (node: string | null): string => (node === null ? "" : ` at ${quoted(node)}`);
const since = (time: string | null): string => (time === null ? "" : `, since ${time},`);
const notRun = (node: string | null): string => (node === null ? "" : `, and ${quoted(node)} did not run`);
const says = (isOfN8n: boolean): string => (isOfN8n ? "" : ": its output says that it");

const listKnown = (...values: readonly (string | null)[]): string =>
  values.filter((value) => value !== null && value !== "other").join(", ");
const inBrackets = (text: string): string => (text === "" ? "" : ` (${text})`);

interface Waiting {
  readonly node: string | null;
  /** When it was put to wait. */
  readonly waitingSince: string | null;
}

interface Ended {
  readonly node: string | null;
  /** It was put to wait there, and had not been resumed. */
  readonly isWaiting: boolean;
  /** All its runs had ended. */
  readonly isNext: boolean;
  readonly afterMs: number | null;
}

const ended = (how: string, { node, isWaiting, isNext, afterMs }: Ended): string =>
  `${how}${afterMs === null ? "" : ` after ${afterMs} ms`}${isWaiting ? ` while it waited${at(node)}` : isNext ? "" : during(node)}`;

/** A loop whose condition sent every round the same way. */
export interface EndlessLoop {
  readonly test: string;
  readonly rounds: number;
  /** False if there were more rounds than were read. */
  readonly isKnown: boolean;
  readonly fields: readonly string[];
  readonly output: number;
}

const looping = ({ test, rounds, isKnown, fields, output }: EndlessLoop): string =>
  `: a loop ran ${isKnown ? "" : "at least "}${rounds} rounds again and again, since ${quoted(test)}, which tests ${listed(fields.map((field) => quoted(field)))}, took its output ${output + 1} every time`;

const RESUMES = {
  answer: "for somebody's answer to its message",
  webhook: "for a call of its resume URL",
  form: "for a form to be filled in",
  page: "for its last page to be opened",
  somebody: "until somebody resumes it",
  time: "for a time",
  /** What a node of an unknown kind waits for is not known, only its limit. */
  either: "until somebody resumes it, or",
} as const;
/** What a waiting execution waits for. */
export type Resume = keyof typeof RESUMES;

/** The output of a deciding node (IF, Switch, …) that an item took, counted from 0. */
export interface Branch {
  readonly node: string;
  readonly output: number;
  readonly outputs: number;
  /** By which it goes on when it fails. */
  readonly isError: boolean;
}

const outputOf = ({ output, outputs, isError }: Branch): string =>
  isError ? "its error output" : `its output ${output + 1} of ${outputs}`;

/** Few items that lack what is read. `ofFirst`: how many are known, if more were sent. */
type OddItem = { node: string; field: string; reader: string; item: ItemPlace } & {
  lacking: number;
  ofFirst: number | null;
};

/** A node after which nothing ran. */
interface Last {
  readonly node: string;
  /** The nodes that its outputs lead to. */
  readonly skipped: readonly string[];
  /** A field that its condition tests and no item has. */
  readonly tested: { readonly path: string; readonly from: string } | null;
}

function last(what: string, { skipped: [next = "", ...others], tested }: Last): string {
  const more = others.length > 0 ? ` and ${counted(others.length, "other")}` : "";
  const lacks =
    tested === null
      ? ""
      : ` ${quoted(tested.path)}, which it tests, is in nothing that ${quoted(tested.from)} sent.`;
  return `${what}, so ${quoted(next)}${more} did not run.${lacks}`;
}

/** An error after which a node continued. */
interface CaughtError {
  readonly node: string;
  /** False if it is only in the node's output, which anyone can write. */
  readonly isOfN8n: boolean;
  readonly count: number;
  readonly of: number;
  readonly error: ErrorFacts | null;
  /** What its text means. */
  readonly says: FixedKind | null;
  /** `output`: the error output, if connections were not read. */
  readonly way: "regular" | "error output" | "handed on" | "output";
  /** Null if nothing is connected. */
  readonly target: string | null;
}

function caught(fact: CaughtError, joint: string): string {
  const { node, isOfN8n, count, of, error, says: reason, way } = fact;
  const unit = way === "handed on" ? "run" : "item";
  const all =
    of > count ? `${count} of ${counted(of, unit)}` : of > 1 ? `all ${counted(of, unit)}` : `its ${unit}`;
  const codes = listKnown(error?.httpCode ?? null, error?.code ?? null);
  const meaning = codes === "" ? "" : `${codes}: ${error?.meaning.says ?? ""}`;
  const said = reason === null ? "" : `its error says: ${FIXED_CLAUSES[reason]}`;
  const kind = inBrackets(meaning === "" ? said : meaning);
  return `${quoted(node)}${says(isOfN8n)} failed on ${all}${kind}${joint}${becameOf(fact)}.`;
}

function becameOf({ way, target }: CaughtError): string {
  const to = target === null ? null : quoted(target);
  if (way === "output") return "it came out of the error output";
  if (way === "regular")
    return `the node goes on when it fails${to === null ? "" : `, and handed it to ${to}`}`;
  if (way === "error output")
    return to === null
      ? "it came out of the error output, which leads nowhere"
      : `its error branch took it over: it went to ${to}`;
  return `the node goes on when it fails, and ${to === null ? "what it was given went" : `${to} was given what it was given,`} on as if nothing had happened`;
}

const put = ({ field, node, how }: { field: string; node: string; how: HowItBreaks }): string =>
  `${quoted(field)}, which ${quoted(node)} sent, ${BREAKS_JSON[how]}.`;

const MAX_NAMES = 3;

const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length <= MAX_NAMES ? shown : `${shown} and ${names.length - MAX_NAMES} more`;
};

export const SENTENCES = {
  queued: () =>
    "n8n has accepted it, and it waits for a worker or for n8n's concurrency limit; a trace of its request says how many are before it.",
  running: ({ node }: { node: string | null }) =>
    `It has not ended: ${node === null ? "n8n keeps no data of it yet" : `the last node that n8n reports is ${quoted(node)}`}.`,
  waiting: ({ node, waitingSince, resume, until }: Waiting & { resume: Resume; until: string | null }) =>
    `It waits${at(node)}${since(waitingSince)} ${RESUMES[resume]}${until === null ? "; it has no time limit, and may wait forever" : ` until ${until}`}.`,
  "waiting.sub_workflow": ({ node, waitingSince, executionId }: Waiting & { executionId?: string }) =>
    `It waits${at(node)}${since(waitingSince)} for the sub-workflow that it called${executionId === undefined ? "" : ` (${executionNamed(executionId)})`}, and continues when that ends.`,
  waited: ({ names, ms, times }: { names: readonly string[]; ms: number; times: number }) =>
    `It waited ${ms} ms${times === 1 ? "" : ` in ${times} waits`} before it continued at ${listed(names.map(quoted))}.`,
  unknown_status: ({ at }: { at: string }) =>
    `It ended at ${at}, with a status that this server does not know: whether it succeeded is not known.`,
  crashed: ({ node }: { node: string | null }) =>
    `n8n itself, or the worker that ran it, ended${during(node)}: it crashed or was restarted, perhaps for lack of memory; its own log of that time says why.`,
  "crashed.worker": () =>
    "The worker that ran it died or stopped answering, and n8n gave it up (stalled job); what it had done is not known. The log of n8n's workers says why, often lack of memory.",
  "crashed.unexplained": ({ node }: { node: string | null }) =>
    `n8n counts it as crashed${during(node)}, and keeps no error of it: n8n itself, or the worker that ran it, ended, or stopped it for a time limit.`,
  timed_out: (fact: Ended & { limitS: number | null; loop: EndlessLoop | null }) =>
    `${ended("n8n stopped it", fact)}: it took longer than its time limit${fact.limitS === null ? "" : ` of ${counted(fact.limitS, "second")}`}${fact.loop === null ? "" : looping(fact.loop)}.`,
  canceled_by_hand: (fact: Ended) => `${ended("Somebody stopped it by hand", fact)}.`,
  "canceled.shutdown": (fact: Ended) => `${ended("n8n was shut down", fact)}.`,
  canceled: (fact: Ended) => `${ended("It was canceled", fact)}; n8n does not say by whom.`,

  stopped_on_purpose: (fact: {
    node: string;
    branch: Branch | null;
    test: Comparison | null;
    /** The node that sent what was tested. */
    from: string | null;
  }) =>
    `${quoted(fact.node)} ended the execution on purpose: it is a Stop and Error node${fact.branch === null ? "" : `, after ${quoted(fact.branch.node)}${fact.test === null ? "" : `, which tests whether ${compared(fact.test)}${fact.from === null ? "" : ` in what ${quoted(fact.from)} sent`},`} had taken ${outputOf(fact.branch)}`}.`,
  node_not_installed: ({ node, type }: { node: string; type: string }) =>
    `The workflow did not run because this n8n does not have the type of node ${quoted(node)} (${type}): it is not installed, or switched off.`,
  node_failed: (fact: { node: string; error: ErrorFacts; hasRun: boolean }) =>
    `${quoted(fact.node)} failed${inBrackets(listKnown(fact.error.code, fact.error.name))}${fact.error.lineNumber === null ? "" : `, at line ${fact.error.lineNumber}`}${fact.hasRun ? "" : ", before it ran"}: ${fact.error.meaning.says}.`,
  "node_failed.nowhere": ({ error }: { error: ErrorFacts }) =>
    `It failed${inBrackets(listKnown(error.code, error.name))}, and n8n does not say at which node: ${error.meaning.says}.`,
  "not_set_up.workflow": ({ reason }: { reason: FixedKind }) =>
    `It did not run because ${FIXED_CLAUSES[reason]}; n8n does not say which.`,
  /** `reason`: n8n's own reason, used if the stop only says that the agent failed. */
  agent_stopped: (fact: { agent: string; role: CallerRole; stop: Stop; reason: FixedKind | null }) =>
    stoppedSentence(fact, fact.reason === null ? null : FIXED_CLAUSES[fact.reason]),
  "agent_stopped.left_out": (fact: { agent: string; role: CallerRole; lacking: readonly string[] }) =>
    `${nounOf(fact.role)} ${quoted(fact.agent)} stopped because the model called a tool without ${fact.lacking.map(quoted).join(", ")}, which its schema requires.`,
  "tool_failed.agent": troubleInAgent,

  failing_node: ({ node }: { node: string }) => `${quoted(node)} is the node that failed on it.`,
  mended: ({ executionId }: { executionId: string }) => `A later retry succeeded (execution ${executionId}).`,
  item: ({ node, item }: { node: string; item: ItemPlace }) =>
    `It was item ${item.index + 1} of the ${item.count} that ${quoted(node)} was given.`,
  "item.lacking": (fact: OddItem) =>
    `${quoted(fact.field)}, which ${quoted(fact.reader)} reads, is not in item ${fact.item.index + 1}${fact.lacking > 1 ? ` and ${fact.lacking - 1} more` : ""} of the ${fact.ofFirst === null ? "" : `first ${fact.ofFirst} of `}${fact.item.count} that ${quoted(fact.node)} sent.`,
  loop: ({ node, run }: { node: string; run: number }) =>
    `It was run ${run + 1} of ${quoted(node)}: ${counted(run, "earlier run")} succeeded.`,
  retries: (fact: { node: string; tries: number; ms: number; isConflict: boolean }) =>
    `${quoted(fact.node)} is set to try ${counted(fact.tries, "time")}; all tries together took ${fact.ms} ms.${fact.isConflict ? " n8n keeps only the last try: an earlier one may have been carried out, and be what this one is in conflict with." : ""}`,
  error_workflow: ({ workflowId }: { workflowId: string }) =>
    `Its failures go to the error workflow ${workflowId}; whether that went well, its own executions say.`,
  "error_workflow.run": ({ executionId }: { executionId: string }) =>
    `This is the run of an error workflow, for ${executionNamed(executionId)}.`,
  "field_missing.put": put,
  "field_null.put": put,
  "not_json.breaks": put,

  error_caught: (fact: CaughtError) => caught(fact, " and the error was swallowed: "),
  error_handled: (fact: CaughtError) => caught(fact, ", and "),
  error_as_data: ({ node, executionId }: { node: string; executionId?: string }) =>
    `${quoted(node)}: its output says that the sub-workflow it called${executionId === undefined ? "" : ` (${executionNamed(executionId)})`} answered with an error of its own, which is a success to n8n.`,
  tool_failed: (fact: { node: string; isOfN8n: boolean; count: number; of: number; caller: string | null }) =>
    `${quoted(fact.node)}${says(fact.isOfN8n)} failed${fact.of > 1 ? ` ${fact.count} of ${counted(fact.of, "time")}` : ""}${fact.caller === null ? "" : `, which ${quoted(fact.caller)} was told`}; the execution went on.`,

  not_answered: (fact: { trigger: string; answer: string | null; branch: Branch | null }) =>
    `The caller of ${quoted(fact.trigger)} got no answer from the workflow, because ${fact.answer === null ? "there is no Respond to Webhook node" : `${quoted(fact.answer)} did not run`}${fact.branch === null ? "" : `: ${quoted(fact.branch.node)} took ${outputOf(fact.branch)}`}.`,
  answered_error: (fact: { node: string; status: number; branch: Branch | null }) =>
    `${quoted(fact.node)} answered the caller with HTTP ${fact.status}${fact.branch === null ? "" : `: ${quoted(fact.branch.node)} took ${outputOf(fact.branch)}`}.`,
  "dropped.unconnected": (fact: Last & { sent: number; outputs: readonly number[] }) =>
    last(
      `All ${counted(fact.sent, "item")} left ${quoted(fact.node)} by ${fact.outputs.map((output) => `output ${output + 1}`).join(" and ")}, where nothing is connected`,
      fact,
    ),
  input_missing: (fact: Last) =>
    last(`${quoted(fact.node)} had nothing at one of its inputs and sent nothing`, fact),
  "nothing_passed.joined": (fact: Last & { given: readonly number[] }) =>
    last(
      `${quoted(fact.node)} was given ${fact.given.slice(0, -1).join(", ")} and ${fact.given.at(-1) ?? 0} items and joined none of them`,
      fact,
    ),
  nothing_passed: (fact: Last & { given: number }) =>
    last(`${quoted(fact.node)} let none of ${counted(fact.given, "item")} through`, fact),
  nothing_fetched: (fact: Last & { below: { node: string; id: string } | null }) =>
    `${last(`${quoted(fact.node)} gave no items`, fact)}${fact.below === null ? "" : ` The sub-workflow that it called (execution ${fact.below.id}) ended at ${quoted(fact.below.node)}.`}`,
  "dropped.loop": (fact: { node: string; done: number; given: number; skipped: string | null }) =>
    `Nothing leads from the loop of ${quoted(fact.node)} back to it: it did its first ${counted(fact.done, "item")} of ${fact.given} and no more${notRun(fact.skipped)}.`,
  "dropped.turn": (fact: {
    node: string;
    done: number;
    given: number;
    turn: number;
    after: string | null;
    skipped: string | null;
  }) =>
    `The loop of ${quoted(fact.node)} ended after ${fact.done} of ${counted(fact.given, "item")}: in turn ${fact.turn} nothing came back to it${fact.after === null ? "" : ` after ${quoted(fact.after)}`}${notRun(fact.skipped)}.`,
  "dropped.unpaired": ({ node, given }: { node: string; given: readonly number[] }) =>
    `${quoted(node)} puts items together by their position: of ${given.join(" and ")} it made ${Math.min(...given)}, and left ${counted(Math.max(...given) - Math.min(...given), "item")} out.`,
  empty_item: ({ node, next }: { node: string; next: string }) =>
    `${quoted(node)} had nothing to send and sent one empty item instead (Always Output Data), on which ${quoted(next)} went on.`,
  node_disabled: ({ node }: { node: string }) =>
    `${quoted(node)} is switched off: what came to it went on as it was.`,
  stored_data: ({ node }: { node: string }) =>
    `${quoted(node)} reads what earlier runs stored ($getWorkflowStaticData): what it does depends on that, and no execution shows it.`,
  hint: ({ node }: { node: string }) => `n8n itself left a hint at ${quoted(node)}.`,

  edited: (fact: Differing & { places: readonly string[]; saved: string | null; isOlder?: true }) =>
    `${quoted(fact.node)} was edited since ${fact.isOlder === true ? "an earlier" : "the last"} success (execution ${fact.before}${fact.saved === null ? "" : `; the workflow was saved at ${fact.saved}`}): ${listed(fact.places)}.`,
  differs: (fact: Differing & KeyDifferences) =>
    `What ${quoted(fact.node)} sent differs from the last success (execution ${fact.before}): ${differences(fact)}.`,

  too_large: () => "Its data is above n8n's display limit, so nothing is known of what happened inside.",
  no_data: () =>
    "n8n keeps no data of it (see the workflow's setting for saving executions), so nothing is known of what happened inside.",
  withheld: () =>
    "No node failed; whether an error was swallowed cannot be told: n8n withholds its data (redaction policy).",
  "nothing_found.else": () =>
    "Otherwise no problem is visible; n8n's data cannot tell whether the result is right.",
  nothing_found: ({ nodes, runs, before }: { nodes: number; runs: number; before: string | null }) =>
    `No problem is visible in ${counted(runs, "run")} of ${counted(nodes, "node")}${before === null ? "; there is no earlier success to compare with" : `, also compared with the last success (execution ${before})`}. n8n's data cannot tell whether the result is right.`,
};

function differences({ missing, added, changedTypes }: KeyDifferences): string {
  const names = (paths: readonly string[]): string => listed(paths.map((path) => quoted(path)));
  const changes = changedTypes.map(
    ({ path, before, now }) => `${quoted(path)} is ${now.join(" or ")}, was ${before.join(" or ")}`,
  );
  const parts = [
    missing.length === 0 ? "" : `it no longer has ${names(missing)}`,
    added.length === 0 ? "" : `it has new ${names(added)}`,
    listed(changes),
  ];
  return parts.filter((part) => part !== "").join("; ");
}
