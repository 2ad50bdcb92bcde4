/** The proxy forwards the suite's requests unchanged, hostile headers included, with a token added. */
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type BearerProxy, startBearerProxy } from "./bearer-proxy.ts";

let proxy: BearerProxy;
let serverHost = "";
let seen: IncomingHttpHeaders[] = [];

const server = createServer((incoming, outgoing) => {
  seen.push(incoming.headers);
  incoming.resume().on("end", () => outgoing.writeHead(418).end("the answer"));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  serverHost = `localhost:${address.port}`;
  proxy = await startBearerProxy(`http://${serverHost}`, "the-token");
});
afterAll(async () => {
  await proxy.close();
  server.close();
});
beforeEach(() => {
  seen = [];
});

/** `fetch` would not let a caller choose the Host. */
function ask(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(`${proxy.origin}/mcp`, { method: "POST", headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode));
    });
    asked.on("error", reject).end("{}");
  });
}

test("a request is forwarded with the token and the server's own host, and answered", async () => {
  expect(await ask({ "mcp-protocol-version": "2026-07-28" })).toBe(418);
  expect(seen).toEqual([
    expect.objectContaining({
      host: serverHost,
      authorization: "Bearer the-token",
      "mcp-protocol-version": "2026-07-28",
    }),
  ]);
});

test("a hostile Host and Origin are forwarded unchanged", async () => {
  await ask({ host: "evil.example.com", origin: "http://evil.example.com" });
  expect(seen).toEqual([
    expect.objectContaining({ host: "evil.example.com", origin: "http://evil.example.com" }),
  ]);
});
