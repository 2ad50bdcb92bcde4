/**
 * Writes Mermaid flowcharts (https://mermaid.js.org/syntax/flowchart.html). No node name can break the syntax: ids are
 * our own, and labels keep only letters, digits and a few signs; all else becomes Mermaid's entity codes. Pure.
 */
import { counted } from "../../platform/counted.ts";
import { displayName } from "../../platform/display-name.ts";

const SHAPES = {
  rectangle: ["[", "]"],
  stadium: ["([", "])"],
  subroutine: ["[[", "]]"],
  hexagon: ["{{", "}}"],
} as const;

export interface ChartNode {
  /** Any text; identifies one box. */
  readonly id: string;
  readonly label: string;
  readonly shape: keyof typeof SHAPES;
  /** Something is wrong with it: the box gets a dashed border. */
  readonly isBroken?: boolean;
}

export interface ChartEdge {
  readonly from: string;
  readonly to: string;
  /** The edge is not a call, but leads from a client to the server that it uses. */
  readonly isDotted?: boolean;
}

/** Mermaid refuses charts with more than 500 edges, and larger charts are hard to read. */
const MAX_NODES = 150;
const MAX_EDGES = 300;

export function flowchart(nodes: readonly ChartNode[], edges: readonly ChartEdge[], maxNodes = MAX_NODES) {
  const shown = nodes.slice(0, maxNodes);
  const ids = new Map(shown.map(({ id }, index) => [id, `n${index}`]));
  const drawn = edges.flatMap(({ from, to, isDotted }) => {
    const [start, end] = [ids.get(from), ids.get(to)];
    return start === undefined || end === undefined ? [] : [`  ${start} ${isDotted ? "-.->" : "-->"} ${end}`];
  });
  const lines = [...new Set(drawn)];
  const broken = shown.flatMap(({ id, isBroken }) => (isBroken ? [ids.get(id)] : []));
  const leftOut = [
    nodes.length > shown.length && `${nodes.length - shown.length} more`,
    lines.length > MAX_EDGES && counted(lines.length - MAX_EDGES, "more line"),
  ].filter(Boolean);
  return [
    "flowchart LR",
    ...shown.map(
      ({ id, label, shape }) => `  ${ids.get(id)}${SHAPES[shape][0]}"${escaped(label)}"${SHAPES[shape][1]}`,
    ),
    ...(leftOut.length > 0 ? [`  rest["… ${leftOut.join(", ")}"]`] : []),
    ...lines.slice(0, MAX_EDGES),
    ...(broken.length > 0
      ? ["  classDef broken stroke-dasharray:5 5", `  class ${broken.join(",")} broken`]
      : []),
  ].join("\n");
}

/** No colon: `fa:fa-car` would be an icon, and `style a:b#` a style. `_` at the edge of a word makes it slanted or bold. */
const NEITHER_LETTER_NOR_SAFE = /[^\p{L}\p{M}\p{N} _.,/-]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Turns an untrusted name into a label: short, on one line, without Mermaid syntax. */
function escaped(label: string): string {
  const shown = displayName(label);
  if (shown === "") return "(no name)";
  return shown.replace(NEITHER_LETTER_NOR_SAFE, (sign) => `#${sign.codePointAt(0)};`);
}
