import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Element, splitElements } from "../../src/json/element-splitter.ts";
import { JsonReadError } from "../../src/json/errors.ts";
import { inBothLanes, runs } from "../support/lane.ts";

function streamOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
}

async function split(
  text: string,
  size: number,
  cap = 1_000_000,
): Promise<{ elements: Element[]; envelope: unknown }> {
  const elements: Element[] = [];
  const stream = streamOf(new TextEncoder().encode(text), size);
  const envelope = await splitElements(stream, cap, (element) => elements.push(element));
  return { elements, envelope };
}

const parsed = (element: Element): unknown =>
  element.kind === "whole" ? JSON.parse(new TextDecoder().decode(element.bytes)) : element;

describe("splitting a list", () => {
  test(
    "gives each element and the rest of the document, for any elements and chunking",
    inBothLanes,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.jsonValue(), { maxLength: 8 }),
          fc.oneof(fc.constant(null), fc.string()),
          fc.integer({ min: 1, max: 64 }),
          fc.constantFrom(0, 2),
          async (data, nextCursor, size, indent) => {
            const text = JSON.stringify({ data, nextCursor }, null, indent);
            const { elements, envelope } = await split(text, size);
            expect(elements.map(parsed)).toStrictEqual(JSON.parse(JSON.stringify(data)));
            expect(envelope).toStrictEqual({ nextCursor });
          },
        ),
        { numRuns: runs(1_000) },
      );
    },
  );

  test("reports an element above the size limit with its head, and continues", async () => {
    const large = { id: "7", blob: "x".repeat(10_000) };
    const { elements } = await split(
      JSON.stringify({ data: [{ id: "8" }, large, { id: "6" }], nextCursor: null }),
      100,
      5_000,
    );
    expect(elements.map((element) => element.kind)).toEqual(["whole", "too_large", "whole"]);
    const [, middle] = elements;
    if (middle?.kind !== "too_large") throw new Error("not too large");
    expect(new TextDecoder().decode(middle.head)).toMatch(/^\{"id":"7","blob":"x+$/);
    expect(middle.head.length).toBeLessThanOrEqual(4_096);
  });

  test.each([
    ["a list that breaks off inside an element", '{"data":[{"a":1},{"b"'],
    ["a list that breaks off between elements", '{"data":[{"a":1},'],
    ["a list that breaks off after the array", '{"data":[1]'],
    ["no list", "{}"],
    ["an array without its object", "[1,2]"],
    ["a missing element", '{"data":[1,,2]}'],
    ["an empty text", ""],
  ])("%s is an error", async (_name, text) => {
    await expect(split(text, 5)).rejects.toThrow(JsonReadError);
  });
});
