/** What a search has read itself, where it holds too much to be remembered. */
import { expect, test } from "vitest";
import { NEW_OWN_READING, OwnReading } from "../../../src/history/resuming/own-reading.ts";

test.each(["noteHeld", "noteUnread"] as const)(
  "a call that has to forget by %s claims nothing of what it reads",
  (note) => {
    const own = new OwnReading(NEW_OWN_READING, "view");
    const stretch = { high: "2000", low: "1", isBottom: true };
    for (let id = 1; id <= 1_001; id += 1) own[note](String(id));
    own.claimSettled(stretch);
    own.claimRead({ ...stretch, before: "2026-01-01T00:00:00.000Z" });
    expect(own.state).toMatchObject({ settled: [], read: [] });
  },
);
