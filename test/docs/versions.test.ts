import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { readLaneArguments, toN8nVersion } from "../real-n8n/versions.ts";
import { KINDS_TABLE, QUEUE_TABLE, writeColumn } from "../real-n8n/versions-table.ts";

const marks = [
  "<!-- kinds: written by `npm run tools test:n8n -- --version <version> --write` -->",
  "<!-- /kinds -->",
] as const;
const empty = `before\n${marks.join("\n")}\nafter`;

describe("the version argument", () => {
  it("is refused when unknown, with a list of the known ones", () => {
    for (const version of ["1.99", ""])
      expect(() => toN8nVersion(version)).toThrow(/Known are: 2\.40\.5, 2\.41\.1, 1\.123\.81, 1\.100\.1\./);
  });
});

describe("the arguments of the lane", () => {
  const defaults = { version: "2.40.5", write: false, install: false };

  it.each([
    [[], defaults],
    [["--version=1.100.1"], { ...defaults, version: "1.100.1" }],
    [["--version", "1.100.1", "--write"], { ...defaults, version: "1.100.1", write: true }],
    [["--install", "--version", "1.123.81"], { ...defaults, version: "1.123.81", install: true }],
    [["--only", "safety"], { ...defaults, only: "safety" }],
    [["--queue", "--write"], { ...defaults, write: true, queue: true }],
  ])("%j", (args, options) => {
    expect(readLaneArguments(args)).toEqual({ kind: "run", options });
  });

  it.each([
    [["--version", "1.99"], /Known are/],
    [["--install", "--write"], /exclude each other/],
    [["--install", "--only", "safety"], /exclude each other/],
    [["--only", "safety", "--write"], /exclude each other/],
    [["--queue", "--install"], /exclude each other/],
    [["--only", "safety", "--queue"], /exclude each other/],
    [["--only", "speed"], /takes one of: safety, requests/],
    [["--only", "safety", "--only", "safety"], /takes one of: safety, requests/],
    [["--only"], /argument missing/],
    [["1.100.1"], /Unexpected argument/],
    [["--fast"], /Unknown option/],
  ])("%j is refused", (args, problem) => {
    expect(readLaneArguments(args)).toEqual({ kind: "wrong", problem: expect.stringMatching(problem) });
  });
});

describe("the table of versions", () => {
  it("keeps the other columns, and drops kinds that were no longer checked", () => {
    const first = writeColumn(empty, "2.40.5", new Map([["waiting", "ok"]]));
    const second = writeColumn(
      first,
      "1.100.1",
      new Map([
        ["waiting", "FAIL"],
        ["a | b", "not possible"],
      ]),
    );
    const third = writeColumn(second, "1.100.1", new Map([["waiting", "ok"]]));
    expect(second.split("\n").slice(2, -2)).toEqual([
      "| kind of request | 2.40.5 | 2.41.1 | 1.123.81 | 1.100.1 |",
      "| --- | --- | --- | --- | --- |",
      "| waiting | ok | – | – | FAIL |",
      "| a \\| b | – | – | – | not possible |",
    ]);
    expect(third.split("\n").slice(4, -2)).toEqual(["| waiting | ok | – | – | ok |"]);
    expect(third.startsWith("before\n")).toBe(true);
    expect(third.endsWith("\nafter")).toBe(true);
  });

  it("has its marker in the document, as has the table of queue mode", async () => {
    const document = await readFile(inProject("docs", "versions.md"), "utf8");
    for (const table of [KINDS_TABLE, QUEUE_TABLE])
      expect(() => writeColumn(document, "2.40.5", new Map(), table)).not.toThrow();
  });
});
