/** What is one caller's own, in a scan that several wait for, is not the others'. */
import { expect, test, vi } from "vitest";
import type { Waiting } from "../../../src/history/scan/shared-scan.ts";
import { createFakeN8n, fakeHistory } from "../../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

/** Of one history, by callers who wait for it as given. */
function cover(callers: readonly Partial<Waiting>[]) {
  const traces = createTestTraces();
  const sources = traces.sourcesOf(createFakeN8n(fakeHistory(600)));
  const deadline = traces.clock.now() + 20_000;
  const usual = { deadline, limit: 10_000, searchTarget: null, onRead: () => {}, onPage: async () => {} };
  const { scans } = traces.history.instance;
  return callers.map(async (own) => await scans.cover(WINDOW, sources, { ...usual, ...own }));
}

test("one whose own notes fail ends alone", async () => {
  const onRead = (): void => {
    throw new TypeError("a fault of one caller");
  };
  const [failing, other] = cover([{ onRead }, {}]);
  await expect(failing).rejects.toThrow("a fault of one caller");
  await expect(other).resolves.toMatchObject({ stop: { reason: "complete" }, read: 600 });
});

test("one whose client takes no progress is given the answer when the scan has ended", async () => {
  const onPage = vi.fn(() => new Promise<void>(() => {}));
  const [answer] = cover([{ onPage }]);
  await expect(answer).resolves.toMatchObject({ stop: { reason: "complete" }, read: 600 });
  expect(onPage).toHaveBeenCalledOnce();
});
