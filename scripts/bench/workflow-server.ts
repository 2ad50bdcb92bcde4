/** A server with n8n's answers for an instance of many workflows, in a process of its own. Argument: how many. */
import { createServer } from "node:http";
import { serveForParent } from "./child-process.ts";
import { manyWorkflows } from "./many-workflows.ts";

const workflows = new Map(
  manyWorkflows(Number(process.argv[2])).map((each) => [each.id, JSON.stringify(each)]),
);

/** n8n's cursors of workflows are base64 of `{"limit":…,"offset":…}`. */
function listed(query: URLSearchParams): string {
  const cursor = query.get("cursor");
  const limit = Number(query.get("limit") ?? 100);
  const offset: number = cursor === null ? 0 : JSON.parse(atob(cursor)).offset;
  const page = [...workflows.values()].slice(offset, offset + limit);
  const next =
    offset + limit < workflows.size ? btoa(JSON.stringify({ limit, offset: offset + limit })) : null;
  return `{"data":[${page.join(",")}],"nextCursor":${JSON.stringify(next)}}`;
}

await serveForParent(
  createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const id = /\/workflows\/([^/]+)$/.exec(pathname)?.[1];
    const answer = id === undefined ? listed(searchParams) : workflows.get(id);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(answer ?? '{"message":"Not Found"}');
  }),
);
