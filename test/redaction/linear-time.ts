/** Whether time grows as the size does: the same value at two sizes. */
import { expect } from "vitest";
import { fastest } from "../../scripts/fuzz-redaction/measure.ts";

/** Eight times the text takes eight times as long; of what grows with its square, 64 times. */
const TIMES = 8;
const SLACK = 3;
/** Shorter times are noise. */
const LEAST_MILLISECONDS = 4;

/** @param redact of what `make` makes, of about so many characters */
export function expectLinear(
  redact: (value: unknown) => unknown,
  make: (size: number) => unknown,
  size: number,
): void {
  const [few, many] = [make(size), make(TIMES * size)];
  const one = fastest(2, () => redact(few));
  const more = fastest(2, () => redact(many));
  expect(more).toBeLessThan(TIMES * SLACK * Math.max(one, LEAST_MILLISECONDS));
}

export const times = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length));
