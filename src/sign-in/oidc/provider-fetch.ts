/**
 * All requests to the OpenID provider. Time and size of each answer are limited, redirects are not followed, and only
 * https is used, except for a provider on this machine. Addresses come from the settings and the provider's metadata,
 * never from the person who signs in.
 */
import { isLoopbackHost } from "../../settings/index.ts";
import { readWithin } from "../read-within.ts";

/** Until the last byte of the answer. */
const TIMEOUT_MS = 5_000;
/** Ten times the size of key sets and of tokens with 200 groups. */
const MAXIMUM_ANSWER_BYTES = 256 * 1024;

export type ProviderFaultReason =
  | "provider_unreachable"
  | "provider_timeout"
  | "provider_redirected"
  | "provider_answer_too_large"
  | "provider_address_refused";

export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly reason: ProviderFaultReason;

  constructor(reason: ProviderFaultReason) {
    super(reason);
    this.reason = reason;
  }
}

export interface ProviderRequest {
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: BodyInit | null | undefined;
}

export async function fetchFromProvider(address: string, request: ProviderRequest): Promise<Response> {
  requireSafeAddress(address);
  const { method, headers, body = null } = request;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(address, { method, headers, body, redirect: "manual", signal });
    if (response.status >= 300 && response.status < 400) throw new ProviderFault("provider_redirected");
    const answer = await readWithin(MAXIMUM_ANSWER_BYTES, response);
    if (answer === undefined) throw new ProviderFault("provider_answer_too_large");
    return new Response(answer, { status: response.status, headers: neededHeaders(response.headers) });
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    throw new ProviderFault(signal.aborted ? "provider_timeout" : "provider_unreachable");
  }
}

/** Accepts https, and http to this machine. @throws ProviderFault */
export function requireSafeAddress(address: string): void {
  const url = URL.parse(address);
  const isSafe =
    url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)));
  if (!isSafe) throw new ProviderFault("provider_address_refused");
}

/** Leaves out headers about the transfer, such as its encoding. */
function neededHeaders(received: Headers): Headers {
  const needed = new Headers();
  for (const name of ["Content-Type", "WWW-Authenticate"]) {
    const value = received.get(name);
    if (value !== null) needed.set(name, value);
  }
  return needed;
}
