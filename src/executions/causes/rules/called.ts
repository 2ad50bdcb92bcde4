/**
 * What the executions that this one called tell of it: what went wrong in them, an answer that lacks what the caller
 * reads, an input that did not reach what reads it there.
 * Facts: a sub-workflow answers with what its last node sent (`lastNodeExecuted`), whichever that is. A trigger with
 * declared inputs passes on these, null where the caller gives none, and drops all others.
 */
import { isReadObject, OMITTED_MEMBERS, type ReadValue } from "../../../json/omitted.ts";
import type { NodeRun } from "../../../n8n/schemas.ts";
import { isEachWordMentioned, mentionedIn } from "../../known-fields.ts";
import type { Called, ExecutionView, SentItem } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { findAt, itemBefore, itemsReadBy, originOf } from "../field-origin.ts";
import { ownField, referencesIn, textsOf } from "../field-references.ts";
import { CALLED_TRIGGER, isNothing, traceOf } from "../field-trace.ts";
import type { Rule } from "../rule.ts";

export const calledExecutions: Rule = (view) =>
  (view.context.called ?? []).flatMap((called) => [
    ...inputLacks(view, called),
    ...answerLacks(view, called),
    ...wrongThere(view, called),
  ]);

/** For a failure: what the failed node lacked, or an input that the failed call lost. */
export const behindFailure = (view: ExecutionView, { field }: Fact): Fact[] =>
  (view.context.called ?? []).flatMap((called) =>
    called.view.failed === null
      ? answerLacks(view, called).filter(({ failedNode }) => failedNode !== undefined)
      : inputLacks(view, called).filter((one) => one.field === field && one.kind === LOST),
  );

const LOST = "sub_workflow_input.dropped";

const toCall = ({ nodeName: by, view: { execution } }: Called) => ({
  by,
  workflow: execution.workflowData?.name ?? null,
  executionId: execution.id,
});

const DECIDES = /\.(?:if|switch|filter)$/;

function wrongThere(view: ExecutionView, called: Called): Fact[] {
  const { fact: root, nodeName } = called;
  const { kind, node, confidence = "exact" } = root;
  if (called.view.execution.status !== "success" || kind === "error_handled") return [];
  if (confidence !== "exact" && confidence !== "likely") return [];
  const next = view.targetsOf(nodeName).flat();
  // A model, or a node that decides, may look at the answer.
  const isLookedAt =
    view.hangsOn(nodeName) || next.some((one) => DECIDES.test(view.nodes.get(one.node)?.type ?? ""));
  return [
    {
      kind: "sub_workflow_wrong",
      node: node ?? nodeName,
      ...toCall(called),
      root,
      confidence: isLookedAt ? "observed" : confidence,
    },
  ];
}

const namesIn = (json: ReadValue | undefined): string[] =>
  isReadObject(json)
    ? Object.keys(json).filter((name) => name !== OMITTED_MEMBERS && !isNothing(json[name] ?? null))
    : [];

const lacks = ({ json }: SentItem, name: string): boolean =>
  ["absent", "null"].includes(findAt(json, [name]).kind);

const firstOf = (view: ExecutionView, node: string | undefined): SentItem | undefined =>
  itemsReadBy(view, { run: undefined }, { ...ownField([]), node: node ?? "" })[0];

const MAX_STEPS = 50;

/** The item, and those before it that it was made from. */
function wayTo(view: ExecutionView, item: SentItem): SentItem[] {
  const way = [item];
  for (const one of way) {
    const before = way.length < MAX_STEPS ? itemBefore(view, one) : null;
    if (before !== null) way.push(before);
  }
  return way;
}

/** Whether the item is what a node sent, as far as the field goes. */
function isHandedOn(view: ExecutionView, item: SentItem, { from, name }: { from: string; name: string }) {
  const way = wayTo(view, item).map((one) => one.from);
  const sent = way.indexOf(from);
  return sent !== -1 && way.indexOf(originOf(view, item, [name]).from) >= sent;
}

/** A node that reads a field of what another one sent, and got none. */
function readerOf(view: ExecutionView, from: string, name: string): string | null {
  const isRead = (run: NodeRun | undefined, text: string): boolean =>
    referencesIn(text).some((reference) => {
      if (reference.path[0] !== name || (reference.node !== null && reference.node !== from)) return false;
      return itemsReadBy(view, { run }, reference).some(
        (item) => lacks(item, name) && isHandedOn(view, item, { from, name }),
      );
    });
  const found = [...view.runs].find(([reader, [run]]) =>
    textsOf(view.nodes.get(reader)?.parameters).some((text) => isRead(run, text)),
  );
  return found?.[0] ?? null;
}

/** The node of an earlier execution's workflow, also under its old name. */
const nodeBefore = ({ nodes }: ExecutionView, before: ExecutionView, name: string) =>
  [...before.nodes.values()].find(({ id }) => id !== undefined && id === nodes.get(name)?.id) ??
  before.nodes.get(name);

const isEdited = (now: ExecutionView, before: ExecutionView, name: string): boolean =>
  JSON.stringify(nodeBefore(now, before, name)?.parameters) !==
  JSON.stringify(now.nodes.get(name)?.parameters);

const lastOf = ({ execution }: ExecutionView): string | undefined =>
  execution.data?.resultData?.lastNodeExecuted;

/** Only where the sub-workflow was edited: without that, another answer belongs to other data. */
function answerLacks(view: ExecutionView, called: Called): Fact[] {
  const now = called.view;
  const last = lastOf(now);
  const answer = firstOf(now, last);
  if (now.execution.status !== "success" || last === undefined || answer === undefined) return [];
  for (const before of now.context.successes ?? []) {
    const instead = lastOf(before) ?? "";
    const names = namesIn(firstOf(before, instead)?.json);
    const lost = names.filter((name) => lacks(answer, name));
    const readers = lost.map((name) => ({ name, reader: readerOf(view, called.nodeName, name) }));
    const read = readers.find(({ reader }) => reader !== null);
    if (read === undefined || read.reader === null) continue;
    const { name: field, reader } = read;
    const isOther = nodeBefore(now, before, last)?.name !== instead;
    const edited = wayTo(now, answer).find((one) => isEdited(now, before, one.from))?.from;
    const node = isOther ? last : edited;
    if (node === undefined || (isOther && hasSameWay(now, before, last))) continue;
    const fact = {
      node,
      ...(view.failed?.name === reader ? { failedNode: reader } : {}),
      ...toCall(called),
      field,
      reader,
      before: before.execution.id,
      value: answer.json,
      confidence: "likely",
    } as const;
    if (isOther) return [{ kind: "sub_workflow_answer.other_node", ...fact, instead }];
    const added = namesIn(answer.json).filter((name) => !names.includes(name));
    const isKnown = mentionedIn([now.execution]);
    const sends =
      added.length === 1 ? (added.find((name) => isEachWordMentioned(name, isKnown)) ?? null) : null;
    return [{ kind: "sub_workflow_answer.edited", ...fact, sends }];
  }
  return [];
}

/** Whether the node was there before and nothing else led to it or from it. */
const hasSameWay = (now: ExecutionView, before: ExecutionView, last: string): boolean =>
  nodeBefore(now, before, last) !== undefined &&
  JSON.stringify(now.execution.workflowData?.connections) ===
    JSON.stringify(before.execution.workflowData?.connections);

function inputLacks(view: ExecutionView, called: Called): Fact[] {
  const now = called.view;
  const trigger = [...now.nodes.values()].find(({ type }) => type === CALLED_TRIGGER)?.name;
  const got = firstOf(now, trigger);
  if (trigger === undefined || got === undefined) return [];
  const callRun = view.runs
    .get(called.nodeName)
    ?.find(({ metadata, error }) =>
      [metadata?.subExecution?.executionId, error?.executionId].includes(now.execution.id),
    );
  const given = callRun === undefined ? [] : view.inputOf(callRun).items;
  const earlier = now.context.successes ?? [];
  const cameThrough = (name: string) =>
    earlier.find((before) => namesIn(firstOf(before, trigger)?.json).includes(name))?.execution.id ?? null;
  const names = new Set([
    ...namesIn(given[0]?.json),
    ...earlier.flatMap((one) => namesIn(firstOf(one, trigger)?.json)),
  ]);
  return [...names].flatMap((field): Fact[] => {
    const reader = lacks(got, field) ? readerOf(now, trigger, field) : null;
    const before = cameThrough(field);
    if (reader === null) return [];
    const fact = { field, reader, ...toCall(called), confidence: "likely" } as const;
    if (given.length > 0 && given.every((item) => namesIn(item.json).includes(field))) {
      const isUsual = before === null && earlier.length > 0;
      const value = given[0]?.json ?? null;
      return findAt(got.json, [field]).kind !== "absent" || isUsual
        ? []
        : [{ kind: LOST, node: trigger, before, value, ...fact }];
    }
    const [success] = view.context.successes ?? [];
    const trace = traceOf(now, got, [field]);
    const node = trace.item.from;
    if (before === null || success === undefined || trace.view.execution.id !== view.execution.id) return [];
    if (!isEdited(view, success, node)) return [];
    const since = success.execution.id;
    return [{ kind: "sub_workflow_input.not_sent", node, before, since, value: trace.item.json, ...fact }];
  });
}
