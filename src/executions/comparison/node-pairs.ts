/**
 * Matches the nodes of two executions' workflows, and finds the settings that were edited in between. Nodes match by
 * id, or by name if ids were regenerated. Pure.
 */
import { partOf } from "../../json/members.ts";
import { Omitted } from "../../json/omitted.ts";
import type { ExecutionWithData, WorkflowNode } from "../../n8n/schemas.ts";
import {
  compareValues,
  type Json,
  type JsonObject,
  keysOf,
  memberOf,
  type ValueChange,
} from "../../platform/compare-values.ts";
import { isObject } from "../../platform/is-object.ts";
import { type Pairs, pairUp } from "../../platform/pair-up.ts";
import { workingNodes } from "../node-runs.ts";

export type NodePairs = Pairs<WorkflowNode>;

const idOf = ({ id }: WorkflowNode): string => (typeof id === "string" ? id : "");

export const pairNodes = (before: ExecutionWithData, now: ExecutionWithData): NodePairs =>
  // Several nodes may have one id.
  pairUp(workingNodes(before), workingNodes(now), [
    (node) => idOf(node) && `${idOf(node)} ${node.name}`,
    idOf,
    ({ name }) => name,
  ]);

/** The node's name in the other execution; undefined if it has no partner there, and another node has its name. */
export type OtherName = (name: string) => string | undefined;

/** A new node may take over an old name, so a name alone does not identify a node. */
export function namesOfPairs({ pairs }: NodePairs): { readonly before: OtherName; readonly now: OtherName } {
  const before = new Map(pairs.map((pair) => [pair.now.name, pair.before.name]));
  const now = new Map(pairs.map((pair) => [pair.before.name, pair.now.name]));
  return {
    before: (name) => before.get(name) ?? (now.has(name) ? undefined : name),
    now: (name) => now.get(name) ?? (before.has(name) ? undefined : name),
  };
}

/** Members that do not affect what a node does. n8n itself writes the last one when an agent's tool runs. */
const IDLE_MEMBERS = new Set(
  "id name position webhookId notes notesInFlow issues color rewireOutputLogTo".split(" "),
);

type Rename = (text: string) => string;

/** A node's parameters, credentials and settings; false settings are dropped, as n8n omits them. */
function workingMembers(node: WorkflowNode, other: WorkflowNode, rename: Rename): JsonObject {
  return Object.fromEntries(
    Object.entries({ ...node, credentials: withoutNames(node.credentials, other.credentials) }).flatMap(
      ([key, value]) =>
        IDLE_MEMBERS.has(key) || value === false || value === undefined
          ? []
          : [[key, toJson(value, rename)] as const],
    ),
  );
}

/** Drops the display name of a credential that both nodes use: only its id matters. */
function withoutNames(own: unknown, other: unknown): unknown {
  if (!isObject(own)) return own;
  return Object.fromEntries(
    Object.entries(own).map(([type, credential]) => {
      const id = partOf(credential, "id");
      return [type, id != null && id === partOf(other, type, "id") ? { id } : credential];
    }),
  );
}

/** Members that n8n's editor stores only to display a selection. */
const IDLE_OF_CHOICE = /^cachedResult(?:Name|Url)$/;

function toJson(value: unknown, rename: Rename): Json {
  if (value instanceof Omitted) return value.toJSON();
  if (Array.isArray(value)) return value.map((one) => toJson(one, rename));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]) =>
        value.__rl === true && IDLE_OF_CHOICE.test(key) ? [] : [[key, toJson(member, rename)] as const],
      ),
    );
  if (typeof value === "string") return rename(value);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}

export interface WorkingNodes {
  readonly nodeName: string;
  readonly before: JsonObject;
  readonly now: JsonObject;
}

/** The edited nodes of both workflows, with their settings, which must be redacted before they are shown. */
export function editedNodes({ pairs }: NodePairs): WorkingNodes[] {
  const rename = renameIn(pairs);
  return pairs
    .map(({ before, now }) => ({
      nodeName: now.name,
      before: workingMembers(before, now, rename),
      now: workingMembers(now, before, (text) => text),
    }))
    .filter((node) => changesOf(node).length > 0);
}

/** How expressions and code name another node. */
const NAMED = /(\$(?:items|node)?[([]\s?)(["'`])((?:(?!\2)[^\n]){1,200})\2/g;

/** When a node is renamed, n8n's editor updates the expressions that refer to it. */
function renameIn(pairs: NodePairs["pairs"]): Rename {
  const renamed = pairs.filter(({ before, now }) => before.name !== now.name);
  const names = new Map(renamed.map(({ before, now }) => [before.name, now.name]));
  return (text) =>
    names.size === 0
      ? text
      : text.replaceAll(NAMED, (whole, start: string, quote: string, name: string) => {
          const now = names.get(name);
          return now === undefined ? whole : `${start}${quote}${now}${quote}`;
        });
}

/** The edited settings of a node. @param shown the parts of both that may be shown */
export function changesOf(raw: WorkingNodes, shown: WorkingNodes = raw): ValueChange[] {
  const before = { raw: raw.before, shown: shown.before };
  const now = { raw: raw.now, shown: shown.now };
  const keys = new Set([...keysOf(raw.before), ...keysOf(raw.now)]);
  return [...keys].flatMap((key) => compareValues(memberOf(before, key), memberOf(now, key), key));
}
