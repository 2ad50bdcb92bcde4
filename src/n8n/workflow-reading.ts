/** Bounds how much of a workflow is read, and reports workflows that cannot be read. */
import * as z from "zod";
import {
  BoundedReader,
  plansOf,
  type ReadBounds,
  type ReadPlan,
  readBounded,
  UNBOUNDED,
  WHOLE,
} from "../json/bounded-reader.ts";
import type { Element } from "../json/element-splitter.ts";
import { toWorkflowWithNodes, type WorkflowWithNodes } from "./workflow-schemas.ts";

/** Only the members that `list_workflows` shows: nodes and the published copy are skipped. */
export const WORKFLOW_OUTLINE: ReadBounds = {
  ...UNBOUNDED,
  maxStringBytes: 1_000,
  plan: { members: plansOf({ tags: WHOLE }) },
};

const named = z.looseObject({ id: z.string(), name: z.string() });

/** Stops reading a workflow once its name has arrived. @throws JsonReadError, ZodError */
export async function readWorkflowNameIn(body: AsyncIterable<Uint8Array>): Promise<string> {
  const reader = new BoundedReader(WORKFLOW_OUTLINE);
  for await (const piece of body) {
    reader.write(piece);
    const head = named.safeParse(reader.partial());
    if (head.success) return head.data.name;
  }
  return named.parse(reader.end()).name;
}

/** Keeps only the project that a workflow is shared with: the rest is personal data. */
const SHARES: ReadPlan = { items: { members: plansOf({ project: {} }) } };

const SCHEDULES: ReadPlan = {
  items: { members: plansOf({ parameters: { members: plansOf({ rule: WHOLE, triggerTimes: WHOLE }) } }) },
};

/** The facts about a workflow that are kept for all callers. */
export const WORKFLOW_FACTS: ReadBounds = {
  ...WORKFLOW_OUTLINE,
  plan: {
    members: plansOf({
      tags: WHOLE,
      settings: {},
      shared: SHARES,
      parentFolder: {},
      nodes: SCHEDULES,
      activeVersion: { members: plansOf({ nodes: SCHEDULES, workflowPublishHistory: WHOLE }) },
    }),
  },
};

/** Far more than a person could have drawn; keeps an abnormal workflow from filling the memory. */
export const WHOLE_WORKFLOW: ReadBounds = {
  maxStringBytes: 256 * 1024,
  maxKeptBytes: 4 * 1024 * 1024,
  maxArrayItems: 5_000,
  maxDepth: 64,
  maxValues: 200_000,
  plan: {
    members: plansOf({
      // Bulky, and irrelevant to what a workflow does.
      pinData: null,
      staticData: null,
      shared: SHARES,
      activeVersion: { ...WHOLE, members: plansOf({ workflowPublishHistory: null }) },
    }),
    otherMembers: WHOLE,
    // n8n's command line exports workflows as a list.
    items: WHOLE,
  },
};

/** A workflow from a list. One that is too large or of an unknown shape is unread; its id is null if that is, too. */
export type ListedWorkflow =
  | { readonly kind: "read"; readonly workflow: WorkflowWithNodes }
  | { readonly kind: "unread"; readonly id: string | null };

/** @throws JsonReadError when it is not JSON */
export function readListedWorkflow(element: Element): ListedWorkflow {
  if (element.kind === "too_large") return { kind: "unread", id: idOf(element) };
  const value = readBounded(element.bytes, WHOLE_WORKFLOW);
  try {
    return { kind: "read", workflow: toWorkflowWithNodes(value) };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { kind: "unread", id: idOf(element) };
  }
}

const identified = z.looseObject({ id: z.string() });

/** Null when no id could be read. n8n writes the id first. */
export function idOf(element: Element): string | null {
  const reader = new BoundedReader(WORKFLOW_OUTLINE);
  reader.write(element.kind === "too_large" ? element.head : element.bytes);
  return identified.safeParse(reader.partial()).data?.id ?? null;
}
