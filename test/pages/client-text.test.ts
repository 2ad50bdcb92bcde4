import { expect, test } from "vitest";
import { toDisplayName } from "../../src/pages/client-text.ts";

test.each([
  "Claude",
  "Claude Code (n8n-observer)",
  "日本語アプリ",
  "Café №1",
  "שלום",
  "हिन्दी",
  "Visual Studio Code 🚀",
])("%s is shown unchanged", (name) => {
  expect(toDisplayName(name)).toBe(name.normalize("NFC"));
});

test.each([
  ["with reversed text", "Cla\u202Eedu", "Claedu"],
  ["with isolates", "\u2066Claude\u2069", "Claude"],
  ["with zero-width characters", "Cl\u200Ba\u200Du\uFEFFde", "Claude"],
  ["with control characters", "Clau\u0000\u0007\u001Bde", "Claude"],
  ["with line breaks", "Claude\n\n\r\nby\u2028Anthropic", "Claude by Anthropic"],
  ["with invisible fillers", "Cla\u3164\u115F\u2800ude", "Claude"],
  ["with tag characters", "Claude\u{E0041}\u{E0042}", "Claude"],
  ["with a lone surrogate", "Claude\uD800", "Claude"],
  ["with far too much space", "  Claude \u00A0\u3000  Code  ", "Claude Code"],
])("a name %s is cleaned", (_, name, plain) => {
  expect(toDisplayName(name)).toBe(plain);
});

test.each(["", "   ", "\u200B\u202E", "\u3164"])("%o counts as no name", (name) => {
  expect(toDisplayName(name)).toBe("An app without a name");
});

test("a name is at most 80 characters long", () => {
  const shown = toDisplayName("🚀".repeat(500));
  expect(Array.from(shown)).toHaveLength(80);
  expect(shown.endsWith("…")).toBe(true);
});

test("accents do not pile up", () => {
  expect(toDisplayName(`a${"\u0316".repeat(50)}b`).length).toBeLessThan(8);
});
