/** What GitHub reads of this repository: it can be read, runs the same command as everybody, and pins what it runs. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { inProject } from "../../scripts/project.ts";

const read = (file: string): unknown => parse(readFileSync(inProject(".github", file), "utf8"));

test("the workflow runs .ci/run, with actions that nobody can change afterwards", () => {
  const step = z.object({ uses: z.string().optional(), run: z.string().optional() });
  const workflow = z
    .object({
      permissions: z.object({ contents: z.literal("read") }).strict(),
      jobs: z.object({ all: z.object({ steps: z.array(step) }) }),
    })
    .parse(read("workflows/ci.yml"));
  const { steps } = workflow.jobs.all;
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual([".ci/run"]);
  for (const { uses } of steps) expect(uses ?? "").toMatch(/^$|@[0-9a-f]{40}$/);
});

test("the update bot looks at places that exist", () => {
  const { updates } = z
    .object({ version: z.literal(2), updates: z.array(z.object({ directory: z.string() })) })
    .parse(read("dependabot.yml"));
  expect(updates.map(({ directory }) => directory)).toEqual(["/", "/", "/"]);
});

test("each form asks for something, under an id of its own", () => {
  const form = z.object({
    name: z.string(),
    description: z.string(),
    body: z.array(z.object({ type: z.string(), id: z.string().optional() })),
  });
  const files = globSync("*.yml", { cwd: inProject(".github", "ISSUE_TEMPLATE") });
  const forms = files
    .filter((file) => file !== "config.yml")
    .map((file) => form.parse(read(`ISSUE_TEMPLATE/${file}`)));
  expect(forms.length).toBeGreaterThan(2);
  for (const { body } of forms) {
    const ids = body.filter(({ type }) => type !== "markdown").map(({ id }) => id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
  }
});
