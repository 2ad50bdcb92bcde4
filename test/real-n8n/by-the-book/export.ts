/**
 * Saves a real n8n's data about the MCP server by the book for the fast tests: its workflows as the public
 * API lists them, and its servers' answers to `tools/list`. `node test/real-n8n/by-the-book/export.ts` boots
 * an n8n for it; addresses of that run are replaced, so that the file holds nothing of the machine.
 */
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { closeAtEnd } from "../../support/close-at-end.ts";
import { bootN8n, type RunningN8n } from "../boot.ts";
import { installN8n } from "../install.ts";
import { callApi } from "../n8n-api.ts";
import { startUpstream } from "../upstream.ts";
import { defaultN8nVersion } from "../versions.ts";
import { listTools, type SeededBook, seedByTheBook } from "./seed.ts";
import { bookPaths } from "./workflows.ts";

const file = join(dirname(fileURLToPath(import.meta.url)), "../../workflows/fixtures/by-the-book.json");

export async function exportBook(n8n: RunningN8n, { bearerToken, world, ids }: SeededBook): Promise<string> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.readKey };
  const list = await callApi(access, "GET", "/workflows?limit=250&excludePinnedData=true");
  const toolLists = {
    server: await listTools(n8n, bookPaths.server, bearerToken),
    contacts: await listTools(n8n, bookPaths.contacts, bearerToken),
  };
  return JSON.stringify({ n8nVersion: defaultN8nVersion, ids, list, toolLists }, null, 1)
    .replaceAll(world.baseUrl, "http://n8n.example:5678")
    .replaceAll(world.upstreamUrl, "http://upstream.example");
}

async function main(): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const n8n = closeAtEnd(
    resources,
    await bootN8n(await installN8n(defaultN8nVersion, console.log), { log: console.log }),
  );
  const upstream = closeAtEnd(resources, await startUpstream());
  await writeFile(file, `${await exportBook(n8n, await seedByTheBook(n8n, upstream.url))}\n`);
  console.log(`wrote ${file}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
