/** Texts constructed to be slow to redact, kept as short descriptions from which any size can be made. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { inProject } from "../../scripts/project.ts";

export const slowText = z.object({
  /** The text before the stretches, and the text after them. */
  before: z.string(),
  after: z.string(),
  stretch: z.string().min(1),
  /** The text between the two halves of `twice` and `nested`, and the stretch of the second half. */
  middle: z.string(),
  second: z.string(),
  /** `numbered`: each stretch is followed by its number, so that no two are alike. */
  shape: z.enum(["repeated", "twice", "nested", "numbered"]),
  /** Where the text stands. Carriers of many short texts hold one stretch in each. */
  carrier: z.enum([
    ...["text", "key", "texts", "keys", "pairs", "table", "deep", "json", "base64", "percent"],
    ...["header", "secret", "arguments"],
  ] as const),
});
export type SlowText = z.infer<typeof slowText>;

const MOST_LEVELS = 150;

function stretches(size: number, { stretch, shape }: SlowText): string[] {
  const count = Math.max(1, Math.ceil(size / (stretch.length + (shape === "numbered" ? 5 : 0))));
  return Array.from({ length: count }, (_, index) => (shape === "numbered" ? stretch + index : stretch));
}

/** The text alone, of about `size` characters. */
export function makeText(described: SlowText, size: number): string {
  const { before, after, stretch, middle, second, shape } = described;
  if (shape === "repeated" || shape === "numbered")
    return before + stretches(size, described).join("") + after;
  const half = size / 2;
  const count = Math.ceil(half / stretch.length);
  const other = second === "" ? stretch : second;
  const ends = shape === "nested" ? count : Math.ceil(half / other.length);
  return before + stretch.repeat(count) + middle + other.repeat(ends) + after;
}

function inPieces(described: SlowText, size: number): string[] {
  const { before, after } = described;
  const each = before.length + described.stretch.length + after.length;
  return stretches((size * described.stretch.length) / each, described).map(
    (piece) => before + piece + after,
  );
}

/** The text in its carrier, ready to be redacted. */
export function makeValue(described: SlowText, size: number): unknown {
  const { carrier, middle } = described;
  const text = (): string => makeText(described, size);
  switch (carrier) {
    case "text":
      return { text: text() };
    case "key":
      return { [text()]: 1 };
    case "header":
      return { headers: { "x-note": text(), accept: middle } };
    case "secret":
      // The members of a secret's object have rules of their own.
      return { password: { [text()]: middle, expires_at: "2026-01-02" } };
    case "arguments":
      return [text(), ...inPieces(described, size).flatMap((piece) => [piece, middle])];
    case "texts":
      return inPieces(described, size);
    case "keys":
      return Object.fromEntries(
        inPieces(described, size).map((piece, index) => [`${piece}${index}`, middle]),
      );
    case "pairs":
      return inPieces(described, size).map((name) => ({ name, value: middle }));
    case "table":
      return {
        columns: ["id", "token"],
        rows: inPieces(described, size).map((each, index) => [index, each]),
      };
    case "deep":
      return Array.from({ length: MOST_LEVELS }).reduce<unknown>((inside) => ({ a: inside }), text());
    case "json":
      return { text: JSON.stringify([inPieces(described, size)]) };
    case "base64":
      return { text: Buffer.from(text()).toString("base64") };
    case "percent":
      return { text: `a=${encodeURIComponent(text().toWellFormed())}` };
  }
}

const remembered = z.array(slowText.extend({ target: z.string() }));
export type RememberedText = z.infer<typeof remembered>[number];

export const SLOW_TEXTS_FILE = inProject("test", "redaction", "slow-texts.json");

export function rememberedTexts(): RememberedText[] {
  return remembered.parse(JSON.parse(readFileSync(SLOW_TEXTS_FILE, "utf8")));
}
