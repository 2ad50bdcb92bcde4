/** In a scan that several callers share, one caller's failure or slowness does not affect the others. */
import { expect, test, vi } from "vitest";
import type { ScanCaller } from "../../../src/history/scan/shared-scan.ts";
import { createFakeN8n, fakeHistory } from "../../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

/** Covers one history for each of these callers. */
function cover(callers: readonly Partial<ScanCaller>[]) {
  const traces = createTestTraces();
  const sources = traces.sourcesOf(createFakeN8n(fakeHistory(600)));
  const deadline = traces.clock.now() + 20_000;
  const usual = { deadline, limit: 10_000, searchTarget: null, onRead: () => {}, onPage: async () => {} };
  const { scans } = traces.history.instance;
  return callers.map(async (own) => await scans.cover(WINDOW, sources, { ...usual, ...own }));
}

test("a caller whose own callback fails is the only one to fail", async () => {
  const onRead = (): void => {
    throw new TypeError("a fault of one caller");
  };
  const [failing, other] = cover([{ onRead }, {}]);
  await expect(failing).rejects.toThrow("a fault of one caller");
  await expect(other).resolves.toMatchObject({ stop: { reason: "complete" }, read: 600 });
});

test("a caller whose client takes no progress gets the answer when the scan ends", async () => {
  const onPage = vi.fn(() => new Promise<void>(() => {}));
  const [answer] = cover([{ onPage }]);
  await expect(answer).resolves.toMatchObject({ stop: { reason: "complete" }, read: 600 });
  expect(onPage).toHaveBeenCalledOnce();
});
