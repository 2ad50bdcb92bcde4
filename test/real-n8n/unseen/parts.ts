/** Parts that several of these kinds share. Pure. */
import { get, noOp } from "../kinds/parts.ts";
import { node, type WorkflowNode } from "../workflow-parts.ts";
import type { Expected, UnseenKind } from "./unseen-kind.ts";

/** A text that occurs only in payload and secrets. */
export const PRIVATE = /planted/i;

/** A workflow with one node, which fails. */
export const failsIn = (
  name: string,
  made: WorkflowNode,
  expected: Omit<Expected, "roots"> & Partial<Pick<Expected, "roots">>,
  body: unknown = { order: 4711 },
): UnseenKind => ({
  name,
  family: "failed",
  draft: { nodes: [made, noOp("Done")] },
  sent: [body],
  expected: { roots: [made.name], ...expected },
});

export const stop = (name: string, parameters: Readonly<Record<string, unknown>>): WorkflowNode =>
  node(name, "n8n-nodes-base.stopAndError", 1, parameters);

export const fetch = (
  name: string,
  url: string,
  more: Readonly<Record<string, unknown>> = {},
): WorkflowNode => get(name, url, more);
