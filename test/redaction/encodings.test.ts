/** Percent-encoding is decoded without exceptions, with the same result as the runtime's decoder. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodePercent } from "../../src/redaction/encodings.ts";

function decodedByRuntime(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const pieces = fc.constantFrom(
  ...["%", "4", "1", "C", "A", "9", "x", "+", "é"],
  ...["%41", "%80", "%C3", "%C3%A9", "%c3%a9", "%E2%82%AC", "%F0%9F%98%80", "%ED%A0%80", "%C0%80", "%2"],
);

test("any text is decoded exactly as the runtime would", () => {
  let decoded = 0;
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
      const result = decodePercent(parts.join(""));
      if (result !== undefined) decoded += 1;
      expect(result).toBe(decodedByRuntime(parts.join("")));
    }),
    { numRuns: 3_000 },
  );
  expect(decoded).toBeGreaterThan(100);
});
