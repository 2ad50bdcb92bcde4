/** Which workflows call a workflow and which it calls, by nodes and settings and by past runs. Names and counts only. */
import type { RanCall } from "../../history/store/workflow-calls.ts";
import type { WorkflowWithNodes } from "../../n8n/workflow-schemas.ts";
import { ANOTHER_WORKFLOW } from "../../platform/another-workflow.ts";
import { counted } from "../../platform/counted.ts";
import { displayName, quoted } from "../../platform/display-name.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { type WorkflowLink, workflowLinks } from "../../workflows/mcp-server-map.ts";
import { outlineOf } from "../../workflows/workflow-outline.ts";
import { NOTHING_READ, readInstance, unreadSentences } from "../all-workflows.ts";
import { orNull } from "../n8n-lookup.ts";
import { TimeBudget } from "../request-limits.ts";
import type { ToolContext } from "../tool-context.ts";

/** A summary must not take long, even with thousands of workflows. */
const BUDGET_MS = 10_000;
const MAX_SHOWN = 8;
const MAX_NAMED = 3;

/** If n8n or the history fails, its part is missing: the workflow itself can still be shown. */
export async function readCalls(id: string, { n8n, history, clock }: ToolContext) {
  const client = n8n();
  const [instance, ran, seesAll] = await Promise.all([
    orNull(async () => await readInstance(client, new TimeBudget(clock, BUDGET_MS))),
    orNull(async () => await history().callsOf(id)),
    orNull(async () => await client.seesAll()),
  ]);
  return { instance: instance ?? NOTHING_READ, ran: ran ?? [], seesAll: seesAll === true };
}

type Relation = Omit<RanCall, "calledId" | "by"> &
  Pick<WorkflowLink, "by" | "because"> & { readonly calledId: string | null };

const ENDS = ["callerId", "calledId", "by"] as const;

/** Adds runs to the links of the nodes that made the calls; if n8n names no node, to the first link. */
function withRuns(links: readonly Relation[], ran: readonly Relation[]): Relation[] {
  const all = [...links];
  for (const one of ran) {
    const isSame = (link: Relation): boolean =>
      ENDS.every((end) => link[end] === one[end]) && (link.node === one.node || one.node === null);
    const at = all.findIndex(isSame);
    const link = all[at] ?? { ...one, runs: 0 };
    const last = [link.lastRunAt ?? "", one.lastRunAt ?? ""].sort()[1] ?? null;
    all.splice(at < 0 ? all.length : at, 1, { ...link, runs: link.runs + one.runs, lastRunAt: last });
  }
  return all.toSorted((a, b) => b.runs - a.runs);
}

type Calls = Awaited<ReturnType<typeof readCalls>>;

export function relationsOf(workflow: WorkflowWithNodes, { instance, ran, seesAll }: Calls) {
  const { id } = workflow;
  const workflows = new Map([...instance.workflows, [id, outlineOf(workflow)]]);
  const links = [...workflows.values()].flatMap((caller) =>
    workflowLinks({ ...instance, workflows }, caller).map(({ workflowId: calledId, ...link }) => ({
      ...link,
      callerId: caller.id,
      callerName: caller.name,
      calledId,
      calledName: workflows.get(calledId ?? "")?.name ?? null,
      runs: 0,
      lastRunAt: null,
    })),
  );
  const all = withRuns(links, ran);
  // A called workflow that this caller may not see is named only as another workflow.
  const shownId = (called: string | null): string | null =>
    seesAll || called === null || workflows.has(called) ? called : ANOTHER_WORKFLOW;
  const callers = all
    .filter(({ calledId }) => calledId === id)
    .map((one) => ({ ...one, workflowId: one.callerId, workflowName: one.callerName }));
  const callees = all
    .filter(({ callerId }) => callerId === id)
    .map((one) => ({ ...one, workflowId: shownId(one.calledId), workflowName: one.calledName }));
  const computed = links.filter(({ callerId, because }) => callerId !== id && because === "expression");
  const isWhole = instance.isComplete && instance.unread === 0;
  const noCaller = isWhole ? "is called by no workflow" : "is called by no workflow that was read";
  const sentence = joinSentences(
    `It ${listed("is called by", callers, noCaller)}, and ${listed("calls", callees, "calls none")}.`,
    computed.length > 0 &&
      `Of ${counted(computed.length, "node")} of other workflows, an expression decides which workflow is called: these are known only as far as they ran.`,
    ...unreadSentences(instance),
  );
  const coverage = { complete: false, readWorkflows: instance.workflows.size };
  const data = {
    ...shown("callers", callers),
    ...shown("callees", callees),
    ...(isWhole ? {} : { coverage }),
  };
  return { sentence, data };
}

type Shown = Relation & Pick<WorkflowLink, "workflowId"> & { readonly workflowName: string | null };

const nameOf = (name: string | null): string | null => (name === null ? null : displayName(name));

const shown = (name: string, all: readonly Shown[]) => ({
  [name]: all.slice(0, MAX_SHOWN).map(({ workflowId, workflowName, node, by, because, runs, lastRunAt }) => ({
    workflowId,
    workflowName: nameOf(workflowName),
    node: nameOf(node),
    by,
    ...(because === undefined ? { runs, lastRunAt } : { because }),
  })),
  ...(all.length > MAX_SHOWN ? { [`${name}LeftOut`]: all.length - MAX_SHOWN } : {}),
});

function listed(verb: string, all: readonly Shown[], none: string): string {
  const more = all.length > MAX_NAMED ? [`${all.length - MAX_NAMED} more`] : [];
  return all.length === 0 ? none : `${verb} ${[...all.slice(0, MAX_NAMED).map(inWords), ...more].join(", ")}`;
}

function inWords({ workflowId, workflowName, node, by, because, runs }: Shown): string {
  const unknown = because === "expression" ? "one that an expression names" : `an unknown one (${because})`;
  const how = [
    by !== "call" && (by === "mcp" ? "MCP" : "error workflow"),
    node !== null && `node ${quoted(node)}`,
    runs > 0 && `${counted(runs, "run")} known`,
  ].filter(Boolean);
  return `${workflowId === null ? unknown : quoted(workflowName ?? workflowId)} (${how.join("; ")})`;
}
