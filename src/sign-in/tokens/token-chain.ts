/**
 * The code and the refresh tokens of one grant, as a chain: which of them may still be used, and whose reuse proves
 * that two parties hold the grant (RFC 6749 §4.1.2, RFC 9700 §4.14.2). Digests only. No I/O. No clock.
 *
 * - The token that was used last stays valid until one of its successors is used, because an answer can get lost
 *   and be requested again. Each request adds another successor.
 * - When a successor is used, the token before it and the other successors are superseded.
 * - The store of the OAuth library decides which of several successors is valid, not the order in which they are recorded
 *   here. So a successor is accepted if the library accepted it, and an older one counts as superseded if the library
 *   refused it.
 */

/** Digests are strings; nothing here depends on their format. */
export interface TokenChain {
  /** The token that was used last; none before the first refresh. */
  readonly used?: string;
  /** Tokens issued since, oldest first. Never empty. */
  readonly successors: readonly string[];
  /** Oldest first. The code is the first of them. */
  readonly superseded: readonly string[];
}

/** More than a 30-day grant with one-hour tokens needs. Older tokens are refused, but do not end the grant. */
export const MAXIMUM_SUPERSEDED = 1_000;
const MAXIMUM_SUCCESSORS = 20;

/** @param issued the grant's first refresh token. @param code the code that it was issued for, now spent */
export const beginChain = (issued: string, code?: string): TokenChain => ({
  successors: [issued],
  superseded: code === undefined ? [] : [code],
});

/** The chain after `issued` replaced `presented`; `undefined` if `presented` was superseded: a replay. */
export function extendChain(chain: TokenChain, presented: string, issued: string): TokenChain | undefined {
  const { used, successors, superseded } = chain;
  if (presented === used) return bounded({ ...chain, successors: [...successors, issued] });
  if (!successors.includes(presented)) return undefined;
  const before = used === undefined ? [] : [used];
  const others = successors.filter((token) => token !== presented);
  return bounded({
    used: presented,
    successors: [issued],
    superseded: [...superseded, ...before, ...others],
  });
}

/** Whether a token that the library refused was once valid, so that it cannot be a guess. */
export function isSuperseded(chain: TokenChain, presented: string): boolean {
  const olderSuccessors = chain.successors.slice(0, -1);
  return chain.superseded.includes(presented) || olderSuccessors.includes(presented);
}

/** Whether a token was issued for this grant, as far back as the chain goes. */
export const includesToken = ({ used, successors, superseded }: TokenChain, presented: string): boolean =>
  presented === used || successors.includes(presented) || superseded.includes(presented);

function bounded(chain: TokenChain): TokenChain {
  const { successors, superseded } = chain;
  const tooMany = successors.slice(0, -MAXIMUM_SUCCESSORS);
  return {
    ...chain,
    successors: successors.slice(-MAXIMUM_SUCCESSORS),
    superseded: [...superseded, ...tooMany].slice(-MAXIMUM_SUPERSEDED),
  };
}
