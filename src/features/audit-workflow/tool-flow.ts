/**
 * The flow of a sub-workflow as callers run it: what follows its trigger for calls. Nodes that only another trigger
 * starts, such as the author's test, are not part of the tool. Pure.
 */
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { MAIN, reachableFrom, triggersOf } from "../../workflows/graph.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "../../workflows/node-types.ts";
import type { AuditSubject } from "./subject.ts";

/** The names of the nodes where a call begins: triggers for calls or, without one, all triggers. */
export function startsOf({ graph }: AuditSubject): string[] {
  const triggers = triggersOf(graph);
  const forCalls = triggers.filter(({ type }) => type === EXECUTE_WORKFLOW_TRIGGER);
  return (forCalls.length > 0 ? forCalls : triggers).map(({ name }) => name);
}

/** The names of all nodes of the flow, disabled ones included: items pass through them. */
export const flowOf = (subject: AuditSubject): Set<string> => reachableFrom(subject.graph, startsOf(subject));

/** The enabled nodes of the flow, its triggers included. */
export const stepsOf = (subject: AuditSubject): WorkflowNodeWithParameters[] =>
  stepsFrom(subject, startsOf(subject));

/** The enabled nodes that items reach from these, these included. */
export function stepsFrom({ graph, nodes }: AuditSubject, starts: Iterable<string>) {
  const reached = reachableFrom(graph, starts);
  return nodes.filter(({ name }) => reached.has(name));
}

/** The nodes of the flow that no other node follows. */
export function endsOf(subject: AuditSubject): WorkflowNodeWithParameters[] {
  const { graph } = subject;
  const flow = flowOf(subject);
  return [...graph.nodes.values()].filter(({ name, disabled }) => {
    if (!flow.has(name)) return false;
    const leaving = graph.outgoing(name, MAIN);
    return disabled ? !leaving.some(({ output }) => output === 0) : leaving.length === 0;
  });
}
