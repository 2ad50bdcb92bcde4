/** What happened when, over all executions of a request. Pure. */
import type { TreeNode } from "./tree.ts";

export interface TimelineEvent {
  /** Milliseconds since the first event. */
  readonly offsetMs: number;
  readonly executionId: string;
  readonly event: string;
}

interface TimedEvent {
  readonly at: string;
  readonly executionId: string;
  readonly event: string;
}

/** Names of workflows stand in the tree; here the execution's id is enough. */
function eventsOf(node: TreeNode): TimedEvent[] {
  const event = (at: string | null, text: string): TimedEvent[] =>
    at === null ? [] : [{ at, executionId: node.id, event: text }];
  const end = node.status === "waiting" ? "began to wait" : `ended: ${node.status}`;
  return [...event(node.startedAt, `${node.role} started`), ...event(node.stoppedAt, end)];
}

export function timelineOf(nodes: readonly TreeNode[]): TimelineEvent[] {
  const events = nodes
    .filter((node) => node.role !== "related")
    .flatMap(eventsOf)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const start = Date.parse(events[0]?.at ?? "");
  return events.map(({ at, executionId, event }) => ({
    offsetMs: Date.parse(at) - start,
    executionId,
    event,
  }));
}
