import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSessions, writePrivately, writeSession } from "../../scripts/dev-server/session-file.ts";

let parent = "";

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "n8n-observer-test-"));
});

afterEach(async () => {
  await rm(parent, { recursive: true, force: true });
});

const session = (port: number, startedAt: string) => ({
  url: `http://localhost:${port}/mcp`,
  token: `token-${port}`,
  startedAt,
});

describe("session files", () => {
  test("are read newest first", async () => {
    const older = session(1, "2026-11-20T08:00:00.000Z");
    const newer = session(2, "2026-11-20T09:00:00.000Z");
    await writeSession(join(parent, "1"), older);
    await writeSession(join(parent, "2"), newer);
    expect(await readSessions(parent)).toEqual([newer, older]);
  });

  test("are skipped if missing or broken", async () => {
    expect(await readSessions(join(parent, "none"))).toEqual([]);
    await mkdir(join(parent, "empty"));
    await mkdir(join(parent, "broken"));
    await writeFile(join(parent, "broken", "session.json"), '{"url":');
    expect(await readSessions(parent)).toEqual([]);
  });

  test.skipIf(process.platform === "win32")(
    "are readable by their owner only, even over an open file",
    async () => {
      const directory = join(parent, "8787");
      await mkdir(directory);
      await writeFile(join(directory, "secrets.env"), "old", { mode: 0o644 });
      const path = await writePrivately(directory, "secrets.env", "new");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(
        (await stat(await writeSession(join(parent, "1"), session(1, "2026-11-20T08:00:00.000Z")))).mode &
          0o777,
      ).toBe(0o600);
    },
  );
});
