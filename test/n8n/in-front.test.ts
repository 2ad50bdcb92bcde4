/** Proxies and logins in front of n8n are recognized and named with a fix; the key goes nowhere else. */
import { createServer, type RequestListener } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { createN8nClient } from "../../src/n8n/client.ts";
import { errorInFront } from "../../src/n8n/in-front.ts";
import { ObserverError } from "../../src/platform/errors.ts";

const ASKED = "https://n8n.test/api/v1/executions?limit=1";
const answer = (status: number, headers: Record<string, string>): Response =>
  new Response(null, { status, headers });

describe("an answer that does not come from n8n:", () => {
  test.each([
    [
      "the log-in of Cloudflare Access",
      answer(302, { location: "https://acme.cloudflareaccess.com/cdn-cgi/access/login/n8n.test?kid=s3cr3t" }),
      /Cloudflare Access/,
      /CF-Access-Client-Id/,
    ],
    [
      "Access on its own path",
      answer(302, { location: "/cdn-cgi/access/login?x=1" }),
      /Cloudflare Access/,
      /N8N_HEADERS/,
    ],
    [
      "Access without a log-in",
      answer(403, { "www-authenticate": 'Cloudflare-Access resource_metadata="https://n8n.test/x"' }),
      /Cloudflare Access/,
      /Service Auth/,
    ],
    ["oauth2-proxy", answer(302, { location: "/oauth2/start?rd=s3cr3t" }), /log-in page/, /N8N_HEADERS/],
    [
      "Authelia",
      answer(302, { location: "https://auth.acme.test/?rd=s3cr3t" }),
      /log-in page/,
      /N8N_HEADERS/,
    ],
    ["n8n's own sign-in", answer(302, { location: "/signin?redirect=s3cr3t" }), /log-in page/, /N8N_HEADERS/],
    [
      "basic authentication",
      answer(401, { "www-authenticate": 'Basic realm="s3cr3t"' }),
      /user and a password/,
      /Basic/,
    ],
    ["a proxy that asks for itself", answer(407, {}), /user and a password/, /Basic/],
    [
      "a firewall's page",
      answer(403, { "content-type": "text/html" }),
      /in front of n8n refused/,
      /firewall/,
    ],
    [
      "a move to https",
      answer(301, { location: "http://n8n.test/api/v1/executions" }),
      /redirect/,
      /http address/,
    ],
    [
      "another path",
      answer(308, { location: "/n8n/api/v1/executions?s3cr3t" }),
      /to another path/,
      /final address/,
    ],
    [
      "another host",
      answer(302, { location: "https://elsewhere.test/x?token=s3cr3t" }),
      /to another address/,
      /final address/,
    ],
    ["a redirect to nowhere", answer(302, {}), /redirect/, /final address/],
    ["a redirect to no address", answer(302, { location: "http://[" }), /redirect/, /final address/],
  ])("%s is recognized", (_name, response, message, solution) => {
    const error = errorInFront(response, ASKED, "");
    expect(error?.message).toMatch(message);
    expect(error?.details.solution).toMatch(solution);
    expect(`${error?.message}${JSON.stringify(error?.details)}`).not.toContain("s3cr3t");
  });

  test.each([
    ["n8n's refusal of the key", answer(401, { "content-type": "application/json" })],
    ["n8n's refusal for a scope", answer(403, { "content-type": "application/json; charset=utf-8" })],
    ["not found", answer(404, { "content-type": "text/html" })],
    ["a fault", answer(502, { "content-type": "text/html" })],
    ["too much", answer(429, {})],
  ])("%s is not taken for one", (_name, response) => {
    expect(errorInFront(response, ASKED, '{"message":"Forbidden"}')).toBeUndefined();
  });
});

describe("a proxy that demands two headers", () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  async function listen(handle: RequestListener): Promise<string> {
    const server = createServer(handle);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("There is no port.");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Admits requests with both headers, and redirects all others to a login on another origin. */
  const gate =
    (login: string): RequestListener =>
    ({ headers, url }, response) => {
      const isIn =
        headers["cf-access-client-id"] === "abc.access" && headers["cf-access-client-secret"] === "s3cr3t";
      if (!isIn) return response.writeHead(302, { location: `${login}/cdn-cgi/access/login` }).end();
      const isKey = headers["x-n8n-api-key"] === "a-key-for-these-tests";
      const isAsked = url?.startsWith("/automation-api/v1/executions?") === true;
      response.writeHead(isKey && isAsked ? 200 : 404, { "content-type": "application/json" });
      response.end('{"data":[],"nextCursor":null}');
    };

  test("is passed with both headers at the configured path; without them the login gets no request", async () => {
    const reached: string[] = [];
    const login = await listen(({ url }, response) => {
      reached.push(url ?? "");
      response.end();
    });
    const baseUrl = await listen(gate(login));
    const access = { baseUrl, apiKey: "a-key-for-these-tests", apiPath: "/automation-api/v1" };
    const headers = { "cf-access-client-id": "abc.access", "cf-access-client-secret": "s3cr3t" };
    expect(await createN8nClient({ ...access, headers }).listExecutions({ limit: 1 })).toMatchObject({
      executions: [],
    });
    const refused = await createN8nClient(access)
      .listExecutions({ limit: 1 })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ObserverError);
    expect(refused).toMatchObject({ code: "N8N_FORBIDDEN", details: { field: "N8N_HEADERS" } });
    expect(reached).toEqual([]);
  });

  test("a configured header never replaces the key", async () => {
    const seen: (string | undefined)[] = [];
    const baseUrl = await listen(({ headers }, response) => {
      seen.push(headers["x-n8n-api-key"]?.toString(), headers.accept);
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":[],"nextCursor":null}');
    });
    const headers = { "x-n8n-api-key": "another", accept: "text/html" };
    await createN8nClient({ baseUrl, apiKey: "a-key-for-these-tests", headers }).listExecutions({ limit: 1 });
    expect(seen).toEqual(["a-key-for-these-tests", "application/json"]);
  });
});
