/** Checks that time grows linearly, by redacting the same value at several sizes. */
import { expect } from "vitest";
import { fastest } from "../../scripts/fuzz-redaction/measure.ts";

/** With eight times the text, linear work takes eight times as long, quadratic work 64 times. */
const TIMES = 8;
const SLACK = 3;
const FACTORS = [4, TIMES];
/** Shorter times are noise. */
const LEAST_MILLISECONDS = 4;

/** @param make returns a value of about `size` characters */
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
  // The smaller factor first, so that quadratic work fails before it takes minutes.
  for (const factor of FACTORS) {
    const many = make(factor * size);
    expect(fastest(factor === TIMES ? 2 : 1, () => redact(many))).toBeLessThan(factor * SLACK * one);
  }
}

export const times = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length));
