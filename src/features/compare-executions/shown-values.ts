/** Shows changes of parameters and payload, redacted as a whole first. */
import * as z from "zod";
import {
  changesOf,
  editedNodes,
  namesOfPairs,
  pairNodes,
  type WorkingNodes,
} from "../../executions/comparison/node-pairs.ts";
import { differingValues, sampleOf } from "../../executions/comparison/sampled-values.ts";
import type { JsonObject } from "../../platform/compare-values.ts";
import { counted } from "../../platform/counted.ts";
import { shortened } from "../shown.ts";
import type { ToolContext } from "../tool-context.ts";
import type { Both } from "./read-both.ts";

const MAX_TEXT = 160;

type Redacting = Pick<ToolContext, "redactLarge">;

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const redactedNodes = z.array(z.object({ before: json, now: json }));

const brief = <Value>(value: Value): Value | string =>
  typeof value === "string" ? shortened(value, MAX_TEXT) : value;

/** Shows edits of nodes. They are compared unredacted, so that a changed secret is noticed, and shown redacted. */
export async function shownEdits({ now, before }: Both, { redactLarge }: Redacting) {
  const edited = editedNodes(pairNodes(before, now));
  const shown = redactedNodes.parse(
    await redactLarge(edited.map((node) => ({ before: node.before, now: node.now }))),
  );
  return edited.flatMap((node, index) => changesAt(node, { ...node, ...shown[index] }));
}

function changesAt(node: WorkingNodes, shown: WorkingNodes) {
  return changesOf(node, shown).map(({ path, old, new: present }) => ({
    nodeName: node.nodeName,
    path,
    before: old === undefined ? undefined : briefly(old),
    now: present === undefined ? undefined : briefly(present),
  }));
}

/** Shows only the size of a new object or list. */
function briefly(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return brief(value);
  const text = JSON.stringify(value);
  return text.length <= MAX_TEXT
    ? value
    : `${Array.isArray(value) ? "list" : "object"} of ${counted(text.length, "character")}`;
}

const redactedSamples = z.array(z.array(z.object({ outputs: z.array(z.json()) })));

/**
 * Shows values that still differ after redaction. An unredacted comparison would let anyone who can send a webhook guess
 * secrets in other people's requests.
 */
export async function shownValues({ now, before, ordinary }: Both, { redactLarge }: Redacting) {
  const sampleBefore = (older: typeof before) => sampleOf(older, namesOfPairs(pairNodes(older, now)).now);
  const samples = [sampleOf(now), ...[before, ...ordinary].map(sampleBefore)];
  // Nodes are not keys here: what a node called "Get Token" sent is no secret for that.
  const values = samples.map((sample) => Object.values(sample).map((outputs) => ({ outputs })));
  const redacted = redactedSamples.parse(await redactLarge(values));
  const [ofNow = {}, ofBefore = {}, ...others] = samples.map((sample, index) =>
    Object.fromEntries(Object.keys(sample).map((name, at) => [name, redacted[index]?.[at]?.outputs ?? []])),
  );
  return differingValues(ofNow, ofBefore, others).map(({ nodeName, path, before: was, now: value }) => ({
    nodeName,
    path,
    before: brief(was),
    now: brief(value),
  }));
}
