/** Possible names of the boxes of a chart. */
import type { ChartNode } from "../../../src/features/mcp-map/mermaid.ts";

export const box = (label: string, index: number): ChartNode => ({
  id: `id ${index} ${label}`,
  label,
  shape: "rectangle",
});

/** Names that people give their nodes, and names that could break Mermaid's grammar. */
export const NAMES = [
  "Get User",
  "with \"quotes\" and 'others'",
  "[brackets] (round) {curly} <angle>",
  "end",
  "graph",
  "subgraph",
  "flowchart LR",
  "default",
  "style n0 fill:#f00",
  "click n0 href",
  "a --> b",
  "a; b",
  "a & b",
  "%% no comment",
  "%%{init: {}}%%",
  "#quot;",
  "#35;",
  "&lt;b&gt;",
  "<script>alert(1)</script>",
  "<br/>",
  "`markdown **bold**`",
  "*bold* _under_ ~~struck~~",
  "_private_",
  "__init__",
  "1. list",
  "- list",
  "漢字 🚀 ñandú العربية",
  "back\\slash | pipe ^ caret ~ tilde",
  "$x^2$ $$y$$",
  "@{ shape: rect }",
  ":::class",
  "end end",
  "=1+1",
  "fa:fa-car",
  "http://example.com/?a=b",
];
