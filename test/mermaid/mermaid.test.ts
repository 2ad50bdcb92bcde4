/** Mermaid reads the charts that are written for it. `npm run tools test:mermaid`: it installs Mermaid first. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { flowchart } from "../../src/features/mcp-map/mermaid.ts";
import { visibleName } from "../../src/platform/display-name.ts";
import { box, NAMES } from "../features/mcp-map/chart-names.ts";
import { type MermaidBrowser, openMermaid } from "./mermaid-browser.ts";

/** Mermaid shows what it was given; what it makes of markdown and icons is no part of a name. */
const shown = (name: string): string => visibleName(name).replace(/\s/g, "");

describe("a flowchart", () => {
  let browser: MermaidBrowser;

  beforeAll(async () => {
    browser = await openMermaid();
  });
  afterAll(async () => await browser.close());

  test("Mermaid draws one box for each name, with that name in it", async () => {
    const results = await browser.draw(NAMES.map((name, index) => flowchart([box(name, index)], [])));
    expect(results.map((result) => ("error" in result ? result.error : result.labels))).toEqual(
      NAMES.map((name) => [shown(name)]),
    );
  });

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
  });

  test("the largest chart is drawn, and says what it left out", async () => {
    const nodes = Array.from({ length: 400 }, (_one, index) => box(`node ${index}`, index));
    const edges = nodes.flatMap(({ id }) => nodes.slice(0, 5).map((to) => ({ from: id, to: to.id })));
    const [result] = await browser.draw([flowchart(nodes, edges)]);
    expect(result).toMatchObject({ edges: 300 });
    expect(result !== undefined && "labels" in result && result.labels).toContain("…250more,450linesmore");
  });
});
