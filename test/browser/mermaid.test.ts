import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChartNode, flowchart } from "../../src/features/mcp-map/mermaid.ts";
import { visibleName } from "../../src/platform/display-name.ts";
import { type MermaidBrowser, openMermaid } from "../support/mermaid-browser.ts";

const box = (label: string, index: number): ChartNode => ({
  id: `id ${index} ${label}`,
  label,
  shape: "rectangle",
});

/** Whatever people call their nodes, and what Mermaid's own grammar would trip over. */
const NAMES = [
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

/** Mermaid shows what it was given; what it makes of markdown and icons is no part of a name. */
const shown = (name: string): string => visibleName(name).replace(/\s/g, "");

describe("a flowchart", () => {
  let browser: MermaidBrowser;

  beforeAll(async () => {
    browser = await openMermaid();
  }, 60_000);
  afterAll(async () => await browser.close());

  test("Mermaid draws one box for each name, with that name in it", async () => {
    const results = await browser.draw(NAMES.map((name, index) => flowchart([box(name, index)], [])));
    expect(results.map((result) => ("error" in result ? result.error : result.labels))).toEqual(
      NAMES.map((name) => [shown(name)]),
    );
  }, 60_000);

  test("with all names, shapes and edges at once, it is still one chart", async () => {
    const shapes = ["rectangle", "stadium", "subroutine", "hexagon"] as const;
    const nodes = NAMES.map((name, index) => ({
      ...box(name, index),
      shape: shapes[index % 4] ?? "rectangle",
      isBroken: index % 5 === 0,
    }));
    const edges = nodes.map(({ id }, index) => ({
      from: id,
      to: nodes[(index + 1) % nodes.length]?.id ?? "",
      isDotted: index % 3 === 0,
    }));
    const [result] = await browser.draw([flowchart(nodes, edges)]);
    expect(result).toEqual({ labels: expect.any(Array), edges: nodes.length });
    expect(result !== undefined && "labels" in result && [...result.labels].sort()).toEqual(
      NAMES.map(shown).sort(),
    );
  }, 60_000);

  test("the largest chart is drawn, and says what it left out", async () => {
    const nodes = Array.from({ length: 400 }, (_one, index) => box(`node ${index}`, index));
    const edges = nodes.flatMap(({ id }) => nodes.slice(0, 5).map((to) => ({ from: id, to: to.id })));
    const [result] = await browser.draw([flowchart(nodes, edges)]);
    expect(result).toMatchObject({ edges: 300 });
    expect(result !== undefined && "labels" in result && result.labels).toContain("…250more");
  }, 60_000);
});

test("names that show nothing, and very long ones, have a label", () => {
  expect(flowchart([box("\u200b\u202e", 0)], [])).toContain('n0["(no name)"]');
  expect(flowchart([box("x".repeat(500), 0)], []).length).toBeLessThan(120);
});

test("an edge to a box that is not there is not drawn", () => {
  expect(flowchart([box("a", 0)], [{ from: "id 0 a", to: "nowhere" }])).toBe('flowchart LR\n  n0["a"]');
});
