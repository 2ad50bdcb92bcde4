/** The document says what the runner expects, of the scenarios that the installed suite has. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { DOCUMENT_FILE, renderDocument } from "./document.ts";
import { findDisagreements } from "./judge.ts";
import { EXPECTATIONS } from "./scenarios.ts";
import { FIXTURE_TOOLS_MODULE } from "./servers.ts";
import { listScenarios, suiteVersion } from "./suite.ts";

const listings = {
  server: await listScenarios("server"),
  authorization: await listScenarios("authorization"),
};

test.each(["server", "authorization"] as const)("each %s scenario of the suite is known", (kind) => {
  expect(listings[kind].size).toBeGreaterThan(1);
  expect(findDisagreements(listings[kind], EXPECTATIONS[kind])).toEqual([]);
});

test("docs/conformance.md is up to date: npm run tools conformance -- --write", async () => {
  const document = { suiteVersion: await suiteVersion(), listings, expectations: EXPECTATIONS };
  expect(await readFile(DOCUMENT_FILE, "utf8")).toBe(renderDocument(document));
});

test("the Worker with the suite's tools differs from the project's own in one module, which it imports", async () => {
  const [name, ...others] = Object.keys(FIXTURE_TOOLS_MODULE);
  expect(others).toEqual([]);
  const index = await readFile(inProject("src", "index.ts"), "utf8");
  expect(index).toContain(`from "${name}"`);
});
