/** Workflows as n8n returns them, with any content, for property tests. */
import * as fc from "fast-check";
import type { WorkflowParts } from "../../../../src/features/workflows/git/git-workflow.ts";

export interface RawNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly position: readonly [number, number];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

export interface RawWorkflow extends WorkflowParts {
  readonly name: string;
  readonly nodes: readonly RawNode[];
  readonly settings: Readonly<Record<string, unknown>>;
}

const json = fc.jsonValue({ maxDepth: 3, depthSize: "small" });
const members = fc.dictionary(fc.string({ maxLength: 12 }), json, { maxKeys: 4 });

const node = fc.record({
  name: fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
  type: fc.constantFrom("n8n-nodes-base.code", "n8n-nodes-base.httpRequest", "n8n-nodes-base.stickyNote"),
  position: fc.tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: -999, max: 999 })),
  parameters: members,
  disabled: fc.boolean(),
});

/** Nodes with unique names, and connections between some of them. */
export const rawWorkflow: fc.Arbitrary<RawWorkflow> = fc
  .record({
    nodes: fc.uniqueArray(node, { selector: ({ name }) => name, minLength: 2, maxLength: 6 }),
    edges: fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(1)), { maxLength: 6 }),
    settings: members,
    name: fc.string({ minLength: 1, maxLength: 20 }),
  })
  .map(({ nodes, edges, settings, name }) => ({
    name,
    settings,
    nodes: nodes.map((each, index) => ({ ...each, id: `id-${index}` })),
    connections: connect(
      nodes.map((each) => each.name),
      edges,
    ),
  }));

function connect(
  names: readonly string[],
  edges: readonly (readonly [number, number, number])[],
): Record<string, unknown> {
  const lists = new Map<string, { node: string; type: string; index: number }[][]>();
  for (const [from, to, output] of edges) {
    const source = names[from % names.length] ?? "";
    const outputs = lists.get(source) ?? [[], []];
    const target = { node: names[to % names.length] ?? "", type: "main", index: 0 };
    const isThere = outputs[output]?.some((each) => each.node === target.node) ?? true;
    if (!isThere) outputs[output]?.push(target);
    lists.set(source, outputs);
  }
  return Object.fromEntries([...lists].map(([source, main]) => [source, { main }]));
}

/** The same value with its keys in another order. */
export function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, seed));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, shuffled(member, seed)] as const);
  const turned = seed % 2 === 0 ? entries.reverse() : entries;
  const at = turned.length === 0 ? 0 : seed % turned.length;
  return Object.fromEntries([...turned.slice(at), ...turned.slice(0, at)]);
}
