/** The findings of `npm run deploy` and its dry run. */
import { describe, expect, test } from "vitest";
import { aboutBundle, findings } from "../../scripts/deploy/findings.ts";
import { readDeployOptions } from "../../scripts/deploy/options.ts";
import type { Finding } from "../../scripts/doctor/finding.ts";
import { readObjectClasses, readWranglerConfig } from "../../scripts/serve/read-configuration.ts";

const classes = await readObjectClasses();
const deployment = readWranglerConfig();
type Deployment = typeof deployment;

const findingsOn = (about: string, changes: Partial<Deployment> = {}): Finding[] =>
  findings({ ...deployment, ...changes }, classes).filter((finding) => finding.check === about);
const withVars = (about: string, vars: Record<string, string>): Finding[] => findingsOn(about, { vars });

describe("the project as it is", () => {
  test("can be deployed, and names its address", () => {
    expect(classes.length).toBeGreaterThan(7);
    const found = findings(deployment, classes);
    expect(found.filter(({ status }) => status === "fail")).toEqual([]);
    expect(found.map(({ check }) => check)).toEqual([
      "address",
      "settings",
      "secrets",
      "bindings",
      "cron",
      "placement",
    ]);
    expect(found[0]?.detail).toContain("https://n8n-observer.<your subdomain>.workers.dev");
  });
});

describe("the address", () => {
  test.each([
    ["of this machine", "http://localhost:8787", "address of your own machine"],
    ["with a path", "https://observer.example.com/mcp", "not an origin"],
    ["without TLS", "http://observer.example.com", "not an origin"],
    ["of another Worker", "https://other.acme.workers.dev", "not this Worker's address"],
    ["of one version", "https://abc123-n8n-observer.acme.workers.dev", "not this Worker's address"],
  ])("%s is refused", (_, PUBLIC_URL, words) => {
    expect(withVars("address", { PUBLIC_URL })).toEqual([
      { status: "fail", check: "address", detail: expect.stringContaining(words) },
    ]);
  });

  test.each(["https://observer.example.com", "https://n8n-observer.acme.workers.dev"])(
    "%s is fine",
    (PUBLIC_URL) => {
      expect(withVars("address", { PUBLIC_URL })).toMatchObject([{ status: "pass" }]);
    },
  );

  test("is missing if workers.dev is off", () => {
    expect(findingsOn("address", { workers_dev: false })).toMatchObject([{ status: "fail" }]);
  });
});

describe("settings", () => {
  test("are named if malformed, without the value", () => {
    const [finding] = withVars("settings", { INDEX_DAYS: "canary-4711" });
    expect(finding).toMatchObject({ status: "fail", detail: expect.stringContaining("INDEX_DAYS") });
    expect(finding?.detail).not.toContain("4711");
  });

  test("are named if unknown", () => {
    expect(withVars("settings", { N8N_URL: "https://n8n.example.com" })).toMatchObject([
      { status: "note", detail: expect.stringContaining("N8N_URL") },
    ]);
  });

  test("are refused with an n8n on this machine, which Cloudflare cannot reach", () => {
    expect(withVars("settings", { N8N_BASE_URL: "http://localhost:5678" })).toMatchObject([
      { status: "fail", detail: expect.stringContaining("your own machine") },
    ]);
  });

  test("are refused with secrets in wrangler.toml", () => {
    expect(withVars("secrets", { N8N_API_KEY: "canary-4711" })).toMatchObject([
      { status: "fail", detail: expect.not.stringContaining("4711") },
    ]);
  });

  const RULES = [
    { who: { tokens: ["pager"], groups: ["support"] }, see: { instances: ["prod"] }, scopes: ["n8n:read"] },
  ];
  test.each([
    ["OIDC_CLIENT_SECRET", { OIDC_ISSUER: "https://id.example.com", OIDC_CLIENT_ID: "app" }],
    ["SERVICE_TOKENS, N8N_INSTANCES and the provider", { ACCESS_RULES: JSON.stringify(RULES) }],
  ])("are fine if they need %s, which may be secrets", (_, vars) => {
    expect(withVars("settings", vars)).toMatchObject([{ status: "pass" }]);
  });

  test("are refused with rules that are malformed, and with settings that exclude each other", () => {
    const both = { ACCESS_RULES: JSON.stringify(RULES), N8N_KEYS: "personal" };
    expect(withVars("settings", { ACCESS_RULES: "[{}]" })).toMatchObject([{ status: "fail" }]);
    expect(withVars("settings", both)).toMatchObject([{ status: "fail" }]);
  });

  test("name the secrets that the way of signing in needs", () => {
    expect(findingsOn("secrets")[0]?.detail).toContain("N8N_BASE_URL, N8N_API_KEY, ACCESS_PASSPHRASE");
    const [issuer] = withVars("secrets", { OIDC_ISSUER: "https://id.example.com" });
    expect(issuer?.detail).toContain("N8N_API_KEY, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET;");
    const [client] = withVars("secrets", { OIDC_CLIENT_ID: "app" });
    expect(client?.detail).toContain("N8N_API_KEY, OIDC_ISSUER, OIDC_CLIENT_SECRET;");
  });
});

describe("bindings", () => {
  test.each<[string, Partial<Deployment>]>([
    ["OAUTH_KV", { kv_namespaces: [] }],
    ["CALL_LIMIT", { ratelimits: deployment.ratelimits.filter(({ name }) => name !== "CALL_LIMIT") }],
    [
      "PublicAddress",
      {
        durable_objects: {
          bindings: deployment.durable_objects.bindings.filter(({ name }) => name !== "PUBLIC_ADDRESS"),
        },
      },
    ],
    ["a migration for GrantLedger", { migrations: deployment.migrations.filter(({ tag }) => tag !== "v1") }],
  ])("a missing %s is named", (name, changes) => {
    expect(findingsOn("bindings", changes)).toMatchObject([
      { status: "fail", detail: expect.stringContaining(name) },
    ]);
  });

  test("a missing cron trigger is a failure", () => {
    expect(findingsOn("cron", { triggers: { crons: [] } })).toMatchObject([{ status: "fail" }]);
  });
});

test("the bundle's size is compared with the limits of both plans", () => {
  expect([500, 5_000, 11_000].map((kib) => aboutBundle(kib).status)).toEqual(["pass", "note", "fail"]);
});

describe("arguments", () => {
  test("are passed to wrangler, and name the Worker", () => {
    const args = ["--env", "staging", "--dry-run", "--minify"];
    expect(readDeployOptions(args, {})).toEqual({
      kind: "run",
      options: { isDryRun: true, env: "staging", name: undefined, wranglerArguments: args },
    });
    expect(readDeployOptions(["--name", "other"], {})).toMatchObject({ options: { name: "other" } });
  });

  test("in Cloudflare's own builds, the environment names the Worker", () => {
    const environment = { WRANGLER_CI_OVERRIDE_NAME: "renamed" };
    expect(readDeployOptions(["--name", "other"], environment)).toMatchObject({
      options: { name: "renamed" },
    });
  });
});
