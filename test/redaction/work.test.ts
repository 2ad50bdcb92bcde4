/** Limits on the work of redaction: for one text, for one answer, and what happens beyond them. */
import { describe, expect, test } from "vitest";
import { createPreviewingRedactor, createRedactor } from "../../src/redaction/redact.ts";
import { inBothLanes, sizeOf } from "../support/lane.ts";
import { formedCases } from "./corpus/carriers.ts";
import { ordinaryValue } from "./corpus/measure.ts";
import { createRandom } from "./corpus/random.ts";
import { formedSecrets } from "./corpus/secrets.ts";

const redact = createRedactor(["a-secret-of-this-test"]);

describe("a text that takes more work than its length allows", () => {
  const text = `x ${'["a"]'.repeat(20_000)}`;

  test("is withheld as a whole, and counted", () => {
    const { value, counts } = redact({ text, other: "stays as it is" });
    expect(value).toEqual({ text: "[REDACTED:too-complex]", other: "stays as it is" });
    expect(counts).toEqual({ "too-complex": 1 });
  });

  test("hides its value when it is a key, which may be the name of a secret", () => {
    expect(redact({ [text]: 4_711 }).value).toEqual({ "[REDACTED:too-complex]": "[REDACTED:withheld]" });
  });

  test("is read in full when it is short", () => {
    const short = `x ${'["a"]'.repeat(50)}`;
    expect(redact(short).value).toBe(short);
  });
});

describe("a long text in realistic layers of encoding is redacted to its end", () => {
  const rows = Array.from({ length: 300 }, (_one, index) => ({
    id: index,
    name: `Customer ${index}`,
    note: "The customer asked again and got no answer. ".repeat(2),
    url: `https://shop.test/orders/${index}?page=2`,
    password: `hunter${index}xQ!`,
  }));
  const json = JSON.stringify(rows);
  const layers: readonly [string, string][] = [
    ["JSON in JSON in JSON", JSON.stringify({ a: JSON.stringify({ b: json }) })],
    ["base64 in JSON", JSON.stringify({ raw: btoa(json) })],
    ["percent-encoding", encodeURIComponent(json)],
    ["a form", rows.map(({ note }) => `note=${encodeURIComponent(note)}`).join("&")],
    ["a log", rows.map(({ id, password }) => `login user=${id} password=${password}`).join("\n")],
    ["CSV", `user,password\n${rows.map(({ id, password }) => `${id},${password}`).join("\n")}`],
  ];

  test.each(layers)("%s", (_name, text) => {
    const { value, counts } = redact(text);
    expect(counts["too-complex"]).toBeUndefined();
    expect(counts.withheld).toBeUndefined();
    expect(String(value)).not.toMatch(/hunter\d/);
  });
});

describe("an answer that takes too much work", () => {
  const long = "the order was sent to the customer. ".repeat(30_000);
  const answer = {
    rows: Array.from({ length: 14 }, (_, index) => `${long}${index}`),
    after: { status: "success", count: 3, secret: "token=abc123def", [`${long}!`]: 42 },
  };

  test("is redacted up to the limit; beyond it, only values that no rule can change are shown", () => {
    const { value, counts } = redact(answer);
    expect(value).toMatchObject({
      rows: [
        ...answer.rows.slice(0, 12).map(() => expect.stringContaining("order")),
        "[REDACTED:withheld]",
        "[REDACTED:withheld]",
      ],
      after: { status: "success", count: 3 },
    });
    expect(JSON.stringify(value)).not.toContain("abc123def");
    expect(JSON.stringify(value)).not.toContain("42");
    expect(counts.withheld).toBeGreaterThanOrEqual(4);
  });

  test("is larger than the largest execution that a reader keeps", inBothLanes, () => {
    expect(redact(ordinaryValue(sizeOf(6_000_000, 1_000_000))).counts.withheld).toBeUndefined();
  });
});

describe("redaction with pauses", () => {
  const random = createRandom(3);
  const value = {
    ordinary: ordinaryValue(300_000),
    secrets: formedSecrets(random)
      .flatMap(formedCases)
      .map(({ value }) => value),
  };
  const redactor = createPreviewingRedactor(["a-secret-of-this-test"], {}, 123_456_789);

  test("gives the same result and the same mark numbers, and pauses repeatedly", async () => {
    let pauses = 0;
    const paused = await redactor.redactWithPauses(value, async () => {
      pauses += 1;
    });
    expect(paused).toEqual(redactor.redact(value));
    expect(pauses).toBeGreaterThan(4);
  });

  test("does not pause for a small value", async () => {
    const paused = await redactor.redactWithPauses({ password: "x", list: ["token=abc123def"] }, async () => {
      throw new Error("a pause");
    });
    expect(paused.value).toEqual({ password: "[REDACTED:key#1]", list: ["token=[REDACTED:key#2]"] });
  });

  test("fails when a pause fails, so that nothing is shown", async () => {
    const failing = redactor.redactWithPauses(value, async () => {
      throw new Error("the isolate ends");
    });
    await expect(failing).rejects.toThrow("the isolate ends");
  });
});

test("of an object with many keys that hold secrets, the keys beyond the limit are withheld", () => {
  const passwordOf = (index: number): string => `hunter2-${index}-Xq9`;
  const object = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, index) => [`user=${index} password=${passwordOf(index)}`, "a value"]),
  );
  const { value, counts } = createRedactor([])({ ...object, plain: "is read" });
  expect(JSON.stringify(value)).not.toContain("hunter2");
  expect(value).toMatchObject({ plain: "is read", "[REDACTED:withheld]": "[REDACTED:withheld]" });
  expect(Object.keys(value ?? {}).length).toBe(500 + 2);
  expect(counts.withheld).toBe(2 * 1_000);
});
