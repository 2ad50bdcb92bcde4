/** Every call of a Durable Object says what becomes of it when the object is reset: see `ObjectCalls`. */
import { expect, test } from "vitest";
import { readSourceFiles } from "./source-imports.ts";

const OPENED = /\bgetByName\(|\bidFromName\(|\bidFromString\(|\bnewUniqueId\(/g;
const OPENED_FOR_CALLS = /new ObjectCalls(?:<[\w<>]+>)?\(\s*"\w+",\s*\(\) =>\s*[\w.]+\.getByName\(/g;

test("no object is called but through it", async () => {
  const files = (await readSourceFiles()).map(({ path, text }) => ({
    path,
    opened: text.match(OPENED)?.length ?? 0,
    forCalls: text.match(OPENED_FOR_CALLS)?.length ?? 0,
  }));
  const past = files.filter(({ opened, forCalls }) => opened > forCalls).map(({ path }) => path);
  expect(past).toEqual([]);
  expect(files.filter(({ forCalls }) => forCalls > 0).length).toBeGreaterThan(7);
});
