/**
 * No regular expression of the redactor is super-linear by its form: neither by backtracking, nor by being tried at
 * each place of a stretch that it then reads to the end. `scslre` does not judge bounded repetitions or combinations
 * of patterns; the fuzzer covers those.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { analyse } from "scslre";
import { expect, test, vi } from "vitest";
import { inProject } from "../../scripts/project.ts";

const FOLDER = inProject("src", "redaction");
const COMMENTS = /\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** A literal, recognized by what may follow one in our code. */
const LITERAL =
  /(?<![\w)\]]\s?)\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=\s*[,;).\]:?]|\s|$)/gm;

function literals(): RegExp[] {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(FOLDER, name), "utf8").replace(COMMENTS, ""))
    .flatMap((source) => [...source.matchAll(LITERAL)])
    .map(([, source = "", flags]) => new RegExp(source, flags));
}

/** Patterns built from strings when the rules are created, captured by loading the modules anew. */
async function builtPatterns(): Promise<RegExp[]> {
  const built: RegExp[] = [];
  const native = globalThis.RegExp;
  vi.resetModules();
  globalThis.RegExp = new Proxy(native, {
    construct(target, [source, flags]: [string | RegExp, string | undefined]) {
      const pattern = new target(source, flags);
      built.push(pattern);
      return pattern;
    },
  });
  try {
    const { createRules } = await import("../../src/redaction/rules.ts");
    createRules(["a-secret-of-this-test"], { personalData: true });
  } finally {
    globalThis.RegExp = native;
  }
  return built;
}

const problems = ({ source, flags }: RegExp): string[] =>
  analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } }).reports.map(
    ({ type }) => `${type}: /${source}/${flags}`,
  );

test("each regular expression literal is linear", () => {
  const found = literals();
  expect(found.length).toBeGreaterThan(200);
  expect(found.flatMap(problems)).toEqual([]);
});

test("each regular expression built at run time is linear", async () => {
  const found = await builtPatterns();
  expect(found.length).toBeGreaterThan(10);
  expect(found.flatMap(problems)).toEqual([]);
});

test("a super-linear regular expression is reported", () => {
  // Backtracked over a long word from each of its letters, and stalled the Worker.
  expect(problems(/\d|[A-Z].*[a-z]|[a-z].*[A-Z]/)).not.toEqual([]);
  expect(problems(/[\s:]+$/)).not.toEqual([]);
});
