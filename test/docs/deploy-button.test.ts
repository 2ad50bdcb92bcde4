/**
 * What the Deploy to Cloudflare button reads. It asks for each setting of .dev.vars.example that is not commented out,
 * deploys the value given there unless somebody changes it, and explains it with `cloudflare.bindings` of package.json.
 * https://developers.cloudflare.com/workers/platform/deploy-buttons/
 */
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { inProject } from "../../scripts/project.ts";
import { readWranglerConfig } from "../../scripts/serve/read-configuration.ts";
import { readSignInSettings, settingProblems } from "../../src/settings/index.ts";
import { isSettingName, SETTING_NAMES } from "../../src/settings/settings-table.ts";

const manifest = z.object({
  homepage: z.url(),
  scripts: z.object({ deploy: z.string() }),
  cloudflare: z.object({ bindings: z.record(z.string(), z.object({ description: z.string().min(20) })) }),
});

const read = (...path: string[]): Promise<string> => readFile(inProject(...path), "utf8");

let asked: Record<string, string | undefined>;
let example: string;
let descriptions: Record<string, { description: string }>;

beforeAll(async () => {
  example = await read(".dev.vars.example");
  asked = parseEnv(example);
  descriptions = manifest.parse(JSON.parse(await read("package.json"))).cloudflare.bindings;
});

describe("the settings that the button asks for", () => {
  test("are known settings, each with an explanation", () => {
    expect(Object.keys(asked).toSorted()).toEqual(["ACCESS_PASSPHRASE", "N8N_API_KEY", "N8N_BASE_URL"]);
    for (const name of Object.keys(asked)) {
      expect(SETTING_NAMES).toContain(name);
      expect(descriptions, name).toHaveProperty(name);
    }
  });

  test("have no value that would be deployed unnoticed", () => {
    expect(Object.values(asked).filter((value) => value !== "")).toEqual([]);
  });

  test("are all that the Worker needs at its own address", () => {
    const settings = {
      ...asked,
      WORKER_NAME: "n8n-observer",
      N8N_BASE_URL: "https://n8n.example.com",
      N8N_API_KEY: "a-key-of-these-tests",
      ACCESS_PASSPHRASE: "correct horse battery staple",
    };
    expect(settingProblems(settings, "https://n8n-observer.acme.workers.dev/")).toEqual([]);
    expect(readSignInSettings(settings).passphrase).toBe(settings.ACCESS_PASSPHRASE);
  });
});

test("the commented-out lines of .dev.vars.example are settings too", () => {
  const names = [...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !isSettingName(name))).toEqual([]);
});

test("only existing bindings are explained, in no more markdown than Cloudflare renders", () => {
  const { kv_namespaces: namespaces } = readWranglerConfig();
  const known = [...Object.keys(asked), ...namespaces.map(({ binding }) => binding)];
  expect(Object.keys(descriptions).filter((name) => !known.includes(name))).toEqual([]);
  for (const [name, { description }] of Object.entries(descriptions))
    expect(description.replace(/`[^`]+`|\*\*[^*]+\*\*/g, ""), name).not.toMatch(/[`*_#<]|localhost/);
});

describe("wrangler.toml", () => {
  test("holds no account, resource, address or secret", () => {
    const { account_id: account, kv_namespaces: namespaces, vars, routes } = readWranglerConfig();
    expect(account).toBeUndefined();
    expect(namespaces.flatMap(({ id }) => id ?? [])).toEqual([]);
    expect(routes ?? []).toEqual([]);
    expect(vars).toEqual({});
  });

  test("publishes no preview URLs, and keeps variables set in the dashboard", () => {
    expect(readWranglerConfig()).toMatchObject({ workers_dev: true, preview_urls: false, keep_vars: true });
  });
});

test("the button runs the command that tells the Worker its name", async () => {
  const { scripts } = manifest.parse(JSON.parse(await read("package.json")));
  expect(scripts.deploy).toBe("node scripts/deploy.ts");
});

test("docs/deploy.md has the button, for the repository that package.json names", async () => {
  const [, image = "", target = ""] =
    /\[!\[[^\]]+\]\(([^)]+)\)\]\(([^)]+)\)/.exec(await read("docs", "deploy.md")) ?? [];
  expect(image).toBe("https://deploy.workers.cloudflare.com/button");
  const button = new URL(target);
  expect(button.origin).toBe("https://deploy.workers.cloudflare.com");
  const { homepage } = manifest.parse(JSON.parse(await read("package.json")));
  expect(button.searchParams.get("url")).toBe(homepage);
  expect(homepage).toMatch(/^https:\/\/(github|gitlab)\.com\/[\w.-]+\/[\w.-]+$/);
});

test("each way to deploy has at most four steps", async () => {
  const ways = (await read("docs", "deploy.md")).split("\n## ").filter((section) => /^1\. /m.test(section));
  expect(ways.map((section) => section.split("\n")[0])).toEqual(["With the button", "From a terminal"]);
  for (const section of ways) expect(section.match(/^\d+\. /gm)?.length).toBeLessThanOrEqual(4);
});
