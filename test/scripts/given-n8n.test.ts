/**
 * `npm run test:n8n -- --url`, before and after its checks: which n8n it refuses, how it finds executions without a
 * database, and that it removes what it created and nothing else. It runs against a minimal fake n8n.
 */
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { abilitiesOf, abilitiesOfRelease } from "../real-n8n/abilities.ts";
import { readGivenAddress, readOwner } from "../real-n8n/given-n8n/arguments.ts";
import { type GivenN8n, openGivenN8n } from "../real-n8n/given-n8n/given-n8n.ts";
import { callApi } from "../real-n8n/n8n-api.ts";
import { listenOnLoopback, readText, stopServer } from "../support/loopback-server.ts";

const OWNER = { email: "owner@example.com", password: "a password that is never printed" };

interface Execution {
  id: string;
  status: string;
  mode: string;
  workflowId: string;
  retryOf: string | null;
  finished: boolean;
}

/** Like n8n 2.41, it deletes no published workflow, and needs a moment to unpublish one. */
class FakeN8n {
  readonly workflows = new Map<string, { id: string; name: string; active: boolean }>();
  readonly executions = new Map<string, Execution>();
  readonly keys = new Map<string, string>();
  hasOwner = true;
  #unpublishing = new Set<string>();
  #made = 0;

  addWorkflow(name: string, active = false): string {
    const id = `w${this.#count()}`;
    this.workflows.set(id, { id, name, active });
    return id;
  }

  addExecution(id: number, workflowId: string, status = "success"): void {
    const one = { id: String(id), status, mode: "webhook", workflowId, retryOf: null, finished: true };
    this.executions.set(one.id, one);
  }

  #count(): number {
    this.#made += 1;
    return this.#made;
  }

  /** @returns status and body */
  answer(method: string, path: string, body: unknown): [number, unknown] {
    const [, kind = "", id = "", action = ""] = /^\/api\/v1\/(\w+)\/?([^/?]*)\/?(\w*)/.exec(path) ?? [];
    if (kind === "workflows") return this.#answerWorkflow(method, id, action, body);
    if (kind === "executions") return this.#answerExecution(method, id, action);
    return this.#answerEditor(method, path, body);
  }

  #answerEditor(method: string, path: string, body: unknown): [number, unknown] {
    if (path === "/rest/settings") {
      const userManagement = { showSetupOnFirstLoad: !this.hasOwner };
      return [200, { data: { versionCli: "2.50.1", userManagement } }];
    }
    if (path === "/rest/owner/setup") {
      this.hasOwner = true;
      return [200, {}];
    }
    if (path === "/rest/login") {
      const { emailOrLdapLoginId, email, password } = z.record(z.string(), z.string()).parse(body);
      const right = [emailOrLdapLoginId, email].every((each) => each === OWNER.email);
      return right && password === OWNER.password ? [200, {}] : [401, { message: "Wrong username." }];
    }
    if (path === "/rest/api-keys/scopes") return [200, { data: ["workflow:read", "workflow:delete"] }];
    if (path.startsWith("/rest/api-keys")) return this.#answerKey(method, path, body);
    return [200, {}];
  }

  #answerKey(method: string, path: string, body: unknown): [number, unknown] {
    if (method === "DELETE") this.keys.delete(path.split("/").at(-1) ?? "");
    if (method !== "POST") {
      const items = [...this.keys].map(([id, label]) => ({ id, label }));
      return [200, { data: { items, count: items.length } }];
    }
    const { label, scopes } = z.object({ label: z.string(), scopes: z.array(z.string()) }).parse(body);
    expect(scopes).not.toContain("execution:stop");
    const id = `k${this.#count()}`;
    this.keys.set(id, label);
    return [200, { data: { id, rawApiKey: `key ${id}` } }];
  }

  #answerWorkflow(method: string, id: string, action: string, body: unknown): [number, unknown] {
    if (id === "" && method === "POST") {
      const { name } = z.object({ name: z.string() }).parse(body);
      return [200, { id: this.addWorkflow(name) }];
    }
    if (id === "") return [200, { data: [...this.workflows.values()], nextCursor: null }];
    const found = this.workflows.get(id);
    if (found === undefined) return [404, { message: "Not Found" }];
    if (action === "deactivate") {
      found.active = false;
      this.#unpublishing.add(id);
    }
    if (method === "DELETE") {
      if (found.active || this.#unpublishing.delete(id)) return [409, { message: "It is published." }];
      this.workflows.delete(id);
    }
    return [200, found];
  }

  #answerExecution(method: string, id: string, action: string): [number, unknown] {
    // Running and waiting executions are not listed.
    const listed = [...this.executions.values()].filter(({ status }) => status === "success");
    if (id === "") return [200, { data: listed.slice(-1) }];
    const found = this.executions.get(id);
    if (found === undefined) return [404, { message: "Not Found" }];
    if (action === "stop") found.status = "canceled";
    if (method === "DELETE") this.executions.delete(id);
    return [200, found];
  }
}

let fake: FakeN8n;
let server: Server;
let url: string;
let lines: string[];

beforeEach(async () => {
  fake = new FakeN8n();
  lines = [];
  server = createServer(async (request, response) => {
    const text = await readText(request);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const [status, answer] = fake.answer(request.method ?? "", request.url ?? "", body);
    response.writeHead(status, { "content-type": "application/json", "set-cookie": "n8n-auth=1; Path=/" });
    response.end(JSON.stringify(answer));
  });
  url = await listenOnLoopback(server);
});
afterEach(async () => await stopServer(server));

const open = async (amongOthers = false, owner = OWNER): Promise<GivenN8n> =>
  await openGivenN8n({ url, amongOthers }, owner, (line) => lines.push(line));

describe("the lane refuses", () => {
  test("an n8n with other people's workflows, and leaves nothing behind", async () => {
    fake.addWorkflow("Payroll", true);
    await expect(open()).rejects.toThrow(/has 1 workflow of others: "Payroll".*--among-others/);
    expect([...fake.workflows.values()].map(({ name }) => name)).toEqual(["Payroll"]);
    expect(fake.keys.size).toBe(0);
  });

  test("a wrong password, without printing it", async () => {
    const refused = open(false, { ...OWNER, password: "not the password" });
    await expect(refused).rejects.toThrow(/answered the sign-in 401 and says «Wrong username\.»\. N8N_OWNER/);
    await expect(refused).rejects.not.toThrow(/not the password/);
  });

  test("an address at which nothing answers", async () => {
    const nowhere = openGivenN8n({ url: "http://127.0.0.1:1", amongOthers: false }, OWNER, () => {});
    await expect(nowhere).rejects.toThrow(/Nothing answers at http:\/\/127\.0\.0\.1:1\. Start that n8n/);
  });
});

describe("the lane", () => {
  test("creates a missing owner, and says that the owner stays", async () => {
    fake.hasOwner = false;
    await (await open()).takeAway();
    expect(fake.hasOwner).toBe(true);
    expect(lines.join()).toMatch(/had no owner.*stays/);
  });

  test("removes only what it and earlier runs created", async () => {
    const payroll = fake.addWorkflow("Payroll", true);
    fake.addExecution(1, payroll);
    fake.keys.set("of-ana", "Ana's key");
    fake.keys.set("left", "n8n-observer test: read");
    fake.addWorkflow("n8n-observer test: left by an earlier run", true);

    const n8n = await open(true);
    expect([...fake.workflows.keys()]).toEqual([payroll]);
    expect(n8n.abilities).toBe(abilitiesOf("2.41.1"));
    const access = { baseUrl: url, key: n8n.writeKey };
    const made = z
      .object({ id: z.string() })
      .parse(await callApi(access, "POST", "/workflows", { name: "n8n-observer test: orders" }));
    const known = fake.workflows.get(made.id);
    if (known !== undefined) known.active = true;
    fake.addExecution(2, made.id);
    fake.addExecution(3, payroll);
    fake.addExecution(5, made.id, "waiting");
    fake.addExecution(15, made.id, "running");

    const seen = await n8n.executions.listAfter(1);
    expect(seen.map(({ id, status }) => [id, status])).toEqual([
      ["2", "success"],
      ["5", "waiting"],
      ["15", "running"],
    ]);
    expect(await n8n.executions.newestId()).toBe(15);
    expect(await n8n.takeAway()).toBe("1 workflows, 3 executions, 3 keys");
    expect([...fake.workflows.values()]).toEqual([{ id: payroll, name: "Payroll", active: true }]);
    expect([...fake.executions.keys()]).toEqual(["1", "3"]);
    expect([...fake.keys.values()]).toEqual(["Ana's key"]);
    // A second call does nothing and reports the same.
    expect(await n8n.takeAway()).toBe("1 workflows, 3 executions, 3 keys");
  });
});

test.each([
  ["1.90.0", "1.100.1"],
  ["1.123.4", "1.123.81"],
  ["2.0.0", "2.41.1"],
  ["3.1.0", "2.41.1"],
  [undefined, "2.41.1"],
] as const)("n8n %s has the abilities of %s", (release, version) => {
  expect(abilitiesOfRelease(release)).toBe(abilitiesOf(version));
});

describe("the arguments", () => {
  test.each([
    [{}, undefined],
    [{ url: "http://n8n:5678/" }, { url: "http://n8n:5678", amongOthers: false }],
    [
      { url: "https://n8n", "among-others": true, "service-url": "http://host.docker.internal:8899" },
      {
        url: "https://n8n",
        amongOthers: true,
        serviceUrl: "http://host.docker.internal:8899",
        servicePort: 8899,
      },
    ],
    [
      { url: "https://n8n", "service-url": "https://tunnel", "service-port": "8899" },
      { url: "https://n8n", amongOthers: false, serviceUrl: "https://tunnel", servicePort: 8899 },
    ],
  ])("%j", (typed, address) => {
    expect(readGivenAddress(typed)).toEqual(address);
  });

  test.each([
    [{ "among-others": true }, /--among-others needs --url/],
    [{ url: "n8n:5678" }, /--url takes an http/],
    [{ url: "http://n8n", write: true }, /--url and --write exclude each other/],
    [{ url: "http://n8n", only: ["requests"] }, /--url and --only exclude each other/],
    [{ url: "http://n8n", "service-url": "8899" }, /--service-url takes an http/],
    [{ url: "http://n8n", "service-url": "https://tunnel" }, /needs --service-port/],
    [{ url: "http://n8n", "service-port": "many" }, /takes a number/],
  ])("%j is refused", (typed, problem) => {
    expect(() => readGivenAddress(typed)).toThrow(problem);
  });

  test("take the owner from the environment only", () => {
    const environment = { N8N_OWNER_EMAIL: OWNER.email, N8N_OWNER_PASSWORD: OWNER.password };
    expect(readOwner(environment)).toEqual(OWNER);
    expect(() => readOwner({ ...environment, N8N_OWNER_PASSWORD: "" })).toThrow(/N8N_OWNER_PASSWORD/);
  });
});
