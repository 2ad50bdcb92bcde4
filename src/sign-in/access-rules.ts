/** Whom the access rules mean, and which scopes they can have at all. No I/O. */
import type { AccessRule, CallerAccess, Scope } from "../settings/index.ts";
import type { Identity } from "./caller.ts";

/** Somebody who has proved who they are: a person of an organisation, a service token, or whoever has the passphrase. */
export interface Meant {
  readonly userId?: string;
  readonly identity?: Identity;
  readonly token?: string;
}

export interface GivenAccess {
  readonly access: CallerAccess;
  readonly scopes: readonly Scope[];
}

/**
 * @param scopes that they may have without rules
 * @returns what the rules leave of that; undefined if no rule means them
 */
export function accessOf(
  meant: Meant,
  scopes: readonly Scope[],
  rules: readonly AccessRule[] | undefined,
): GivenAccess | undefined {
  if (rules === undefined) return { access: "all", scopes };
  const numbered = rules.map((rule, index) => ({ ...rule, number: index + 1 }));
  const theirs = numbered.filter(({ who }) => isMeant(meant, who));
  if (theirs.length === 0) return undefined;
  return {
    access: theirs.map(({ number }) => number),
    scopes: scopes.filter((scope) => theirs.some((rule) => rule.scopes.includes(scope))),
  };
}

function isMeant({ userId, identity, token }: Meant, who: AccessRule["who"]): boolean {
  const isListed = (value: string | undefined, list: readonly string[] | undefined): boolean =>
    value !== undefined && list?.includes(value) === true;
  return (
    who.everybody === true ||
    isListed(token, who.tokens) ||
    (identity !== undefined &&
      (isListed(identity.email, who.emails) ||
        isListed(identity.domain, who.domains) ||
        isListed(identity.objectId, who.ids) ||
        isListed(userId, who.ids) ||
        identity.groups.some((group) => isListed(group, who.groups))))
  );
}
