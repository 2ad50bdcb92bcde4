/** The compose file of a test n8n: one process, or a queue. Without Docker it is read as Compose would. */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { inProject } from "../../scripts/project.ts";

const FILE = inProject("test", "real-n8n", "compose.yaml");
const IMAGE = "docker.n8n.io/n8nio/n8n:2.41.1";
const PORT = "5999";

const service = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  profiles: z.array(z.string()),
  command: z.union([z.string(), z.array(z.string())]).nullish(),
  deploy: z.looseObject({ replicas: z.number() }).optional(),
  depends_on: z.record(z.string(), z.unknown()).default({}),
  extra_hosts: z.array(z.string()).default([]),
});
const compose = z.looseObject({ name: z.string(), services: z.record(z.string(), service) });

/** As `docker compose config` prints it where that is there; else with variables put in and keys merged by hand. */
async function readCompose(): Promise<z.infer<typeof compose>> {
  const env = { ...process.env, N8N_IMAGE: IMAGE, N8N_PORT: PORT };
  const args = ["compose", "-f", FILE, "--profile", "regular", "--profile", "queue", "config"];
  const docker = spawnSync("docker", ["compose", "version"]);
  if (docker.status === 0) {
    const { status, stdout, stderr } = spawnSync("docker", args, { env, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    return compose.parse(parse(stdout));
  }
  const text = await readFile(FILE, "utf8");
  const values: Record<string, string> = { N8N_IMAGE: IMAGE, N8N_PORT: PORT };
  const filled = text.replace(/\$\{(\w+):-[^}]*\}/g, (whole, name: string) => values[name] ?? whole);
  expect(filled).not.toContain("${");
  return compose.parse(parse(filled, { merge: true }));
}

const { name, services } = await readCompose();

test("has one n8n alone, and one with a queue and two workers", () => {
  expect(name).toBe("n8n-observer-test");
  const named = (profile: string): string[] =>
    Object.entries(services).flatMap(([each, { profiles }]) => (profiles.includes(profile) ? [each] : []));
  expect(named("regular")).toEqual(["n8n"]);
  expect(named("queue").sort()).toEqual(["main", "postgres", "redis", "worker"]);
  expect(services.worker?.deploy?.replicas).toBe(2);
  expect([services.worker?.command].flat().join(" ")).toBe("worker --concurrency=5");
});

test("takes the image and the port that it is told, and opens only this machine's loopback", () => {
  for (const each of ["n8n", "main", "worker"]) {
    expect(services[each]?.image, each).toBe(IMAGE);
    expect(services[each]?.extra_hosts.join(), each).toMatch(/^host\.docker\.internal[:=]host-gateway$/);
    expect(services[each]?.environment.WEBHOOK_URL, each).toBe(`http://localhost:${PORT}`);
  }
  const published = JSON.stringify(Object.values(services).map(({ ports }) => ports ?? []));
  expect(published.match(/127\.0\.0\.1/g)).toHaveLength(2);
  expect(published.match(/5999/g)).toHaveLength(2);
  expect(published.match(/5678/g)).toHaveLength(2);
});

test("gives main and workers one key, one database and one queue", () => {
  const { main, worker, n8n, postgres } = services;
  expect(worker?.environment).toEqual(main?.environment);
  expect(main?.environment).toMatchObject({
    ...n8n?.environment,
    EXECUTIONS_MODE: "queue",
    QUEUE_BULL_REDIS_HOST: "redis",
    DB_TYPE: "postgresdb",
    DB_POSTGRESDB_HOST: "postgres",
    DB_POSTGRESDB_DATABASE: postgres?.environment.POSTGRES_DB,
    DB_POSTGRESDB_USER: postgres?.environment.POSTGRES_USER,
    DB_POSTGRESDB_PASSWORD: postgres?.environment.POSTGRES_PASSWORD,
  });
  expect(n8n?.environment).not.toHaveProperty("EXECUTIONS_MODE");
  expect(Object.keys(worker?.depends_on ?? {}).sort()).toEqual(["main", "postgres", "redis"]);
  expect(Object.keys(main?.depends_on ?? {}).sort()).toEqual(["postgres", "redis"]);
});
