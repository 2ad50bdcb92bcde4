/** Every Durable Object is called through `ObjectCalls`, which decides what happens to a call when the object is reset. */
import { expect, test } from "vitest";
import { readSourceFiles } from "./source-imports.ts";

const OPENED = /\bgetByName\(|\bidFromName\(|\bidFromString\(|\bnewUniqueId\(/g;
const OPENED_FOR_CALLS = /new ObjectCalls(?:<[\w<>]+>)?\(\s*"\w+",\s*\(\) =>\s*[\w.]+\.getByName\(/g;

test("no Durable Object is called except through ObjectCalls", async () => {
  const files = (await readSourceFiles()).map(({ path, text }) => ({
    path,
    opened: text.match(OPENED)?.length ?? 0,
    forCalls: text.match(OPENED_FOR_CALLS)?.length ?? 0,
  }));
  const direct = files.filter(({ opened, forCalls }) => opened > forCalls).map(({ path }) => path);
  expect(direct).toEqual([]);
  expect(files.filter(({ forCalls }) => forCalls > 0).length).toBeGreaterThan(7);
});
