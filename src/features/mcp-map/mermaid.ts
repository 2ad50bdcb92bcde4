/**
 * Writes Mermaid flowcharts (https://mermaid.js.org/syntax/flowchart.html). Whatever a node is called, the text
 * stays a flowchart: ids are our own, and of a label only letters, digits and a few signs stand as they are,
 * the rest as Mermaid's entity codes. Pure.
 */
import { displayName } from "../../platform/display-name.ts";

const SHAPES = {
  rectangle: ["[", "]"],
  stadium: ["([", "])"],
  subroutine: ["[[", "]]"],
  hexagon: ["{{", "}}"],
} as const;

export interface ChartNode {
  /** Any text; each id is one box. */
  readonly id: string;
  readonly label: string;
  readonly shape: keyof typeof SHAPES;
  /** Something is wrong with it: the box is drawn with a broken line. */
  readonly isBroken?: boolean;
}

export interface ChartEdge {
  readonly from: string;
  readonly to: string;
  /** Drawn with dots: the edge is not a call, but leads from a client to the server that it uses. */
  readonly isDotted?: boolean;
}

/** Mermaid itself refuses charts beyond 500 edges; nobody reads one of this size. */
export const MAX_NODES = 150;
const MAX_EDGES = 300;

export function flowchart(
  nodes: readonly ChartNode[],
  edges: readonly ChartEdge[],
  maxNodes: number = MAX_NODES,
): string {
  const shown = nodes.slice(0, maxNodes);
  const ids = new Map(shown.map(({ id }, index) => [id, `n${index}`]));
  const lines = edges.flatMap(({ from, to, isDotted }) => {
    const [start, end] = [ids.get(from), ids.get(to)];
    return start === undefined || end === undefined ? [] : [`  ${start} ${isDotted ? "-.->" : "-->"} ${end}`];
  });
  const broken = shown.flatMap(({ id, isBroken }) => (isBroken ? [ids.get(id)] : []));
  const leftOut = nodes.length - shown.length;
  return [
    "flowchart LR",
    ...shown.map(
      ({ id, label, shape }) => `  ${ids.get(id)}${SHAPES[shape][0]}"${escaped(label)}"${SHAPES[shape][1]}`,
    ),
    ...(leftOut > 0 ? [`  rest["… ${leftOut} more"]`] : []),
    ...[...new Set(lines)].slice(0, MAX_EDGES),
    ...(broken.length > 0
      ? ["  classDef broken stroke-dasharray:5 5", `  class ${broken.join(",")} broken`]
      : []),
  ].join("\n");
}

/** The colon is none of the few: `fa:fa-car` would be an icon, and `style a:b#` is read as a style. */
const NEITHER_LETTER_NOR_SAFE = /[^\p{L}\p{M}\p{N} _.,/-]/gu;

/** A stranger's name as a label: short, on one line, no sign of it read by Mermaid. */
function escaped(label: string): string {
  const shown = displayName(label);
  if (shown === "") return "(no name)";
  return shown.replace(NEITHER_LETTER_NOR_SAFE, (sign) => `#${sign.codePointAt(0)};`);
}
