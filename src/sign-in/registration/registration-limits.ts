/**
 * How many clients may be registered. No I/O. No clock: `now` is passed in.
 *
 * Registration is open (RFC 7591 §3), and each client is stored. So there are hourly limits per address, per network
 * and in total, and a limit on stored clients. The limit per address is generous: a company's people share one, and so
 * do all users of a client that registers from its own servers, such as Claude on the web.
 *
 * The price: a flood from many networks can keep new apps from registering for the rest of the hour. Registered apps
 * still work and refresh, and clients with service tokens need no registration.
 */
import { HOUR_MS } from "../../platform/durations.ts";
import type { ClientAddress } from "./client-address.ts";

export const WINDOW_MS = HOUR_MS;
export const MAXIMUM_PER_ADDRESS = 60;
export const MAXIMUM_PER_NETWORK = 75;
export const MAXIMUM_PER_WINDOW = 300;
/** More than can be registered in the day after which unused clients are deleted. */
export const MAXIMUM_STORED = 10_000;

export interface RegistrationWindow {
  readonly startedAt: number;
  readonly admitted: number;
  /** Digest of an address or network → its admitted registrations. */
  readonly byAddress: Readonly<Record<string, number>>;
}

export type RegistrationAdmission =
  /** The client may be registered, once `window` is stored. */
  | { readonly admitted: true; readonly window: RegistrationWindow }
  /** `retryAfter` is in seconds. */
  | { readonly admitted: false; readonly retryAfter: number };

export function currentWindow(previous: RegistrationWindow | undefined, now: number): RegistrationWindow {
  const isOver = previous === undefined || now >= previous.startedAt + WINDOW_MS || now < previous.startedAt;
  return isOver ? { startedAt: now, admitted: 0, byAddress: {} } : previous;
}

/** @param from digests of the address and of its network. @param stored number of stored clients */
export function admitRegistration(
  window: RegistrationWindow,
  { address, network }: ClientAddress,
  stored: number,
  now: number,
): RegistrationAdmission {
  const ofAddress = window.byAddress[address] ?? 0;
  const ofNetwork = window.byAddress[network] ?? 0;
  const isShareSpent = ofAddress >= MAXIMUM_PER_ADDRESS || ofNetwork >= MAXIMUM_PER_NETWORK;
  if (isShareSpent || window.admitted >= MAXIMUM_PER_WINDOW || stored >= MAXIMUM_STORED) {
    return { admitted: false, retryAfter: Math.ceil((window.startedAt + WINDOW_MS - now) / 1000) };
  }
  return {
    admitted: true,
    window: {
      startedAt: window.startedAt,
      admitted: window.admitted + 1,
      byAddress: { ...window.byAddress, [address]: ofAddress + 1, [network]: ofNetwork + 1 },
    },
  };
}
