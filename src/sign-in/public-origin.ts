/**
 * Which origins may talk to us. The host must be the public one, because issuer and resource are compared exactly
 * (RFC 8707, RFC 9728 §3.3): on any other spelling discovery fails without a word, so it is refused with the right
 * address instead. That also stops DNS rebinding.
 *
 * Where no setting says the origin, it is the `workers.dev` address of the first sign-in, so a stranger who opens an
 * address decides nothing. A Durable Object keeps it, since of two at the same instant one has to be the first.
 */
import { DurableObject } from "cloudflare:workers";
import type { Failure } from "../pages/answer-failure.ts";
import { ObjectCalls } from "../platform/object-calls.ts";
import {
  isConfiguredHost,
  isLoopbackHost,
  readPublicUrl,
  readWorkerName,
  settingProblems,
} from "../settings/index.ts";
import { RequestRefused, toFailure } from "./failure.ts";

/**
 * The setting's origin, else that of the first sign-in. A host that this server was not told of is misdirected (RFC
 * 9110 §15.5.20): on a person's own machine it is how DNS rebinding looks. @throws RequestRefused for such a host, and
 * `CONFIGURATION_ERROR` for a malformed setting
 */
export async function requirePublicUrl(request: Request, env: Env): Promise<string> {
  const pinned = await findPinnedOrigin(env);
  if (pinned !== undefined) return pinned;
  try {
    return readPublicUrl(env, request.url);
  } catch (error) {
    if (isConfiguredHost(env, request.url)) throw error;
    throw new RequestRefused({ ...toFailure(error), status: 421 });
  }
}

/** @throws RequestRefused unless the request came to the public URL's own origin. */
export function requirePublicOrigin(request: Request, publicUrl: string): void {
  const url = new URL(request.url);
  const host = request.headers.get("Host");
  if (url.origin === publicUrl && (host === null || host === new URL(publicUrl).host)) return;
  throw new RequestRefused(toMisdirected(publicUrl));
}

/**
 * Keeps this as the origin where no setting says another. Called after all checks and before anything is issued, since
 * what is issued names it. @throws RequestRefused when somebody was faster at another one
 */
export async function pinPublicUrl(env: Env, publicUrl: string): Promise<void> {
  const pinned = await keepOrigin(env, publicUrl);
  if (pinned !== undefined && pinned !== publicUrl) throw new RequestRefused(toMisdirected(pinned));
}

function toMisdirected(publicUrl: string): Failure {
  return {
    status: 421,
    code: "invalid_request",
    title: "Use this server's other address",
    message: `This server answers at ${publicUrl} only, and the request came to another address.`,
    solution: `Connect to ${publicUrl}/mcp. To change the address, set PUBLIC_URL to the origin that clients use.`,
  };
}

/**
 * Lets the start page show itself on a person's own machine whatever PUBLIC_URL holds, so that it can name a malformed
 * one. @throws RequestRefused for any other host
 */
export async function requireOwnHost(request: Request, env: Env): Promise<void> {
  const host = request.headers.get("Host") ?? new URL(request.url).host;
  const isLoopback = isLoopbackHost(URL.parse(`http://${host}`)?.hostname ?? "");
  const isMalformed = () => settingProblems(env, request.url).some(({ setting }) => setting === "PUBLIC_URL");
  if (isLoopback && isMalformed()) return;
  requirePublicOrigin(request, await requirePublicUrl(request, env));
}

/**
 * Browsers name the page that sends a request in `Origin`, which MCP servers must check. Our own pages and those on the
 * user's machine (such as the MCP inspector) pass, and so do clients that send none. @throws RequestRefused for a page
 * of any other origin
 */
export function requireKnownOrigin(request: Request, publicUrl: string): void {
  const origin = request.headers.get("Origin");
  if (origin === null || origin === publicUrl) return;
  const page = URL.parse(origin);
  if (page !== null && isLoopbackHost(page.hostname)) return;
  throw new RequestRefused({
    status: 403,
    code: "invalid_request",
    title: "This page may not call the server",
    message: "The request was sent by a web page of another origin.",
    solution: "Connect with an MCP client, or from a page on this server's own origin or on localhost.",
  });
}

/**
 * Only our own page posts the consent form. The form's cookie already stops other sites; this stops them before
 * anything is looked up. @throws RequestRefused for a page of any other origin
 */
export function requireOwnPage(request: Request, publicUrl: string): void {
  const origin = request.headers.get("Origin");
  if (origin === null || origin === publicUrl) return;
  throw new RequestRefused({
    status: 403,
    code: "access_denied",
    title: "This form was sent from somewhere else",
    message: "Only the page of this server can send the sign-in form.",
    solution: "Go back to your app and connect again.",
  });
}

const ORIGIN_KEY = "origin";

export class PublicAddress extends DurableObject<Env> {
  /** `null` before the first sign-in. */
  read(): string | null {
    return this.ctx.storage.kv.get<string>(ORIGIN_KEY) ?? null;
  }

  pin(origin: string): string {
    const { kv } = this.ctx.storage;
    const known = kv.get<string>(ORIGIN_KEY);
    if (known !== undefined) return known;
    kv.put(ORIGIN_KEY, origin);
    return origin;
  }
}

/** Origins by the Worker's name. A stored origin never changes, so it is read once. */
const known = new Map<string, string>();

const addressOf = (env: Env, workerName: string) =>
  new ObjectCalls("PublicAddress", () => env.PUBLIC_ADDRESS.getByName(workerName));

/** `undefined` before the first sign-in, and where a setting says the origin. */
async function findPinnedOrigin(env: Env): Promise<string | undefined> {
  const name = readWorkerName(env);
  if (name === undefined) return undefined;
  const origin =
    known.get(name) ?? (await addressOf(env, name).repeatable(async (address) => await address.read()));
  if (origin !== null) known.set(name, origin);
  return origin ?? undefined;
}

/** Keeps the origin unless one is kept. @returns the kept one; `undefined` where a setting says the origin */
async function keepOrigin(env: Env, origin: string): Promise<string | undefined> {
  const name = readWorkerName(env);
  if (name === undefined) return undefined;
  const pinned = await addressOf(env, name).repeatable(async (address) => await address.pin(origin));
  known.set(name, pinned);
  return pinned;
}
