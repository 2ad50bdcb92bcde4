/**
 * The service behind a KV namespace's binding: workerd turns each call of `get`, `put`, `list` and `delete` into a
 * request, in the form of Workers KV itself. Only the Worker can reach it; no socket leads here.
 *
 *   GET /<key>            the value; its metadata in CF-KV-Metadata; 404 where there is none
 *   GET /?prefix=…        a page of keys
 *   PUT, DELETE /<key>
 *
 * https://github.com/cloudflare/workerd/blob/main/src/workerd/api/kv.c++
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { readExpiration, readListing } from "./key-value-request.ts";
import type { ListedPage } from "./key-value-store.ts";
import type { PlatformEnv } from "./platform-env.ts";

const METADATA_HEADER = "CF-KV-Metadata";

export class KeyValues extends WorkerEntrypoint<PlatformEnv> {
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const store = this.env.KEY_VALUE_STORE.getByName("OAUTH_KV");
    if (url.pathname === "/" && request.method === "GET") {
      const { prefix, limit, cursor } = readListing(url.searchParams);
      return Response.json(toListAnswer(await store.list(prefix, limit, cursor)));
    }
    const key = decodeURIComponent(url.pathname.slice(1));
    if (request.method === "GET") {
      const entry = await store.read(key);
      if (entry === null) return new Response(null, { status: 404 });
      const headers = new Headers(entry.metadata === null ? {} : { [METADATA_HEADER]: entry.metadata });
      return new Response(entry.value, { headers });
    }
    if (request.method === "PUT") {
      const expiration = readExpiration(url.searchParams, Date.now());
      if (Number.isNaN(expiration)) return new Response("expires too soon", { status: 400 });
      const metadata = request.headers.get(METADATA_HEADER);
      await store.write(key, { value: await request.arrayBuffer(), metadata, expiration });
      return new Response(null);
    }
    if (request.method === "DELETE") {
      await store.remove(key);
      return new Response(null);
    }
    // Bulk calls, which nothing here makes.
    return new Response("not supported", { status: 501 });
  }
}

function toListAnswer({ keys, cursor }: ListedPage): object {
  return cursor === undefined
    ? { keys, list_complete: true, cacheStatus: null }
    : { keys, list_complete: false, cursor, cacheStatus: null };
}
