/**
 * A Worker deployed without PUBLIC_URL takes its own workers.dev address from requests, and keeps that of the first
 * sign-in. The isolate remembers it for good, so each test has a Worker with another name.
 */
import { createExecutionContext, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import worker from "../../src/index.ts";
import { pinPublicUrl } from "../../src/sign-in/public-origin.ts";
import { PASSPHRASE, PUBLIC_URL } from "./secrets.ts";
import { Browser, destinationOf, type Send } from "./sign-in/browser.ts";
import { exchangeCode, mcpRequest, openConsent, registeredClientId } from "./sign-in/client.ts";

afterEach(() => reset());

let workers = 0;
/** A Worker without a stored address. */
const newWorker = (): string => `observer-${++workers}`;

/** The helpers use PUBLIC_URL: this sends their requests to another address. */
function sendTo(origin: string, workerName: string, settings: Record<string, string> = {}): Send {
  return async (request) => {
    const move = (text: string): string => text.replaceAll(PUBLIC_URL, origin);
    const headers = new Headers(request.headers);
    for (const name of ["Host", "Origin"]) {
      const value = headers.get(name);
      if (value !== null) headers.set(name, move(value).replace("observer.example", new URL(origin).host));
    }
    const body = request.body === null ? null : await request.text();
    const url = move(request.url).replaceAll(encodeURIComponent(PUBLIC_URL), encodeURIComponent(origin));
    const moved = new Request(url, { method: request.method, headers, body, redirect: "manual" });
    const all = { ...env, PUBLIC_URL: "", WORKER_NAME: workerName, ...settings };
    return await worker.fetch(moved, all, createExecutionContext());
  };
}

const metadataAt = (send: Send): Promise<Response> =>
  send(new Request(`${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`));

interface Attempt {
  readonly answer: Response;
  readonly clientId: string;
}

async function answerConsent(send: Send, passphrase: string): Promise<Attempt> {
  const clientId = await registeredClientId({}, send);
  const browser = new Browser(send);
  const handle = await openConsent(browser, clientId);
  return { answer: await browser.post({ handle, decision: "approve", passphrase }), clientId };
}

/** @returns the access token */
async function signIn(send: Send): Promise<string> {
  const { answer, clientId } = await answerConsent(send, PASSPHRASE);
  const code = destinationOf(answer).searchParams.get("code") ?? "";
  const response = await exchangeCode(clientId, code, {}, send);
  const { access_token: token } = await response.json<{ access_token: string }>();
  return token;
}

const call = (send: Send, token: string): Promise<Response> =>
  send(mcpRequest({ Authorization: `Bearer ${token}` }));

describe("before the first sign-in", () => {
  test("the Worker's own workers.dev address is used as requested, and strangers decide nothing", async () => {
    const name = newWorker();
    for (const account of ["first", "second", "first"]) {
      const origin = `https://${name}.${account}.workers.dev`;
      const metadata = await metadataAt(sendTo(origin, name));
      expect(await metadata.json()).toMatchObject({
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
      });
    }
  });

  test.each([
    ["of one version", (name: string) => `https://1a2b3c4d-${name}.acme.workers.dev`],
    ["of an alias", (name: string) => `https://staging-${name}.acme.workers.dev`],
    ["of another Worker", () => "https://other.acme.workers.dev"],
    ["with the same beginning", (name: string) => `https://${name}-2.acme.workers.dev`],
    ["below it", (name: string) => `https://${name}.a.b.workers.dev`],
    ["above it", (name: string) => `https://${name}.workers.dev`],
    [
      "with the same host as its beginning",
      (name: string) => `https://${name}.acme.workers.dev.evil.example`,
    ],
    ["of another domain", (name: string) => `https://${name}.acme.notworkers.dev`],
    ["on another port", (name: string) => `https://${name}.acme.workers.dev:8443`],
    ["without TLS", (name: string) => `http://${name}.acme.workers.dev`],
    ["on a custom domain, which only PUBLIC_URL can set", () => "https://observer.example"],
  ])("an address %s is not answered", async (_, toOrigin) => {
    const name = newWorker();
    expect((await metadataAt(sendTo(toOrigin(name), name))).status).toBe(421);
  });

  test("without the name that npm run deploy sets, no workers.dev address is answered", async () => {
    const send = sendTo("https://observer-0.acme.workers.dev", "");
    expect((await metadataAt(send)).status).toBe(421);
  });

  test("a wrong passphrase stores nothing", async () => {
    const name = newWorker();
    const { answer } = await answerConsent(
      sendTo(`https://${name}.first.workers.dev`, name),
      "not the passphrase",
    );
    expect(answer.status).toBe(403);
    expect((await metadataAt(sendTo(`https://${name}.second.workers.dev`, name))).status).toBe(200);
  });
});

describe("after the first sign-in", () => {
  test("its address is the only one, and others are refused with it", async () => {
    const name = newWorker();
    const own = sendTo(`https://${name}.first.workers.dev`, name);
    const token = await signIn(own);
    expect((await call(own, token)).status).toBe(200);
    for (const other of [`https://${name}.second.workers.dev`, "https://observer.example"]) {
      const response = await call(sendTo(other, name), token);
      expect(response.status).toBe(421);
      expect(await response.text()).toContain(`https://${name}.first.workers.dev/mcp`);
    }
  });

  test("it is stored where a new isolate finds it", async () => {
    const name = newWorker();
    await signIn(sendTo(`https://${name}.first.workers.dev`, name));
    expect(await env.PUBLIC_ADDRESS.getByName(name).read()).toBe(`https://${name}.first.workers.dev`);
  });

  test("of two simultaneous sign-ins one is first, and nothing is issued for the other", async () => {
    const name = newWorker();
    // Another sign-in comes first, after the form was opened, which this isolate does not know.
    await env.PUBLIC_ADDRESS.getByName(name).pin(`https://${name}.faster.workers.dev`);
    const settings = { ...env, PUBLIC_URL: "", WORKER_NAME: name };
    await expect(pinPublicUrl(settings, `https://${name}.slower.workers.dev`)).rejects.toMatchObject({
      failure: { status: 421 },
    });
  });

  test("PUBLIC_URL can replace it at any time", async () => {
    const name = newWorker();
    await signIn(sendTo(`https://${name}.first.workers.dev`, name));
    const moved = sendTo("https://observer.example", name, { PUBLIC_URL: "https://observer.example" });
    expect(await (await metadataAt(moved)).json()).toMatchObject({
      resource: "https://observer.example/mcp",
    });
    const old = sendTo(`https://${name}.first.workers.dev`, name, { PUBLIC_URL: "https://observer.example" });
    expect((await metadataAt(old)).status).toBe(421);
  });
});
