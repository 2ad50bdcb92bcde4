/** The document says what the runner expects, of the scenarios that the installed suite has. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { DOCUMENT_FILE, renderDocument } from "./document.ts";
import { findDisagreements } from "./judge.ts";
import { EXPECTATIONS } from "./scenarios.ts";
import { listScenarios, suiteVersion } from "./suite.ts";
import { withFixtureTools } from "./worker-configuration.ts";

const listings = {
  server: await listScenarios("server"),
  authorization: await listScenarios("authorization"),
};

test.each(["server", "authorization"] as const)("each %s scenario of the suite is known", (kind) => {
  expect(listings[kind].size).toBeGreaterThan(1);
  expect(findDisagreements(listings[kind], EXPECTATIONS[kind])).toEqual([]);
});

test("docs/conformance.md is up to date: npm run conformance -- --write", async () => {
  const document = { suiteVersion: await suiteVersion(), listings, expectations: EXPECTATIONS };
  expect(await readFile(DOCUMENT_FILE, "utf8")).toBe(renderDocument(document));
});

test("the Worker with the suite's tools differs from the project's own in that one module", async () => {
  const own = 'name = "x"\nmain = "src/index.ts"\n\n[observability]\nenabled = true\n';
  const lines = withFixtureTools(own).split("\n");
  const added = lines.filter((line) => !own.split("\n").includes(line));
  expect(added).toEqual([
    expect.stringMatching(/^main = ".*\/src\/index\.ts"$/),
    "[alias]",
    expect.stringMatching(/^"\.\/wiring\/endpoint\.ts" = ".*\/test\/conformance\/worker\/endpoint\.ts"$/),
  ]);
  expect(() => withFixtureTools("name = 1")).toThrow();
  // What is replaced is what the Worker imports.
  const index = await readFile(inProject("src", "index.ts"), "utf8");
  expect(index).toContain('from "./wiring/endpoint.ts"');
});
