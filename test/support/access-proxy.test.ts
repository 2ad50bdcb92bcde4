import { afterAll, beforeAll, expect, it } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { ACCESS_HEADERS, type AccessProxy, startAccessProxy } from "./access-proxy.ts";

let n8n: RecordedN8n;
let proxy: AccessProxy;
beforeAll(async () => {
  n8n = await startRecordedN8n();
  proxy = await startAccessProxy(n8n.baseUrl, "https://family.cloudflareaccess.com");
});
afterAll(async () => {
  await proxy.close();
  await n8n.close();
});

async function ask(headers: Record<string, string>): Promise<Response> {
  return await fetch(`${proxy.baseUrl}/api/v1/tags?limit=1`, {
    headers: { "X-N8N-API-KEY": n8n.apiKey, ...headers },
    redirect: "manual",
  });
}

it.each([
  ["neither header", {}],
  ["one of the two", { "CF-Access-Client-Id": ACCESS_HEADERS["CF-Access-Client-Id"] }],
  ["a wrong secret", { ...ACCESS_HEADERS, "CF-Access-Client-Secret": "wrong" }],
])("redirects to the login page with %s, and nothing reaches n8n", async (_, headers) => {
  const before = n8n.requests.length;
  const response = await ask(headers);
  expect(response.status).toBe(302);
  const location = new URL(response.headers.get("location") ?? "");
  expect(location.origin).toBe("https://family.cloudflareaccess.com");
  expect(location.pathname).toMatch(/^\/cdn-cgi\/access\/login\/127\.0\.0\.1/);
  expect(location.searchParams.get("redirect_url")).toBe("/api/v1/tags?limit=1");
  expect(n8n.requests.slice(before)).toEqual([]);
  expect(proxy.requests.at(-1)).toEqual({ path: "/api/v1/tags?limit=1", admitted: false, carriedKey: true });
});

it("forwards a request with both headers", async () => {
  const response = await ask(ACCESS_HEADERS);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ data: [{ name: "production" }] });
  expect(proxy.requests.at(-1)?.admitted).toBe(true);
});
