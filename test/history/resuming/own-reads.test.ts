/** What a search itself has read, with a bound on what it remembers. */
import { expect, test } from "vitest";
import { NEW_OWN_READING, OwnReads } from "../../../src/history/resuming/own-reads.ts";

test.each(["noteMatch", "noteUnread"] as const)(
  "a call that overflows by %s claims nothing of what it read",
  (note) => {
    const own = new OwnReads(NEW_OWN_READING, "view");
    const stretch = { high: "2000", low: "1", isBottom: true };
    for (let id = 1; id <= 1_001; id += 1) own[note](String(id));
    own.claimSettled(stretch);
    own.claimRead({ ...stretch, before: "2026-01-01T00:00:00.000Z" });
    expect(own.state).toMatchObject({ settled: [], read: [] });
  },
);

test("queued executions are remembered only while they stay queued", () => {
  const own = new OwnReads(NEW_OWN_READING, "view");
  const queued = (id: string) => ({ id, startedAt: null, stoppedAt: null, status: "new" as const });
  for (const id of ["1", "2", "3"]) own.noteRead(queued(id));
  own.noteRead({ id: "1", startedAt: "2026-01-01T00:00:00.000Z", stoppedAt: null, status: "running" });
  own.forgetExecution("2");
  expect(own.queued).toEqual(["3"]);
});

test("only the latest 10,000 queued executions are remembered", () => {
  const own = new OwnReads(NEW_OWN_READING, "view");
  for (let id = 1; id <= 10_001; id += 1)
    own.noteRead({ id: String(id), startedAt: null, stoppedAt: null, status: "new" });
  expect(own.queued).toHaveLength(10_000);
  expect(own.hasReadQueued("1")).toBe(false);
  expect(own.hasReadQueued("10001")).toBe(true);
});
