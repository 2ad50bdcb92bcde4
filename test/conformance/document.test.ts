/** docs/conformance.md matches the runner's expectations and the scenarios of the installed suite. */
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

test.each(["server", "authorization"] as const)(
  "each %s scenario of the suite has an expectation",
  (kind) => {
    expect(listings[kind].size).toBeGreaterThan(1);
    expect(findDisagreements(listings[kind], EXPECTATIONS[kind])).toEqual([]);
  },
);

test("docs/conformance.md is up to date: npm run tools conformance -- --write", async () => {
  const document = { suiteVersion: await suiteVersion(), listings, expectations: EXPECTATIONS };
  expect(await readFile(DOCUMENT_FILE, "utf8")).toBe(renderDocument(document));
});

test("the Worker with the suite's tools replaces exactly one module of the project's own", async () => {
  const [name, ...rest] = Object.keys(FIXTURE_TOOLS_MODULE);
  expect(rest).toEqual([]);
  const index = await readFile(inProject("src", "index.ts"), "utf8");
  expect(index).toContain(`from "${name}"`);
});
