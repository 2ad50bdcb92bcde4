/**
 * A chart is a valid flowchart whatever its boxes are called: a label contains only characters that Mermaid reads as
 * text, and they spell the name. `npm run tools test:mermaid` shows that Mermaid agrees.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { flowchart } from "../../../src/features/mcp-map/mermaid.ts";
import { displayName } from "../../../src/platform/display-name.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { box, NAMES } from "./chart-names.ts";

const LABEL = String.raw`"((?:[\p{L}\p{M}\p{N} _.,/-]|#\d+;|\(no name\))+)"`;
const BOX = new RegExp(
  String.raw`^  n\d+(?:\[${LABEL}\]|\(\[${LABEL}\]\)|\[\[${LABEL}\]\]|\{\{${LABEL}\}\})$`,
  "u",
);

/** The text of a label, or undefined when it could be read as anything else. */
function labelOf(line: string | undefined): string | undefined {
  const label = BOX.exec(line ?? "")
    ?.slice(1)
    .find((group) => group !== undefined);
  return label?.replace(/#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code)));
}

function expectText(name: string): void {
  for (const shape of ["rectangle", "stadium", "subroutine", "hexagon"] as const) {
    const [head, line, ...rest] = flowchart([{ ...box(name, 0), shape }], []).split("\n");
    expect(head).toBe("flowchart LR");
    expect(labelOf(line)).toBe(displayName(name) || "(no name)");
    expect(rest).toEqual([]);
  }
}

describe("a name", () => {
  test.each(NAMES)("is text: %s", (name) => expectText(name));

  test("of any characters is text", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (name) => expectText(name)));
    fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 100 }), (name) => expectText(name)));
  });
});

test("the largest chart is cut, and says so", () => {
  const nodes = Array.from({ length: 400 }, (_one, index) => box(`node ${index}`, index));
  const edges = nodes.flatMap(({ id }) => nodes.slice(0, 5).map((to) => ({ from: id, to: to.id })));
  const lines = flowchart(nodes, edges).split("\n");
  expect(lines.filter((line) => line.includes("-->"))).toHaveLength(300);
  // Of the 750 edges between boxes that are shown.
  expect(lines).toContain('  rest["… 250 more, 450 more lines"]');
});

test("a sign that marks emphasis is written as text, within a word as it is", () => {
  expect(flowchart([box("_private_ get_user __init__", 0)], [])).toContain(
    'n0["#95;private#95; get_user #95;#95;init#95;#95;"]',
  );
});

test("an invisible name and a very long one have a label", () => {
  expect(flowchart([box("\u200b\u202e", 0)], [])).toContain('n0["(no name)"]');
  expect(flowchart([box("x".repeat(500), 0)], []).length).toBeLessThan(120);
});

test("an edge to a missing box is not drawn", () => {
  expect(flowchart([box("a", 0)], [{ from: "id 0 a", to: "nowhere" }])).toBe('flowchart LR\n  n0["a"]');
});
