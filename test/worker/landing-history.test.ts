/** The start page shows the index's progress on loopback only, and waits for it only briefly. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { askWith } from "./ask-with.ts";
import { indexOf } from "./only-n8n.ts";
import { resetAfterEach } from "./reset.ts";
import { PUBLIC_URL } from "./secrets.ts";

const LOCAL = "http://localhost:8787/";
const LINE = /History index: [^<]*/;

resetAfterEach();

async function pageAt(url: string, settings: Record<string, unknown> = {}): Promise<string> {
  const response = await askWith({ PUBLIC_URL: "", ...settings }, url);
  expect(response.status).toBe(200);
  return await response.text();
}

async function readAll(): Promise<void> {
  await indexOf().wake();
  await runDurableObjectAlarm(indexOf());
}

describe("on loopback", () => {
  test("the page shows how many executions are known, how far back, and since when", async () => {
    await readAll();
    const [line = ""] = LINE.exec(await pageAt(LOCAL)) ?? [];
    expect(line).toMatch(
      /^History index: \d\d executions known, back to \d{1,2} [A-Z][a-z]{2,3} 20\d\d, looked at \d s ago\.$/,
    );
  });

  test("the page shows nothing while nothing is known, and starts nothing", async () => {
    expect(await pageAt(LOCAL)).not.toMatch(LINE);
    expect(await runInDurableObject(indexOf(), (_object, { storage }) => storage.getAlarm())).toBeNull();
  });

  test("the page does not wait for an index that does not answer", async () => {
    const namespace = { getByName: () => ({ report: () => new Promise<never>(() => {}) }) };
    const began = Date.now();
    expect(await pageAt(LOCAL, { HISTORY_INDEX: namespace })).not.toMatch(LINE);
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  test("the page is shown when the index fails, which is logged", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const fail = () => Promise.reject(new TypeError("a fault"));
    const namespace = { getByName: () => ({ report: fail }) };
    expect(await pageAt(LOCAL, { HISTORY_INDEX: namespace })).not.toMatch(LINE);
    expect(logged.mock.calls.flat().join()).toContain("history-index-glance-failed");
  });
});

test("strangers see nothing of the index, which is not asked", async () => {
  await readAll();
  const getByName = vi.fn();
  expect(await pageAt(PUBLIC_URL, { PUBLIC_URL, HISTORY_INDEX: { getByName } })).not.toMatch(LINE);
  expect(getByName).not.toHaveBeenCalled();
});
