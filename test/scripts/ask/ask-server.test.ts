/** What a person is told when the server cannot be asked. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import * as z from "zod";
import { askServer } from "../../../scripts/ask/ask-server.ts";

/** Asks a server that answers everything so. @returns what the person is told */
async function told(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = z.custom<AddressInfo>().parse(server.address());
    const asked = { url: `http://127.0.0.1:${port}/mcp`, token: "token" };
    const error = await askServer(asked, { requestId: "r" }, () => {}).catch((thrown: unknown) => thrown);
    return z.instanceof(Error).parse(error).message;
  } finally {
    server.close();
  }
}

test("a 503 is told in the server's own words: which setting, and what to do", async () => {
  const said = "The setting ACCESS_PASSPHRASE is too short. Use at least 12 characters.";
  const body = JSON.stringify({ error: "server_error", error_description: said });
  expect(await told(503, body)).toMatch(
    /^http:.*\/mcp says: The setting ACCESS_PASSPHRASE is too short\. Use at least/,
  );
});

test.each(["<html>", "", "null", '{"error_description":""}'])(
  "another answer, %j, is told as one",
  async (body) => {
    expect(await told(503, body)).toContain("gave HTTP 503. Is it the connector URL, ending in /mcp?");
  },
);
