/** What Workers Logs tell the operator: when the index begins to fail and when it can go on, and which app could not register. */
import { reset, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { historyIndexName } from "../../src/wiring/history-index-name.ts";
import { onlyN8nOf } from "./only-n8n.ts";
import { register } from "./sign-in/client.ts";

const lines: string[] = [];

beforeEach(() => {
  lines.length = 0;
  for (const method of ["warn", "error"] as const)
    vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line)));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const told = (event: string): unknown[] =>
  lines.map((line): Record<string, unknown> => JSON.parse(line)).filter((line) => line.event === event);

test("the index says when it begins to fail, that it still does, and when it can go on", async () => {
  const index = env.HISTORY_INDEX.getByName(historyIndexName(env, onlyN8nOf(env)));
  await index.wake();
  const outage = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("canary: n8n is away"));
  await runDurableObjectAlarm(index);
  await runDurableObjectAlarm(index);
  const failed = { event: "history-index-failed", instance: "default", code: "N8N_UNREACHABLE" };
  expect(told("history-index-failed")).toEqual([
    { ...failed, began: true },
    { ...failed, began: false },
  ]);
  expect(told("history-index-recovered")).toEqual([]);
  outage.mockRestore();
  await runDurableObjectAlarm(index);
  await runDurableObjectAlarm(index);
  expect(told("history-index-recovered")).toEqual([
    { event: "history-index-recovered", instance: "default" },
  ]);
  expect(lines.join("\n")).not.toContain("canary");
});

test("an app that may not register is a line, without the app's own text", async () => {
  const refused = await register({ client_name: "canary".repeat(100) });
  expect(refused.status).toBe(400);
  expect(told("registration_refused")).toEqual([
    { event: "registration_refused", reason: "metadata_not_allowed" },
  ]);
  expect(lines.join("\n")).not.toContain("canary");
});
