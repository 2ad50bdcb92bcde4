/** How `npm run serve` reads its arguments, the settings and wrangler.toml. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toCapnp } from "../../scripts/serve/configuration.ts";
import {
  readServeOptions,
  toListeningOrigin,
  toLocalOrigin,
  toSocketAddress,
} from "../../scripts/serve/options.ts";
import { createCounter } from "../../scripts/serve/platform/counter.ts";
import { readExpiration, readListing } from "../../scripts/serve/platform/key-value-request.ts";
import { toPublicRequest } from "../../scripts/serve/platform/public-request.ts";
import { readWranglerConfig } from "../../scripts/serve/read-configuration.ts";
import {
  describeUnknownSettings,
  findProblems,
  readSettings,
  renderProblems,
} from "../../scripts/serve/settings.ts";
import { SETTING_NAMES } from "../../src/settings/settings-table.ts";

describe("arguments", () => {
  test("default to this machine, the usual port, and the folder data", () => {
    expect(readServeOptions([])).toEqual({
      kind: "run",
      options: { kind: "serve", host: "127.0.0.1", port: 8787, data: "data" },
    });
  });

  test.each([
    [
      ["--host", "0.0.0.0", "--port", "80", "--data", "/srv/x"],
      { options: { host: "0.0.0.0", port: 80, data: "/srv/x" } },
    ],
    [["--host=::1"], { options: { host: "::1" } }],
    [["--host", "observer.internal"], { options: { host: "observer.internal" } }],
    [["--build", "dist"], { options: { kind: "build", directory: "dist" } }],
    [["-h"], { kind: "help" }],
  ])("%j", (args, expected) => {
    expect(readServeOptions(args)).toMatchObject(expected);
  });

  test.each([
    [["--port", "0"]],
    [["--port", "http"]],
    [["--host", "--verbose"]],
    [["--host", "a b"]],
    [["--host", "x=y"]],
    [["--data", ""]],
    [["--bind", "0.0.0.0"]],
    [["8787"]],
  ])("%j is refused with a message", (args) => {
    expect(readServeOptions(args)).toMatchObject({ kind: "wrong", problem: expect.stringMatching(/\w+/) });
  });

  test("an IPv6 address is put in brackets", () => {
    expect(toSocketAddress("::1", 8787)).toBe("[::1]:8787");
    expect(toLocalOrigin("fd00::1", 8787)).toBe("http://[fd00::1]:8787");
    expect(toLocalOrigin("0.0.0.0", 8787)).toBe("http://localhost:8787");
  });
});

describe("settings", () => {
  test("come from the environment before the file, and nothing else is passed on", async () => {
    const directory = await mkdtemp(join(tmpdir(), "n8n-observer-settings-"));
    const file = join(directory, ".dev.vars");
    await writeFile(file, "N8N_API_KEY=of-the-file\nACCESS_PASSPHRASE=of-the-file\nNODE_OPTIONS=--inspect\n");
    try {
      const environment = { N8N_API_KEY: "of-the-environment", HOME: "/root" };
      expect(await readSettings(file, environment)).toEqual({
        N8N_API_KEY: "of-the-environment",
        ACCESS_PASSPHRASE: "of-the-file",
      });
      expect(await readSettings(join(directory, "absent"), environment)).toEqual({
        N8N_API_KEY: "of-the-environment",
      });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  const complete = {
    N8N_BASE_URL: "http://localhost:5678",
    N8N_API_KEY: "a-key-of-these-tests",
    ACCESS_PASSPHRASE: "correct horse battery staple",
  };
  const ORIGIN = "http://localhost:8787";

  test("missing and malformed ones are named, without a value", () => {
    expect(findProblems(complete, ORIGIN)).toEqual([]);
    const text = renderProblems(
      findProblems({ ...complete, N8N_API_KEY: "", INDEX_DAYS: "canary-4711" }, ORIGIN),
    );
    expect(text).toContain("N8N_API_KEY");
    expect(text).toContain("INDEX_DAYS");
    expect(text).not.toContain("4711");
  });

  test("need a way to sign in", () => {
    const nobody = { ...complete, ACCESS_PASSPHRASE: "" };
    expect(findProblems(nobody, ORIGIN).map(({ setting }) => setting)).toEqual(["ACCESS_PASSPHRASE"]);
    const script = { ...nobody, SERVICE_TOKENS: `script ${"0".repeat(64)} n8n:read` };
    expect(findProblems(script, ORIGIN)).toEqual([]);
  });

  // Whoever reaches the port can send "localhost" as Host, and would count as the person at this machine.
  test.each(["192.0.2.7", "0.0.0.0", "0", "::", "::ffff:0.0.0.0", "observer.internal"])(
    "need PUBLIC_URL when listening at %s, which others reach",
    (host) => {
      const missing = findProblems(complete, toListeningOrigin(host, 8787)).map(({ setting }) => setting);
      expect(missing).toEqual(["PUBLIC_URL"]);
      const withPublicUrl = { ...complete, PUBLIC_URL: "https://observer.example" };
      expect(findProblems(withPublicUrl, toListeningOrigin(host, 8787))).toEqual([]);
    },
  );

  test.each(["127.0.0.1", "127.0.0.2", "::1", "localhost"])(
    "need no PUBLIC_URL when listening at %s",
    (host) => {
      expect(findProblems(complete, toListeningOrigin(host, 8787))).toEqual([]);
    },
  );
});

describe("workerd's configuration", () => {
  const configuration = readWranglerConfig();
  const text = toCapnp(configuration, "worker.js");

  test("binds each setting by its name alone", () => {
    for (const name of SETTING_NAMES)
      expect(text).toContain(`(name = "${name}", fromEnvironment = "${name}")`);
  });

  test("binds what wrangler.toml binds", () => {
    expect(configuration.kv_namespaces).toMatchObject([{ binding: "OAUTH_KV" }]);
    const objects = configuration.durable_objects.bindings;
    expect(objects.length).toBeGreaterThan(7);
    for (const { name, class_name: className } of objects) {
      expect(text).toContain(`(name = "${name}", durableObjectNamespace = (className = "${className}"))`);
      expect(text).toContain(
        `(className = "${className}", uniqueKey = "n8n-observer-${className}", enableSql = true)`,
      );
    }
    const limits = configuration.ratelimits.map(({ name, simple }) => ({ name, ...simple }));
    expect(limits.map(({ name }) => name)).toEqual(["OPERATOR_CALLS", "CALL_LIMIT"]);
    expect(text).toContain(`(name = "RATE_LIMITS", json = ${JSON.stringify(JSON.stringify(limits))})`);
  });

  test("sets no compatibility flag that workerd has by default and would warn of", () => {
    const older = toCapnp({ ...configuration, compatibility_date: "2026-08-03" }, "worker.js");
    expect(older).toContain('"nodejs_compat"');
    expect(text).not.toContain("nodejs_compat");
    expect(text).toContain('"global_fetch_strictly_public"');
  });

  test("has one way in, and no inspector", () => {
    expect(text.match(/sockets = \[(.*)\]/)?.[1]?.match(/\(name = /g)).toHaveLength(1);
    expect(text).not.toMatch(/inspector|unsafe|experimental/i);
  });
});

describe("a request", () => {
  const HTTPS = { PUBLIC_URL: "https://observer.example" };

  test("from a TLS proxy gets the public URL", () => {
    const request = toPublicRequest(new Request("http://observer.example/mcp?text=json"), HTTPS);
    expect(request.url).toBe("https://observer.example/mcp?text=json");
  });

  test.each([
    ["for another host", "http://evil.example/mcp", HTTPS],
    ["for another port", "http://observer.example:8787/mcp", HTTPS],
    ["on this machine", "http://localhost:8787/mcp", {}],
    ["where PUBLIC_URL is malformed", "http://localhost:8787/mcp", { PUBLIC_URL: "observer" }],
  ])("%s keeps its URL", (_, url, settings) => {
    expect(toPublicRequest(new Request(url), settings).url).toBe(url);
  });

  test("keeps its method, body and headers", async () => {
    const sent = new Request("http://observer.example/token", {
      method: "POST",
      headers: { Authorization: "Bearer x" },
      body: "a=b",
    });
    const request = toPublicRequest(sent, HTTPS);
    expect(request.method).toBe("POST");
    expect(request.headers.get("Authorization")).toBe("Bearer x");
    expect(await request.text()).toBe("a=b");
  });

  const addressOf = (headers: Record<string, string>, settings: object): string | null =>
    toPublicRequest(new Request("http://observer.example/", { headers }), settings).headers.get(
      "CF-Connecting-IP",
    );

  test("has the client address that the proxy saw, whatever the client claims", () => {
    expect(addressOf({ "X-Forwarded-For": "203.0.113.9, 198.51.100.7" }, HTTPS)).toBe("198.51.100.7");
    expect(addressOf({ "CF-Connecting-IP": "203.0.113.9" }, HTTPS)).toBeNull();
    expect(addressOf({ "X-Forwarded-For": "203.0.113.9" }, {})).toBeNull();
  });
});

describe("the address of a client that connects directly", () => {
  test.each([
    ["203.0.113.9:51506", "203.0.113.9"],
    ["203.0.113.9", "203.0.113.9"],
    ["[2001:db8::1]:51506", "2001:db8::1"],
    ["unix:/run/x.sock", "unix:/run/x.sock"],
  ])("%s is %s, without the port, which changes with each connection", (clientIp, address) => {
    const request = Object.defineProperty(new Request("http://localhost:8787/"), "cf", {
      value: { clientIp },
    });
    expect(toPublicRequest(request, {}).headers.get("CF-Connecting-IP")).toBe(address);
  });
});

describe("a rate limit", () => {
  test("counts each key and each binding separately, and resets with each period", () => {
    const count = createCounter();
    const limit = { name: "A", limit: 2, period: 10 };
    expect([1, 2, 3].map(() => count(limit, "ada", 5_000))).toEqual([true, true, false]);
    expect(count(limit, "grace", 5_000)).toBe(true);
    expect(count({ ...limit, name: "B" }, "ada", 5_000)).toBe(true);
    expect(count(limit, "ada", 10_000)).toBe(true);
  });
});

describe("the key-value store", () => {
  const NOW = 1_000_000_000;

  test.each([
    ["", null],
    ["expiration_ttl=60", 1_000_060],
    ["expiration=1000100", 1_000_100],
    ["expiration_ttl=59", Number.NaN],
    ["expiration=1000059", Number.NaN],
    ["expiration_ttl=soon", Number.NaN],
  ])("%s", (query, expected) => {
    expect(readExpiration(new URLSearchParams(query), NOW)).toBe(expected);
  });

  test("lists at most a thousand keys", () => {
    expect(readListing(new URLSearchParams("prefix=grant:&key_count_limit=5000&cursor=x"))).toEqual({
      prefix: "grant:",
      limit: 1_000,
      cursor: "x",
    });
  });
});

test("a misspelt setting is named, with the setting that was meant", () => {
  expect(describeUnknownSettings(["N8N_BASE_URL", "REDACT_PATERNS"], "in .dev.vars")).toEqual([
    "REDACT_PATERNS in .dev.vars is not a setting of n8n-observer, and has no effect. Did you mean REDACT_PATTERNS?",
  ]);
});
