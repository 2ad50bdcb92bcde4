/**
 * The test-only Worker: the project's own wrangler configuration with one module replaced, the endpoint that
 * serves the tools. Made from wrangler.toml, so that routes, sign-in, bindings and flags cannot drift apart.
 */
import { readFile } from "node:fs/promises";
import { inProject } from "../../scripts/project.ts";

/** As src/index.ts imports it. */
const REPLACED_MODULE = "./wiring/endpoint.ts";
const MAIN = /^main = "([^"]+)"$/m;

/** `own` is wrangler.toml. Its paths become absolute, since the result lies in another folder. */
export function withFixtureTools(own: string): string {
  const main = MAIN.exec(own)?.[1];
  if (main === undefined) throw new Error("wrangler.toml names no main module.");
  const endpoint = inProject("test", "conformance", "worker", "endpoint.ts");
  return [
    own.replace(MAIN, () => `main = ${JSON.stringify(inProject(main))}`),
    "[alias]",
    `${JSON.stringify(REPLACED_MODULE)} = ${JSON.stringify(endpoint)}`,
    "",
  ].join("\n");
}

export async function fixtureConfiguration(): Promise<string> {
  return withFixtureTools(await readFile(inProject("wrangler.toml"), "utf8"));
}
