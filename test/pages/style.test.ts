/** Contrast of edges and focus rings (WCAG 1.4.11), which axe-core does not check. */
import { describe, expect, test } from "vitest";
import { STYLE } from "../../src/pages/style.ts";

const MINIMUM_CONTRAST = 3;
const [light = "", dark = ""] = STYLE.split("@media (prefers-color-scheme: dark)");

function colour(sheet: string, name: string): string {
  const value = new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(sheet)?.[1];
  if (value === undefined) throw new Error(`Missing color --${name}.`);
  return value;
}

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

describe.each([
  ["light", light],
  ["dark", dark],
])("in the %s scheme", (_, sheet) => {
  test.each([
    ["edge", "card"],
    ["edge", "ground"],
    ["accent", "card"],
    ["accent", "ground"],
    ["accent", "glow"],
    ["bad", "ground"],
    ["warn-line", "card"],
  ])("--%s contrasts with --%s", (front, ground) => {
    expect(contrast(colour(sheet, front), colour(sheet, ground))).toBeGreaterThanOrEqual(MINIMUM_CONTRAST);
  });
});
