import { expect, test } from "vitest";
import { bundleSize, startupTime } from "../../scripts/check/steps.ts";

test("the bundle's size is read from wrangler's output", () => {
  expect(bundleSize("Total Upload: 1230.20 KiB / gzip: 268.97 KiB\n")).toBe("1230.20 KiB, 268.97 KiB gzip");
  expect(bundleSize("something else")).toBeUndefined();
});

test("the startup time is read from wrangler's output", () => {
  expect(startupTime("│   Active: 110.0 ms (including 8.4 ms garbage collection)")).toBe(
    "110.0 ms of CPU on this machine",
  );
  expect(startupTime("something else")).toBeUndefined();
});
