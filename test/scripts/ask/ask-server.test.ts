/** The message of `npm run ask` when the server does not answer its call. */
import { createServer } from "node:http";
import { expect, test } from "vitest";
import * as z from "zod";
import { askServer } from "../../../scripts/ask/ask-server.ts";
import { listenOnLoopback, stopServer } from "../../support/loopback-server.ts";

/** @returns the message for a server that gives this answer to every request */
async function messageFor(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  const origin = await listenOnLoopback(server);
  try {
    const target = { url: `${origin}/mcp`, token: "token" };
    const error = await askServer(target, { requestId: "r" }, () => {}).catch((thrown: unknown) => thrown);
    return z.instanceof(Error).parse(error).message;
  } finally {
    await stopServer(server);
  }
}

test("a 503 is explained in the server's own words", async () => {
  const said = "The setting ACCESS_PASSPHRASE is too short. Use at least 12 characters.";
  const body = JSON.stringify({ error: "server_error", error_description: said });
  expect(await messageFor(503, body)).toMatch(
    /^http:.*\/mcp says: The setting ACCESS_PASSPHRASE is too short\. Use at least/,
  );
});

test.each(["<html>", "", "null", '{"error_description":""}'])(
  "any other answer, %j, is reported by its status",
  async (body) => {
    expect(await messageFor(503, body)).toContain("gave HTTP 503. Is it the connector URL, ending in /mcp?");
  },
);
