/** What Workers Logs tell the operator: failures and recovery of the index, and refused registrations. */
import { reset, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { catchConsoleLines } from "../support/console-lines.ts";
import { indexOf } from "./only-n8n.ts";
import { register } from "./sign-in/client.ts";

const lines = catchConsoleLines();
afterEach(() => reset());

const linesOf = (event: string): unknown[] =>
  lines.map((line): Record<string, unknown> => JSON.parse(line)).filter((line) => line.event === event);

test("the index logs when it begins to fail, still fails, and recovers", async () => {
  const index = indexOf();
  await index.wake();
  const outage = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("canary: n8n is away"));
  await runDurableObjectAlarm(index);
  await runDurableObjectAlarm(index);
  const failed = { event: "history-index-failed", instance: "default", code: "N8N_UNREACHABLE" };
  expect(linesOf("history-index-failed")).toEqual([
    { ...failed, began: true },
    { ...failed, began: false },
  ]);
  expect(linesOf("history-index-recovered")).toEqual([]);
  outage.mockRestore();
  await runDurableObjectAlarm(index);
  await runDurableObjectAlarm(index);
  expect(linesOf("history-index-recovered")).toEqual([
    { event: "history-index-recovered", instance: "default" },
  ]);
  expect(lines.join("\n")).not.toContain("canary");
});

test("a refused registration is logged without the app's own text", async () => {
  const refused = await register({ client_name: "canary".repeat(100) });
  expect(refused.status).toBe(400);
  expect(linesOf("registration_refused")).toEqual([
    { event: "registration_refused", reason: "metadata_not_allowed" },
  ]);
  expect(lines.join("\n")).not.toContain("canary");
});
