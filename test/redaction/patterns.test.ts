/**
 * No regular expression of the redactor is super-linear, as far as can be told from its form: neither by going back
 * over what it has read, nor by being tried at each place of a stretch that it then reads to the end. What is bounded
 * by a number is not judged here (`scslre` does not), and neither is what is built of them: the fuzzer is for that.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { analyse } from "scslre";
import { expect, test, vi } from "vitest";
import { inProject } from "../../scripts/project.ts";

const FOLDER = inProject("src", "redaction");
const COMMENTS = /\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** A literal with what may follow one in our code. */
const LITERAL =
  /(?<![\w)\]]\s?)\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=\s*[,;).\]:?]|\s|$)/gm;

function literals(): RegExp[] {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(FOLDER, name), "utf8").replace(COMMENTS, ""))
    .flatMap((source) => [...source.matchAll(LITERAL)])
    .map(([, source = "", flags]) => new RegExp(source, flags));
}

/** Those that are put together of texts when the rules are made: their modules are read anew. */
async function builtOnes(): Promise<RegExp[]> {
  const built: RegExp[] = [];
  const native = globalThis.RegExp;
  vi.resetModules();
  globalThis.RegExp = new Proxy(native, {
    construct(target, [source, flags]: [string | RegExp, string | undefined]) {
      const made = new target(source, flags);
      built.push(made);
      return made;
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

test("each literal is linear", () => {
  const found = literals();
  expect(found.length).toBeGreaterThan(200);
  expect(found.flatMap(problems)).toEqual([]);
});

test("each one that is built is linear", async () => {
  const found = await builtOnes();
  expect(found.length).toBeGreaterThan(10);
  expect(found.flatMap(problems)).toEqual([]);
});

test("one that is not is told", () => {
  // Went back over a long word from each of its letters, and stalled the Worker.
  expect(problems(/\d|[A-Z].*[a-z]|[a-z].*[A-Z]/)).not.toEqual([]);
  expect(problems(/[\s:]+$/)).not.toEqual([]);
});
