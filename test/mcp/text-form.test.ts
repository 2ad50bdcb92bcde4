import { expect, test } from "vitest";
import { wantsJsonText } from "../../src/mcp/server.ts";

const asked = (revision: string | undefined, query = ""): Request =>
  new Request(`https://observer.test/mcp${query}`, {
    headers: revision === undefined ? {} : { "mcp-protocol-version": revision },
  });

test.each([
  ["2026-07-28", "", false],
  ["2025-11-25", "", false],
  ["2025-06-18", "", false],
  ["2025-03-26", "", true],
  ["2024-11-05", "", true],
  // No client sent the header before 2025-06-18.
  [undefined, "", true],
  ["yes", "", true],
  ["2026-07-28", "?text=json", true],
  ["2026-07-28", "?text=table", false],
])("a client of revision %s at /mcp%s gets JSON as text: %j", (revision, query, isJson) => {
  expect(wantsJsonText(asked(revision, query))).toBe(isJson);
});
