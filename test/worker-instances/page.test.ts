/** The page for people with two n8n instances offers those that the visitor may see. */
import { createExecutionContext, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import worker from "../../src/index.ts";
import { read, signedIn } from "../worker/page/visitor.ts";
import { PUBLIC_URL } from "../worker/secrets.ts";

afterEach(() => reset());

const pageOf = async (settings: Readonly<Record<string, string>>): Promise<string> =>
  await read(
    await signedIn(
      async (request) => await worker.fetch(request, { ...env, ...settings }, createExecutionContext()),
    ),
    "/app",
  );

test("the page offers all instances without rules, and otherwise those that a rule grants", async () => {
  const rule = { who: { everybody: true }, see: { instances: ["newer"] }, scopes: ["n8n:read"] };
  expect(await pageOf({})).toContain('<option value="older">');
  const ruled = await pageOf({ ACCESS_RULES: JSON.stringify([rule]) });
  expect(ruled).toContain('name="q"');
  expect(ruled).not.toMatch(/\bolder\b/);
});

test.each(["", "?instance=constructor"])(
  "an execution id without a valid instance (%s) leads to a choice of instances",
  async (query) => {
    const browser = await signedIn();
    const answer = await browser.open(`${PUBLIC_URL}/app/executions/34${query}`);
    expect(answer.status).toBe(query === "" ? 400 : 404);
    expect(await answer.text()).toContain('href="/app/executions/34?instance=older"');
  },
);
