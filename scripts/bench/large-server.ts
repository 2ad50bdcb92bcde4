/** A server with n8n's answers for a history that holds very large executions, in a process of its own. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { readExecutionCursor } from "../../src/n8n/execution-cursor.ts";
import { serveForParent } from "./child-process.ts";
import { largeHistory, listedMembers, type MadeUpExecution, withData } from "./large-executions.ts";

/** Waits while the client reads more slowly. */
async function write(response: ServerResponse, chunk: Uint8Array | string): Promise<void> {
  if (!response.write(chunk)) await once(response, "drain");
}

async function writeExecution(
  response: ServerResponse,
  execution: MadeUpExecution,
  hasData: boolean,
): Promise<void> {
  if (!hasData) return await write(response, JSON.stringify(listedMembers(execution)));
  for (const chunk of withData(execution)) await write(response, chunk);
}

async function answerList(response: ServerResponse, query: URLSearchParams): Promise<void> {
  const cursor = readExecutionCursor(query.get("cursor") ?? "");
  const limit = cursor?.limit ?? Number(query.get("limit") ?? 100);
  const lastId = Number(cursor?.lastId ?? Number.POSITIVE_INFINITY);
  // Only other statuses are asked for: every execution here is a success.
  const open = query.has("status") ? [] : largeHistory.filter(({ id }) => id < lastId);
  const page = open.slice(0, limit);
  await write(response, '{"data":[');
  for (const [index, execution] of page.entries()) {
    if (index > 0) await write(response, ",");
    await writeExecution(response, execution, query.has("includeData"));
  }
  const next = JSON.stringify({ lastId: String(page.at(-1)?.id), limit });
  const nextCursor = open.length > limit ? Buffer.from(next).toString("base64") : null;
  response.end(`],"nextCursor":${JSON.stringify(nextCursor)}}`);
}

async function answer(response: ServerResponse, url: URL): Promise<void> {
  const { pathname, searchParams } = url;
  const id = /\/executions\/(\d+)$/.exec(pathname)?.[1];
  const execution = largeHistory.find((one) => String(one.id) === id);
  const isKnown = pathname.endsWith("/executions") || execution !== undefined;
  response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
  if (!isKnown) response.end('{"message":"Not Found"}');
  else if (execution === undefined) await answerList(response, searchParams);
  else {
    await writeExecution(response, execution, searchParams.has("includeData"));
    response.end();
  }
}

await serveForParent(
  createServer((request, response) => {
    answer(response, new URL(request.url ?? "/", "http://localhost")).catch(() => response.destroy());
  }),
);
