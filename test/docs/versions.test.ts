import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readLaneArguments, readN8nVersion } from "../real-n8n/versions.ts";
import { writeColumn } from "../real-n8n/versions-table.ts";

const marks = [
  "<!-- kinds: written by `npm run tools test:n8n -- --version <version> --write` -->",
  "<!-- /kinds -->",
] as const;
const empty = `before\n${marks.join("\n")}\nafter`;

describe("the version that a command is told", () => {
  it("is the newest without one", () => {
    expect(readN8nVersion([])).toBe("2.40.5");
  });

  it.each([[["--version", "1.100.1"]], [["--version=1.100.1"]]])("is read from %j", (commandLine) => {
    expect(readN8nVersion(commandLine)).toBe("1.100.1");
  });

  it.each([[["--version", "1.99"]], [["--version"]], [["--version="]]])(
    "is refused when it is unknown, with those that are known: %j",
    (commandLine) => {
      expect(() => readN8nVersion(commandLine)).toThrow(/Known are: 2\.40\.5, 1\.123\.81, 1\.100\.1\./);
    },
  );

  it.each([[["1.100.1"]], [["--fast"]], [["--version", "1.100.1", "2.40.5"]]])(
    "is all: %j",
    (commandLine) => {
      expect(() => readN8nVersion(commandLine)).toThrow(/is taken here/);
    },
  );

  it("may come with --write for the lane", () => {
    expect(readLaneArguments(["--version", "1.100.1", "--write"])).toEqual({
      version: "1.100.1",
      write: true,
      install: false,
    });
    expect(readLaneArguments([])).toEqual({ version: "2.40.5", write: false, install: false });
  });

  it("may come with --install, alone", () => {
    expect(readLaneArguments(["--install", "--version", "1.123.81"])).toEqual({
      version: "1.123.81",
      write: false,
      install: true,
    });
    expect(() => readLaneArguments(["--install", "--write"])).toThrow(/Only one of --install/);
    expect(() => readLaneArguments(["--install", "--only", "safety"])).toThrow(/Only one of --install/);
  });

  it("may come with one section of the lane, of which no column is written", () => {
    expect(readLaneArguments(["--only", "safety", "--version", "1.123.81"])).toEqual({
      version: "1.123.81",
      write: false,
      install: false,
      only: "safety",
    });
    for (const wrong of [["--only"], ["--only", "speed"], ["--only", "safety", "--only", "safety"]])
      expect(() => readLaneArguments(wrong)).toThrow(/takes one of: safety, requests|is taken here/);
    expect(() => readLaneArguments(["--only", "safety", "--write"])).toThrow(/Only one of/);
  });
});

describe("the table of versions", () => {
  it("keeps the other columns, and drops the kinds that nobody asked about any more", () => {
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
      "| kind of request | 2.40.5 | 1.123.81 | 1.100.1 |",
      "| --- | --- | --- | --- |",
      "| waiting | ok | – | FAIL |",
      "| a \\| b | – | – | not possible |",
    ]);
    expect(third.split("\n").slice(4, -2)).toEqual(["| waiting | ok | – | ok |"]);
    expect(third.startsWith("before\n")).toBe(true);
    expect(third.endsWith("\nafter")).toBe(true);
  });

  it("has its place in the document", async () => {
    const document = await readFile(
      join(dirname(fileURLToPath(import.meta.url)), "../../docs/versions.md"),
      "utf8",
    );
    expect(() => writeColumn(document, "2.40.5", new Map())).not.toThrow();
  });
});
