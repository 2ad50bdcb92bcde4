import { expect, test } from "vitest";
import { readN8nKeys, settingProblems } from "../../src/settings/index.ts";
import { expectProblem } from "../support/setting-problems.ts";

const N8N = { N8N_BASE_URL: "https://n8n.example.com", N8N_API_KEY: "key-of-the-tests" };
const OIDC = {
  OIDC_ISSUER: "https://id.example.com",
  OIDC_CLIENT_ID: "client",
  OIDC_CLIENT_SECRET: "client-secret",
};
const RULES = '[{"who":{"everybody":true},"see":"all","scopes":["n8n:read"]}]';
const TOKENS = `pager ${"a".repeat(64)} n8n:read`;

test("the operator's key reads for everybody, unless keys are personal", () => {
  expect(readN8nKeys(N8N)).toBe("shared");
  expect(readN8nKeys({ N8N_KEYS: " Shared ", ACCESS_RULES: RULES, SERVICE_TOKENS: TOKENS })).toBe("shared");
  expect(readN8nKeys({ N8N_KEYS: "Personal" })).toBe("personal");
  expect(settingProblems({ ...N8N, N8N_KEYS: "personal" }, "http://localhost")).toEqual([]);
});

test("any other value is refused", () => {
  for (const value of ["own", "true", "shared,personal"])
    expectProblem(() => readN8nKeys({ N8N_KEYS: value }), "N8N_KEYS");
});

test.each([
  ["ACCESS_RULES", { ACCESS_RULES: RULES }],
  // The setting counts as present even if it is malformed.
  ["ACCESS_RULES", { ACCESS_RULES: "[" }],
  ["SERVICE_TOKENS", { SERVICE_TOKENS: TOKENS }],
  ["OIDC_ENTERPRISE_MANAGED", { ...OIDC, OIDC_ENTERPRISE_MANAGED: "on" }],
])("personal keys are refused beside %s, which is named", (name, others) => {
  const settings = { ...N8N, ...others, N8N_KEYS: "personal" };
  expectProblem(() => readN8nKeys(settings), "N8N_KEYS");
  const problems = settingProblems(settings, "http://localhost").map(({ problem }) => problem);
  expect(problems).toContain(`The setting N8N_KEYS is personal together with ${name}.`);
});
