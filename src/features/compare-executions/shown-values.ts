/** What may be shown of parameters and of payload: redacted as a whole first, and compared as redaction leaves it. */

import * as z from "zod";
import {
  changesOf,
  editedNodes,
  pairNodes,
  type WorkingNodes,
} from "../../executions/comparison/node-pairs.ts";
import { differingValues, sampleOf } from "../../executions/comparison/sampled-values.ts";
import type { JsonObject } from "../../platform/compare-values.ts";
import { counted } from "../../platform/counted.ts";
import { shortened } from "../shown.ts";
import type { ToolContext } from "../tool-context.ts";
import type { Both } from "./read-both.ts";

/** Of parameters, and of values. */
const MAX_CHANGES = 12;
const MAX_TEXT = 160;

type Redacting = Pick<ToolContext, "redactLarge">;

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const redactedNodes = z.array(z.object({ before: json, now: json }));

const brief = <Value>(value: Value): Value | string =>
  typeof value === "string" ? shortened(value, MAX_TEXT) : value;

export interface ShownChange {
  readonly nodeName: string;
  readonly path: string;
  readonly before?: unknown;
  readonly now?: unknown;
}

/** Where nodes were edited between the two. Compared as they are, so that a changed secret is told; shown redacted. */
export async function shownEdits({ now, before }: Both, { redactLarge }: Redacting): Promise<ShownChange[]> {
  const edited = editedNodes(pairNodes(before, now));
  const shown = redactedNodes.parse(
    await redactLarge(edited.map((node) => ({ before: node.before, now: node.now }))),
  );
  return edited.flatMap((node, index) => changesAt(node, { ...node, ...shown[index] })).slice(0, MAX_CHANGES);
}

function changesAt(node: WorkingNodes, shown: WorkingNodes): ShownChange[] {
  return changesOf(node, shown).map(({ path, old, new: present }) => ({
    nodeName: node.nodeName,
    path,
    ...(old === undefined ? {} : { before: briefly(old) }),
    ...(present === undefined ? {} : { now: briefly(present) }),
  }));
}

/** A whole branch that is new is told by its size. */
function briefly(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return brief(value);
  const text = JSON.stringify(value);
  return text.length <= MAX_TEXT
    ? value
    : `${Array.isArray(value) ? "list" : "object"} of ${counted(text.length, "character")}`;
}

const redactedSamples = z.array(z.record(z.string(), z.array(z.json())));

/**
 * Values that differ. Whoever can send a webhook could try out what a secret of another's request is, were they
 * compared as they are; so they are compared as redaction leaves them.
 */
export async function shownValues(
  { now, before, ordinary }: Both,
  { redactLarge }: Redacting,
): Promise<ShownChange[]> {
  const namesNow = (older: typeof before) => {
    const names = new Map(pairNodes(older, now).pairs.map((pair) => [pair.before.name, pair.now.name]));
    return (name: string): string => names.get(name) ?? name;
  };
  const samples = [sampleOf(now), ...[before, ...ordinary].map((one) => sampleOf(one, namesNow(one)))];
  const [ofNow = {}, ofBefore = {}, ...others] = redactedSamples.parse(await redactLarge(samples));
  return differingValues(ofNow, ofBefore, others)
    .slice(0, MAX_CHANGES)
    .map(({ nodeName, path, before: was, now: value }) => ({
      nodeName,
      path,
      before: brief(was),
      now: brief(value),
    }));
}
