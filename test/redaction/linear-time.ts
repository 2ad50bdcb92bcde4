/** Whether time grows as the size does: the same value at two sizes. */
import { expect } from "vitest";
import { fastest } from "../../scripts/fuzz-redaction/measure.ts";

/** Eight times the text takes eight times as long; of what grows with its square, 64 times. */
const TIMES = 8;
const SLACK = 3;
const FACTORS = [4, TIMES];
/** Shorter times are noise. */
const LEAST_MILLISECONDS = 4;

/** @param redact of what `make` makes, of about so many characters */
export function expectLinear(
  redact: (value: unknown) => unknown,
  make: (size: number) => unknown,
  size: number,
): void {
  const few = make(size);
  const one = Math.max(
    fastest(2, () => redact(few)),
    LEAST_MILLISECONDS,
  );
  // At growing sizes, so that what is no line is known before it takes minutes.
  for (const factor of FACTORS) {
    const many = make(factor * size);
    expect(fastest(factor === TIMES ? 2 : 1, () => redact(many))).toBeLessThan(factor * SLACK * one);
  }
}

export const times = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length));
