/**
 * Checks which origins may call us. The host must be the public one, because issuer and resource are compared exactly
 * (RFC 8707, RFC 9728 §3.3): with any other spelling discovery would fail silently, so the request is refused and the
 * answer names the right address. That also stops DNS rebinding.
 *
 * If no setting gives the origin, it is the `workers.dev` address of the first sign-in, so that opening an address is
 * not enough to decide it. A Durable Object stores it, because one of two simultaneous sign-ins has to be the first.
 */
import { DurableObject } from "cloudflare:workers";
import type { Failure } from "../pages/answer-failure.ts";
import { ObjectCalls } from "../platform/object-calls.ts";
import { urlParts } from "../platform/url-parts.ts";
import {
  isConfiguredHost,
  isLoopbackHost,
  readPublicUrl,
  readWorkerName,
  settingProblems,
} from "../settings/index.ts";
import { RequestRefused, toFailure } from "./failure.ts";

/**
 * The setting's origin, else the origin of the first sign-in. A request for an unknown host is misdirected (RFC 9110
 * §15.5.20): on a person's own machine it may be DNS rebinding.
 * @throws RequestRefused for such a host, and `CONFIGURATION_ERROR` for a malformed setting
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
  const host = request.headers.get("Host");
  const isOrigin = urlParts(request.url).origin === publicUrl;
  if (isOrigin && (host === null || host === urlParts(publicUrl).host)) return;
  throw new RequestRefused(toMisdirected(publicUrl));
}

/**
 * Stores this origin if no setting gives one. Call it after all checks and before issuing anything, since tokens name
 * the origin. @throws RequestRefused if another origin was stored first
 */
export async function pinPublicUrl(env: Env, publicUrl: string): Promise<void> {
  const name = readWorkerName(env);
  if (name === undefined) return;
  const pinned = await addressOf(env, name).repeatable(async (address) => await address.pin(publicUrl));
  known.set(name, pinned);
  if (pinned !== publicUrl) throw new RequestRefused(toMisdirected(pinned));
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

/** Lets a malformed PUBLIC_URL be reported on a person's own machine. @throws RequestRefused for any other host */
export async function requireOwnHost(request: Request, env: Env): Promise<void> {
  const host = request.headers.get("Host") ?? new URL(request.url).host;
  const isLoopback = isLoopbackHost(URL.parse(`http://${host}`)?.hostname ?? "");
  const isMalformed = () => settingProblems(env, request.url).some(({ setting }) => setting === "PUBLIC_URL");
  if (isLoopback && isMalformed()) return;
  requirePublicOrigin(request, await requirePublicUrl(request, env));
}

/**
 * MCP servers must check `Origin`, in which browsers name the page that sends a request. Our own pages, pages on the
 * user's machine (such as the MCP inspector), and clients without `Origin` pass.
 * @throws RequestRefused for a page of any other origin
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

/** Stops forms of other sites before any look-up. @throws RequestRefused for a page of any other origin */
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

  /** Stores the origin unless one is stored. @returns the stored one */
  pin(origin: string): string {
    const stored = this.read();
    if (stored === null) this.ctx.storage.kv.put(ORIGIN_KEY, origin);
    return stored ?? origin;
  }
}

/** Worker's name → origin. A stored origin never changes, so it is read once. */
const known = new Map<string, string>();

const addressOf = (env: Env, workerName: string) =>
  new ObjectCalls("PublicAddress", () => env.PUBLIC_ADDRESS.getByName(workerName));

/** `undefined` before the first sign-in, and if a setting gives the origin. */
async function findPinnedOrigin(env: Env): Promise<string | undefined> {
  const name = readWorkerName(env);
  if (name === undefined) return undefined;
  const origin =
    known.get(name) ?? (await addressOf(env, name).repeatable(async (address) => await address.read()));
  if (origin !== null) known.set(name, origin);
  return origin ?? undefined;
}
