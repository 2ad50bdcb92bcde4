/**
 * What called executions explain: what went wrong in them, an answer without a field that the caller reads, an input
 * that did not reach its reader. Facts: a sub-workflow answers with what its last node sent (`lastNodeExecuted`),
 * whichever that is. A trigger with declared inputs passes on these, null where the caller gives none, and drops all
 * others.
 */
import { isReadObject } from "../../../json/omitted.ts";
import type { NodeRun } from "../../../n8n/schemas.ts";
import { isEachWordMentioned, mentionedIn } from "../../known-fields.ts";
import {
  type Called,
  type ExecutionView,
  nextOf,
  parameterOf,
  type SentItem,
  sentInAll,
} from "../execution-view.ts";
import { type Fact, isSure } from "../fact.ts";
import { findAt, isLacking, readBy, sentEver } from "../field-origin.ts";
import { referencesIn, textsOf } from "../field-references.ts";
import { filledAt, successWith } from "../field-trace.ts";
import { CALLED_TRIGGER, DECIDES } from "../node-kinds.ts";
import type { Rule } from "../rule.ts";
import { isAboutContent } from "./refused.ts";

export const calledExecutions: Rule = (view) => {
  const facts = view.called.flatMap((called) =>
    [inputLost, answerLacks, answersLastRun, errorInside].flatMap((find) => find(view, called)),
  );
  // Of several calls that lack the same field, one is reported.
  return [
    ...new Map(facts.map((fact) => [JSON.stringify([fact.kind, fact.node, fact.field]), fact])).values(),
  ];
};

/** For a failure: what the failed node lacked, or an input that the failed call lost. */
export function behindFailure(view: ExecutionView, { field }: Fact): Fact[] {
  if (view.error === undefined || !isAboutContent(view.error)) return [];
  return view.called.flatMap((called) =>
    called.view.failed === null
      ? answerLacks(view, called).filter(({ failedNode }) => failedNode !== undefined)
      : inputLost(view, called).filter((one) => one.field === field),
  );
}

const toCall = ({ nodeName: by, view: { execution } }: Called) => ({
  by,
  workflow: execution.workflowData?.name ?? null,
  executionId: execution.id,
});

/** Whether the node does not wait for the sub-workflow. */
export const isUnwaited = ({ nodes }: ExecutionView, { nodeName }: Called): boolean =>
  parameterOf(nodes.get(nodeName), "options", "waitForSubWorkflow") === false;

function errorInside(view: ExecutionView, called: Called): Fact[] {
  const { fact: root, nodeName: by } = called;
  const { kind, node, confidence = "exact" } = root;
  if (called.view.execution.status !== "success" || kind === "error_handled" || !isSure(root)) return [];
  const next = nextOf(view, by);
  // A model, or a node that decides, may check the report.
  const isSeen = view.isSubNode(by) || next.some((name) => DECIDES.test(view.typeOf(name)));
  if (isSeen && kind === "reported_failure") return [];
  return [{ kind: "sub_workflow_wrong", node: node ?? by, ...toCall(called), root, confidence }];
}

const namesIn = (item: SentItem | undefined): string[] =>
  isReadObject(item?.json)
    ? Object.keys(item.json).filter((name) => filledAt(item.json, [name]) !== null)
    : [];

const lacks = ({ json }: SentItem, name: string): boolean => isLacking(findAt(json, [name]));

const firstOf = (view: ExecutionView, node: string): SentItem | undefined => sentEver(view, node).items[0];

/** The node that reads a missing field of items of `from`, or of a node that sent the field before. */
function readerOf(view: ExecutionView, from: string, name: string): string | null {
  const isRead = (run: NodeRun | undefined, text: string): boolean =>
    referencesIn(text).some(
      (reference) =>
        reference.path[0] === name &&
        readBy(view, run, reference).items.some(
          (item) => lacks(item, name) && (item.from === from || successWith(view, item, [name]) !== null),
        ),
    );
  const found = [...view.runs].find(([reader, [run]]) =>
    textsOf(view.nodes.get(reader)?.parameters).some((text) => isRead(run, text)),
  );
  return found?.[0] ?? null;
}

const isEdited = (now: ExecutionView, before: ExecutionView, name: string): boolean =>
  JSON.stringify(before.nodes.get(name)?.parameters) !== JSON.stringify(now.nodes.get(name)?.parameters);

const lastOf = ({ execution }: ExecutionView): string => execution.data?.resultData?.lastNodeExecuted ?? "";
const flowOf = ({ execution }: ExecutionView) => JSON.stringify(execution.workflowData?.connections);

/** Only if the sub-workflow was edited: otherwise the answer differs because the data does. */
function answerLacks(view: ExecutionView, called: Called): Fact[] {
  const now = called.view;
  const last = lastOf(now);
  const answer = firstOf(now, last);
  if (now.execution.status !== "success" || answer === undefined || isUnwaited(view, called)) return [];
  const facts = now.successes.flatMap((before): Fact[] => {
    const names = namesIn(firstOf(before, lastOf(before)));
    const [read] = names.flatMap((field) => {
      const reader = lacks(answer, field) ? readerOf(view, called.nodeName, field) : null;
      return reader === null ? [] : [{ field, reader }];
    });
    const isOther = last !== lastOf(before);
    const edited = [...now.runs.keys()].findLast((name) => isEdited(now, before, name));
    const node = isOther ? last : edited;
    if (read === undefined || node === undefined || (isOther && flowOf(now) === flowOf(before))) return [];
    const added = namesIn(answer).filter((name) => !names.includes(name));
    const isKnown = mentionedIn([now.execution]);
    const sends = added.find((name) => added.length === 1 && isEachWordMentioned(name, isKnown)) ?? null;
    const fact = { kind: "sub_workflow_answer", node, ...toCall(called), ...read, sends } as const;
    const instead = isOther ? lastOf(before) : null;
    const failed = view.failed?.name === read.reader ? { failedNode: read.reader } : {};
    const whole = { value: answer.json, valuePath: [] };
    return [{ ...fact, ...failed, instead, before: before.execution.id, ...whole, confidence: "likely" }];
  });
  return facts.slice(0, 1);
}

/** Until version 1.2 of the trigger, only the items of the last node's last run come back. */
function answersLastRun(view: ExecutionView, called: Called): Fact[] {
  const { execution, runsOf } = called.view;
  const last = lastOf(called.view);
  const [runs, all] = [runsOf(last).length, sentInAll(called.view, last).length];
  const call = callIndex(view, called);
  const count = call < 0 ? 0 : view.sentBy(called.nodeName, call).length;
  const isLast = runs > 1 && count === called.view.sentBy(last, runs - 1).length;
  if (!isLast || count === 0 || count >= all || execution.status !== "success" || isUnwaited(view, called))
    return [];
  const fact = { kind: "items_unread.sub_runs", node: last, ...toCall(called), runs, all, count } as const;
  return [{ ...fact, confidence: "likely" }];
}

/** The run of the caller that called it. */
const callIndex = (view: ExecutionView, { nodeName, view: { execution } }: Called): number =>
  view
    .runsOf(nodeName)
    .findIndex(({ metadata, error }) =>
      [metadata?.subExecution?.executionId, error?.executionId].includes(execution.id),
    );

/** A field that the caller no longer sends is reported as empty in the sub-workflow, and traced into the caller. */
function inputLost(view: ExecutionView, called: Called): Fact[] {
  const now = called.view;
  const trigger = [...now.nodes.values()].find(({ type }) => type === CALLED_TRIGGER)?.name ?? "";
  const got = firstOf(now, trigger);
  const call = view.runsOf(called.nodeName)[callIndex(view, called)];
  const [given, ...others] = call === undefined ? [] : view.inputOf(call).items;
  const earlier = now.successes.flatMap((one) => firstOf(one, trigger) ?? []);
  const mapped = parameterOf(view.nodes.get(called.nodeName), "workflowInputs", "value");
  const isMapped = isReadObject(mapped) && Object.keys(mapped).length > 0;
  // A node that maps inputs passes on no others; a tool gets what a model writes.
  const names = view.isSubNode(called.nodeName) || isMapped ? [] : namesIn(given);
  return names.flatMap((field): Fact[] => {
    if (got === undefined || given === undefined || findAt(got.json, [field]).kind !== "absent") return [];
    const isUsual = earlier.length > 0 && earlier.every((item) => lacks(item, field));
    if (isUsual || others.some((item) => lacks(item, field))) return [];
    const reader = readerOf(now, trigger, field);
    if (reader === null) return [];
    const fact = { kind: "sub_workflow_input", node: trigger, field, reader, ...toCall(called) } as const;
    const whole = { value: given.json, valuePath: [] };
    return [{ ...fact, isNew: earlier.length > 0, ...whole, confidence: "likely" }];
  });
}
