/** Queue mode needs programs that npm does not install: a missing one is named with its package. */
import { expect, test } from "vitest";
import { findProgram } from "../real-n8n/queue/servers.ts";

test("a missing program is named with its package", async () => {
  await expect(findProgram("no-such-server", ["/nowhere"], "redis-server")).rejects.toThrow(
    "Queue mode needs no-such-server, which is not on this machine. On Debian or Ubuntu: apt-get install redis-server",
  );
});

test("a program is found in the folders of its package", async () => {
  expect(await findProgram("sh", ["/bin"], "dash")).toMatch(/\/sh$/);
});
