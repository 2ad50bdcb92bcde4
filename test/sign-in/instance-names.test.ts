/** How the consent page names what can be read. */
import { expect, test } from "vitest";
import { instanceNames } from "../../src/sign-in/instance-names.ts";

const named = (count: number): string =>
  JSON.stringify(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `n8n-${index + 1}`,
        { baseUrl: `https://n8n-${index + 1}.example.com`, apiKey: `key-of-instance-${index + 1}` },
      ]),
    ),
  );
const ONE = { N8N_BASE_URL: "https://internal.example:8443/n8n", N8N_API_KEY: "key-of-the-tests" };

test("one n8n is named by its host and port only", () => {
  expect(instanceNames(ONE)).toEqual(["internal.example:8443"]);
});

test("the editor's address is named instead of the internal one", () => {
  expect(instanceNames({ ...ONE, N8N_EDITOR_URL: "https://n8n.example.com" })).toEqual(["n8n.example.com"]);
});

test("several instances are listed by name and host, three at most", () => {
  expect(instanceNames({ N8N_INSTANCES: named(3) })).toEqual([
    "n8n-1 (n8n-1.example.com)",
    "n8n-2 (n8n-2.example.com)",
    "n8n-3 (n8n-3.example.com)",
  ]);
  expect(instanceNames({ N8N_INSTANCES: named(20) }).slice(3)).toEqual(["17 more"]);
});

test("nothing is named while the settings are malformed", () => {
  expect(instanceNames({})).toEqual([]);
  expect(instanceNames({ N8N_INSTANCES: "{" })).toEqual([]);
});
