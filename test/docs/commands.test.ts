/** Every command of the documentation is run by a test, or listed with the reason why not. */
import { describe, expect, test } from "vitest";
import { NOT_RUN, RUN, readCommandBlocks, reasonNotToRun } from "./command-lines.ts";

const blocks = readCommandBlocks();

test("the blocks of commands are found, those of the README among them", () => {
  expect(blocks.length).toBeGreaterThan(10);
  expect(
    blocks.filter(({ place }) => place.startsWith("README.md")).flatMap(({ commands }) => commands),
  ).toEqual([
    "npm ci && npm start",
    "npm run ask -- req-deep-failure",
    "npm run setup",
    "npm ci && npm test",
  ]);
});

describe.each(blocks)("$place", ({ commands }) => {
  test.each(commands)("%s is run, or has a reason why not", (command) => {
    expect(reasonNotToRun(command) !== undefined || RUN.test(command)).toBe(true);
  });
});

test("an unknown command is neither", () => {
  for (const command of ["make install", "npm install -g something", "npx something-else"])
    expect(reasonNotToRun(command) !== undefined || RUN.test(command)).toBe(false);
});

test("each reason is a sentence", () => {
  for (const [, reason] of NOT_RUN) expect(reason.length).toBeGreaterThan(10);
});
