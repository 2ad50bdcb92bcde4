/** The settings of client registration. What they permit is tested in `test/worker/registration.test.ts`. */
import { describe, expect, test } from "vitest";
import { DEFAULT_DOCUMENTS } from "../../src/settings/document-rules.ts";
import { readRegistrationSettings, settingProblems } from "../../src/settings/index.ts";
import { DEFAULT_REDIRECTS } from "../../src/settings/redirect-rules.ts";

const LOCAL = "http://localhost:8787/mcp";
const N8N = { N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: "n8n-api-key-of-these-tests" };

/** The only problem of these settings. */
function problemOf(settings: Record<string, string>) {
  const problems = settingProblems({ ...N8N, ...settings }, LOCAL);
  expect(problems).toHaveLength(1);
  return problems[0];
}

describe("ALLOWED_REDIRECT_HOSTS", () => {
  const read = (setting: string) => readRegistrationSettings({ ALLOWED_REDIRECT_HOSTS: setting }).redirects;

  test("defaults to the built-in list, each entry of which is a rule", () => {
    expect(readRegistrationSettings(N8N).redirects).toHaveLength(DEFAULT_REDIRECTS.length);
    expect(read("default")).toEqual(readRegistrationSettings({}).redirects);
  });

  test("is a list of hosts, callbacks and keywords", () => {
    expect(
      read(
        "agents.example.com; a.example:8443\nhttps://b.example/callback?app=1, https://c.example/cb/*, loopback",
      ),
    ).toEqual([
      { kind: "host", host: "agents.example.com" },
      { kind: "host", host: "a.example:8443" },
      { kind: "exact", uri: "https://b.example/callback?app=1" },
      { kind: "segment", prefix: "https://c.example/cb/" },
      { kind: "loopback" },
    ]);
  });

  test("follows the address of n8n", () => {
    const callbackOf = (host: string) => ({
      kind: "exact",
      uri: `https://${host}/rest/oauth2-credential/callback`,
    });
    for (const host of ["n8n.test", "moved.test"])
      expect(readRegistrationSettings({ ...N8N, N8N_BASE_URL: `https://${host}` }).redirects).toContainEqual(
        callbackOf(host),
      );
    const alone = { ...N8N, ALLOWED_REDIRECT_HOSTS: "n8n" };
    expect(readRegistrationSettings(alone).redirects).toEqual([callbackOf("n8n.test")]);
  });

  test.each([
    ["a wildcard", "*"],
    ["a wildcard for a subdomain", "*.hunter2.example"],
    ["a wildcard inside", "https://hunter2.example/*/callback"],
    ["a single label", "hunter2"],
    ["http", "http://hunter2.example/callback"],
    ["a private-use scheme", "hunter2://callback"],
    ["user info", "https://hunter2@a.example/callback"],
    ["a password alone", "https://:hunter2@a.example/callback"],
    ["user info in a host", "hunter2@a.example"],
    ["a star after a query", "https://a.example/callback?hunter2/*"],
    ["a fragment", "https://a.example/callback#hunter2"],
    ["a path with dot segments", "https://a.example/x/../hunter2"],
    ["capitals in a host", "Hunter2.example"],
    ["the default port", "hunter2.example:443"],
    ["an unknown keyword", "defaults"],
    ["nothing but commas", ",;"],
    ["a good entry and a bad one", "claude.ai, hunter2"],
  ])("%s is refused", (_, setting) => {
    const problem = problemOf({ ALLOWED_REDIRECT_HOSTS: setting });
    expect(problem?.setting).toBe("ALLOWED_REDIRECT_HOSTS");
    expect(problem?.solution).toContain("agents.example.com");
    expect(problem?.solution).toContain('"n8n"');
    expect(JSON.stringify(problem)).not.toMatch(/hunter2/i);
  });
});

describe("CLIENT_ID_DOCUMENTS", () => {
  const read = (setting: string) =>
    readRegistrationSettings({ CLIENT_ID_DOCUMENTS: setting }).documentSources;

  test("allows well-known apps by default", () => {
    expect(readRegistrationSettings({}).documentSources).toEqual([...DEFAULT_DOCUMENTS]);
    expect(read("off")).toEqual([]);
    expect(read("vscode.dev, claude.ai")).toEqual(["vscode.dev", "claude.ai"]);
    expect(read("default, apps.example")).toEqual([...DEFAULT_DOCUMENTS, "apps.example"]);
    expect(read("https://apps.example/client.json")).toEqual(["https://apps.example/client.json"]);
    expect(read("apps.1st.example")).toEqual(["apps.1st.example"]);
  });

  test("the built-in list is a valid setting and includes no host where anyone can publish", () => {
    expect(read(DEFAULT_DOCUMENTS.join())).toEqual([...DEFAULT_DOCUMENTS]);
    expect(DEFAULT_DOCUMENTS).not.toContain("github.com");
  });

  test.each([
    "on",
    "*",
    "https://hunter2.example",
    "https://hunter2.example/",
    "https://hunter2.example/x?y",
    "https://hunter2.example/../x",
    "https://hunter2@apps.example/x",
    "https://:hunter2@apps.example/x",
    `https://hunter2.example/${"x".repeat(489)}`,
    "https://127.0.0.1/hunter2",
    "https://localhost/hunter2",
    "http://hunter2.example/x",
    "off, hunter2.example",
    "hunter2.example/x",
    "hunter2.example:8443",
    "10.0.0.1",
    "10.0.0.10",
    "localhost",
  ])("%s is refused", (setting) => {
    const problem = problemOf({ CLIENT_ID_DOCUMENTS: setting });
    expect(problem?.setting).toBe("CLIENT_ID_DOCUMENTS");
    expect(JSON.stringify(problem)).not.toContain("hunter2");
  });
});

describe("CLIENT_REGISTRATION", () => {
  test("is open unless switched off", () => {
    expect(readRegistrationSettings({}).isOpen).toBe(true);
    expect(readRegistrationSettings({ CLIENT_REGISTRATION: "off" }).isOpen).toBe(false);
    expect(problemOf({ CLIENT_REGISTRATION: "hunter2" })?.setting).toBe("CLIENT_REGISTRATION");
    // A non-text value in wrangler.toml must not count as absent.
    expect(() => readRegistrationSettings({ CLIENT_REGISTRATION: false })).toThrow("CLIENT_REGISTRATION");
  });
});
