/** JSON that is shown page by page is redacted as a whole beforehand, so that every answer shows the same. */
import { describe, expect, test } from "vitest";
import { createPreviewingRedactor, createRedactor } from "../../src/redaction/redact.ts";

const OWN = "own-secret-of-this-server";
const SECRET = "hunter2-correct-horse";
const redactor = () => createPreviewingRedactor([OWN], {}, 500_000_000);
const noPause = async (): Promise<void> => {};

const VALUE = {
  headers: [{ name: "Authorization", value: `Bearer ${SECRET}` }],
  password: SECRET,
  note: `token=${SECRET} and ${OWN}`,
  nested: JSON.stringify({ apiKey: SECRET }),
  credentials: { slackApi: { id: null, name: "Slack" }, other: { id: "secretId", name: "Other" } },
};

describe("a printed value", () => {
  test("holds no secret, and its redactions are counted", async () => {
    const { redact, print } = redactor();
    const { value, counts } = redact({ text: await print(VALUE, noPause) });
    const { text } = value as { text: string };
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(OWN);
    expect(text).not.toContain("secretId");
    expect(JSON.parse(text)).toMatchObject({ credentials: { slackApi: { id: null, name: "Slack" } } });
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(
      text.split("[REDACTED:").length - 1,
    );
  });

  test("is the same whatever was redacted before, and its pages are parts of it", async () => {
    const { redact, print, preview } = redactor();
    preview({ password: "another" });
    const printed = await print(VALUE, noPause);
    const first = redact({ password: "yet another", text: printed }).value as { text: string };
    expect(first.text).toBe((await redactor().print(VALUE, noPause)).text);
    const page = redact({ text: printed.slice(30, 90) }).value as { text: string };
    expect(page.text).toBe(first.text.slice(30, 90));
  });

  test("that is large is printed with pauses, which do not change it", async () => {
    const large = Array.from({ length: 40 }, (_one, index) => ({
      ...VALUE,
      text: `${index} `.repeat(2_000),
    }));
    let pauses = 0;
    const printed = await redactor().print(large, async () => {
      pauses += 1;
    });
    expect(pauses).toBeGreaterThan(3);
    expect(JSON.parse(printed.text)).toEqual(await redactor().unnumbered(large, noPause));
  });

  test("is not imitated by an object of the same shape, which is redacted", () => {
    const { value } = createRedactor([])({ text: { text: `password=${SECRET}` } });
    expect(JSON.stringify(value)).not.toContain(SECRET);
  });
});

describe("n8n's connections", () => {
  const target = { node: "Call", type: "main", index: 0 };

  test("stay when the node's name sounds like a secret", () => {
    const connections = {
      "Get access token": { main: [[target], null, []] },
      "API key": { ai_tool: [[target]] },
    };
    expect(createRedactor([])({ connections }).value).toEqual({ connections });
  });

  test.each([
    ["a text among them", { main: [[SECRET]] }],
    ["a text as an output", { main: [SECRET] }],
    ["a text as a type", { main: SECRET }],
    ["another member", { main: [[{ ...target, value: SECRET }]] }],
    ["an index that is a text", { main: [[{ ...target, index: SECRET }]] }],
    ["connections and more", { main: [[target]], value: SECRET }],
  ])("do not include %s, which is redacted", (_what, token) => {
    expect(JSON.stringify(createRedactor([])({ token }).value)).not.toContain(SECRET);
  });

  test("are redacted where a value has the form of a secret", () => {
    const secret = "Bearer abcdefghijklmnop1234567890";
    const { value } = createRedactor([])({ token: { main: [[{ ...target, node: secret }]] } });
    expect(JSON.stringify(value)).not.toContain("abcdefghijklmnop");
  });
});
