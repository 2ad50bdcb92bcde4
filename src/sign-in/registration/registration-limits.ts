/**
 * How many clients may be registered. No I/O. No clock: `now` is passed in.
 *
 * Registration is open (RFC 7591 §3: anyone may ask), and each registration is stored. So an address
 * has a share of each hour, all addresses together have another, and there is a ceiling for what is
 * stored at all; what is never used is deleted after a day (`client-retention.ts`). The share of an
 * address is generous: people behind one company's network share an address, and so do all users of
 * a client that registers from its own servers, as Claude on the web does.
 *
 * The price: a flood from many addresses can keep new apps from registering for the rest of the hour.
 * Apps that are registered go on and refresh as before, and service tokens never register.
 */

export const WINDOW_MS = 60 * 60_000;
export const MAXIMUM_PER_ADDRESS = 60;
export const MAXIMUM_PER_WINDOW = 300;
/** Stored at one time. */
export const MAXIMUM_STORED = 5_000;

/** What is remembered of the current hour. */
export interface RegistrationWindow {
  readonly startedAt: number;
  readonly admitted: number;
  /** By the digest of the address; only of those that were admitted, so it stays small. */
  readonly byAddress: Readonly<Record<string, number>>;
}

export type RegistrationAdmission =
  /** The client may be registered, once `window` is stored. */
  | { readonly admitted: true; readonly window: RegistrationWindow }
  /** `retryAfter` is in seconds. */
  | { readonly admitted: false; readonly retryAfter: number };

/** The window that `now` is in: the one before, or a new and empty one. */
export function currentWindow(previous: RegistrationWindow | undefined, now: number): RegistrationWindow {
  const isOver = previous === undefined || now >= previous.startedAt + WINDOW_MS || now < previous.startedAt;
  return isOver ? { startedAt: now, admitted: 0, byAddress: {} } : previous;
}

/**
 * Counts one more registration, or refuses it.
 * @param stored how many clients there are
 */
export function admitRegistration(
  window: RegistrationWindow,
  address: string,
  stored: number,
  now: number,
): RegistrationAdmission {
  const ofAddress = window.byAddress[address] ?? 0;
  if (ofAddress >= MAXIMUM_PER_ADDRESS || window.admitted >= MAXIMUM_PER_WINDOW || stored >= MAXIMUM_STORED) {
    return { admitted: false, retryAfter: Math.ceil((window.startedAt + WINDOW_MS - now) / 1000) };
  }
  return {
    admitted: true,
    window: {
      startedAt: window.startedAt,
      admitted: window.admitted + 1,
      byAddress: { ...window.byAddress, [address]: ofAddress + 1 },
    },
  };
}
