/** Only the owner can read a server's data, and no other permissions are changed. */
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keepDataPrivate, makePrivate } from "../../scripts/serve/private-files.ts";

let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "n8n-observer-private-"));
  folder = join(parent, "folder");
});
afterEach(async () => {
  await rm(parent, { recursive: true });
});

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

async function makeOpen(...path: string[]): Promise<void> {
  const file = join(folder, ...path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, "");
  await chmod(file, 0o666);
  for (let at = join(file, ".."); at !== parent; at = join(at, "..")) await chmod(at, 0o777);
}

describe.skipIf(process.platform === "win32")("a folder that is made private", () => {
  test("is created, for its owner only", async () => {
    await makePrivate(join(folder, "new"));
    expect(await modeOf(join(folder, "new"))).toBe(0o700);
  });

  test("is accessible to its owner only, with everything in it", async () => {
    await makeOpen("state", "v3", "do", "object.sqlite");
    await makePrivate(folder);
    expect(await modeOf(folder)).toBe(0o700);
    expect(await modeOf(join(folder, "state", "v3", "do"))).toBe(0o700);
    expect(await modeOf(join(folder, "state", "v3", "do", "object.sqlite"))).toBe(0o600);
  });

  test("leaves the targets of links alone", async () => {
    const elsewhere = join(parent, "elsewhere.txt");
    await writeFile(elsewhere, "");
    await chmod(elsewhere, 0o644);
    await makeOpen("file");
    await symlink(elsewhere, join(folder, "link"));
    await symlink(parent, join(folder, "folder-link"));
    await symlink(join(parent, "nowhere"), join(folder, "dead-link"));
    await makePrivate(folder);
    expect(await modeOf(elsewhere)).toBe(0o644);
    expect(await modeOf(join(folder, "file"))).toBe(0o600);
  });
});

describe.skipIf(process.platform === "win32")("a data folder", () => {
  test("that is new is accessible to its owner only", async () => {
    await keepDataPrivate(folder);
    expect(await modeOf(folder)).toBe(0o700);
  });

  test("that existed before keeps its permissions, and so does everything else in it", async () => {
    await makeOpen("n8n-observer-HistoryIndex", "object.sqlite");
    await makeOpen("photos", "holiday.jpg");
    await keepDataPrivate(folder);
    expect(await modeOf(join(folder, "n8n-observer-HistoryIndex", "object.sqlite"))).toBe(0o600);
    expect(await modeOf(join(folder, "n8n-observer-HistoryIndex"))).toBe(0o700);
    expect(await modeOf(join(folder, "photos", "holiday.jpg"))).toBe(0o666);
    expect(await modeOf(folder)).toBe(0o777);
  });
});
