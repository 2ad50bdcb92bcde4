import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareShapes } from "../../../src/executions/comparison/compare-shapes.ts";
import { addTo, emptyShape, mergeInto, type Shape } from "../../../src/executions/comparison/shape.ts";
import { OMITTED_MEMBERS, Omitted, type ReadValue } from "../../../src/json/omitted.ts";

const shapeOf = (...items: ReadValue[]): Shape => {
  const shape = emptyShape();
  for (const item of items) addTo(shape, item);
  return shape;
};
const compare = (before: ReadValue[], now: ReadValue[]) => compareShapes(shapeOf(...before), shapeOf(...now));
const NOTHING = { missing: [], added: [], changedTypes: [] };

describe("fields of two shapes", () => {
  test("a missing, new or retyped field is reported at its topmost path", () => {
    const before = [
      { order: { id: 1, lines: [{ sku: "a", price: 1 }] }, customer: { name: "x", city: "y" } },
    ];
    const now = [{ order: { id: "1", lines: [{ sku: "a" }] }, user: { name: "x" } }];
    expect(compare(before, now)).toEqual({
      missing: ["order.lines[].price", "customer"],
      added: ["user"],
      changedTypes: [{ path: "order.id", before: ["number"], now: ["string"] }],
    });
  });

  test("null, absent and empty are different", () => {
    const before = [{ a: "x", b: "x", c: "x", d: ["x"], e: { x: 1 } }];
    const now = [{ a: null, c: "", d: [], e: {} }];
    expect(compare(before, now)).toEqual({
      missing: ["b"],
      added: [],
      changedTypes: [
        { path: "a", before: ["string"], now: ["null"] },
        { path: "c", before: ["string"], now: ["empty string"] },
        { path: "d", before: ["array"], now: ["empty array"] },
        { path: "e", before: ["object"], now: ["empty object"] },
      ],
    });
  });

  test("an optional field may be absent; a field that was always there may not", () => {
    expect(compare([{ a: 1 }, { a: 1, b: 2 }], [{ a: 1 }])).toEqual(NOTHING);
    expect(compare([{ a: 1 }, { a: null }], [{ a: null }])).toEqual(NOTHING);
    expect(compare([{ a: 1, b: 1 }], [{ a: 1, b: 1 }, { a: 1 }]).changedTypes).toEqual([
      { path: "b", before: ["number"], now: ["number", "absent"] },
    ]);
  });

  test("other values, another order and more items make no difference", () => {
    expect(
      compare(
        [{ a: 1, b: "x" }],
        [
          { b: "y", a: 2 },
          { a: 3, b: "z" },
        ],
      ),
    ).toEqual(NOTHING);
  });

  test("the entries of an empty list are unknown, not missing", () => {
    expect(compare([{ rows: [{ a: 1 }] }], [{ rows: [] }]).missing).toEqual([]);
  });

  test("a name that is no identifier is quoted in its path", () => {
    expect(compare([{ "First name": 1 }], [{}]).changedTypes[0]?.path).toBe("");
    expect(compare([{ "First name": 1, x: 1 }], [{ x: 1 }]).missing).toEqual(['["First name"]']);
  });
});

test.each(["address_1", "Question 1", "line-2"])(
  "a field named %s, which ends in a number, can be missing",
  (name) => {
    const rest = { city: "c", address_2: "", "Question 2": "" };
    const { missing, changedTypes } = compare([{ billing: { ...rest, [name]: "x" } }], [{ billing: rest }]);
    expect([missing, changedTypes]).toEqual([[expect.stringContaining(name)], []]);
  },
);

test.each(["decision_1", "Marketing 1", "mark_1", "junction-1", "Octet 1"])(
  "%s is a field name, not a date",
  (name) => {
    expect(compare([{ city: "c", [name]: 1 }], [{ city: "c" }]).missing).toHaveLength(1);
  },
);

test("a field that ends in a number is reported missing beside keys that are data", () => {
  const [before, now] = [
    { city: "c", address_1: "a", "ref-4711": 1 },
    { city: "c", "ref-4711": 1 },
  ];
  expect(compare([before], [now]).missing).toEqual(["address_1"]);
});

describe("keys that are data", () => {
  test.each([
    ["ids", { "4711": { n: 1 } }, { "4712": { n: 1 } }],
    ["dates", { "2026-01-01": 1 }, { "2026-01-02": 1 }],
    ["addresses", { "ada@example.com": 1 }, { "bob@example.com": 1 }],
    ["numbered names", { "order-1": 1 }, { "order-2": 1 }],
    ["numbered names that replace each other", { total: 1, "order-1": 1 }, { total: 1, "order-2": 1 }],
    ["nothing but numbered names", { "order-1": 1, "order-2": 1 }, { "order-2": 1 }],
    [
      "long series",
      { total: 1, line_1: 1, line_2: 1, line_3: 1, line_4: 1, line_5: 1 },
      { total: 1, line_1: 1 },
    ],
    ["a series that got longer", { sku: "a", "KW 12": 1 }, { sku: "a", "KW 12": 1, "KW 13": 1 }],
    ["days of a month", { Name: 1, "Nov 30": 1 }, { Name: 1, "Dec 01": 1 }],
    ["digests", { a9b8c7d6e5f4: 1 }, { b1c2d3e4f5a6: 1 }],
    [
      "entries of one form",
      Object.fromEntries(["ada", "bob", "cy", "dee", "eve"].map((name) => [name, { age: 1 }])),
      Object.fromEntries(["fay", "gus", "hal", "ida", "jo"].map((name) => [name, { age: 2 }])),
    ],
    [
      "more than a hundred keys",
      Object.fromEntries(
        Array.from({ length: 150 }, (_one, at) => [`key${"abcdefghij"[at % 10]}${"x".repeat(at)}`, at]),
      ),
      { other: 1 },
    ],
  ])("%s may come and go", (_name, before, now) => {
    expect(compare([{ rates: before }], [{ rates: now }])).toEqual(NOTHING);
  });

  test.each([
    [
      "another member",
      [{ sku: "a", s_1: 1 }],
      [
        { sku: "a", s_1: 1 },
        { sku: "b", s_2: 1 },
      ],
    ],
    [
      "more members",
      [{ sku: "a", s_1: 1, s_2: 1 }],
      [
        { sku: "a", s_1: 1, s_2: 1 },
        { sku: "b", s_1: 1, s_2: 1, s_3: 1, s_4: 1, s_5: 1 },
      ],
    ],
  ])("list entries with %s of a numbered series do not differ", (_name, before, now) => {
    expect(compare([{ rows: before }], [{ rows: now }])).toEqual(NOTHING);
  });

  test("the values under such keys are compared as one shape", () => {
    expect(compare([{ by: { "4711": { n: 1 } } }], [{ by: { "4712": { n: "1" } } }]).changedTypes).toEqual([
      { path: "by.*.n", before: ["number"], now: ["string"] },
    ]);
  });
});

test("a field that was not read is not missing", () => {
  const cut: ReadValue = { a: 1, [OMITTED_MEMBERS]: new Omitted("members", 90, 89, 1_000) };
  expect(compare([{ a: 1, b: 2 }], [cut])).toEqual(NOTHING);
  expect(compare([cut], [{ a: 1, b: 2 }])).toEqual(NOTHING);
  expect(compare([{ a: { b: 1 } }], [{ a: new Omitted("members", 3, 3, 100) }])).toEqual(NOTHING);
});

const payload = fc.array(fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<ReadValue>, {
  minLength: 1,
  maxLength: 4,
});

test("a shape does not differ from itself, nor from itself merged with others", () => {
  fc.assert(
    fc.property(payload, payload, (items, others) => {
      const shape = shapeOf(...items);
      expect(compareShapes(shape, shapeOf(...items))).toEqual(NOTHING);
      mergeInto(shape, shapeOf(...others));
      expect(compareShapes(shape, shapeOf(...items))).toEqual(NOTHING);
    }),
  );
});
