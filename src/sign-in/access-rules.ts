/** What callers have access to: by the access rules that apply to them, or by their own n8n keys. No I/O. */
import {
  type AccessRule,
  addressOf,
  type CallerAccess,
  readAccessRules,
  readInstances,
  readN8nKeys,
  type Scope,
  type SettingsSource,
} from "../settings/index.ts";
import type { GivenKeys, Identity } from "./caller.ts";

/** An authenticated caller: a person of an organisation, a service token, or somebody with the passphrase. */
export interface Subject {
  readonly userId?: string;
  readonly identity?: Identity;
  readonly token?: string;
}

export interface GivenAccess {
  readonly access: CallerAccess;
  readonly scopes: readonly Scope[];
}

/** @param keys the caller's own n8n keys @returns undefined if neither rules nor keys give them anything */
export function accessUnder(
  settings: SettingsSource,
  subject: Subject,
  scopes: readonly Scope[],
  keys: GivenKeys = {},
): GivenAccess | undefined {
  if (readN8nKeys(settings) === "shared") return accessOf(subject, scopes, readAccessRules(settings));
  const n8nKeys = usableKeys(keys, settings);
  return Object.keys(n8nKeys).length === 0 ? undefined : { access: { kind: "own keys", n8nKeys }, scopes };
}

/** A key is used only if its n8n still has the address that the key was given for. */
function usableKeys(keys: GivenKeys, settings: SettingsSource): Record<string, string> {
  const instances = readInstances(settings);
  const usable = Object.entries(keys).flatMap(([name, { address, key }]) => {
    const instance = instances.get(name);
    return instance !== undefined && addressOf(instance) === address ? [[name, key] as const] : [];
  });
  return Object.fromEntries(usable);
}

/** @param scopes without rules @returns what the rules leave of them; undefined if no rule applies */
export function accessOf(
  subject: Subject,
  scopes: readonly Scope[],
  rules: readonly AccessRule[] | undefined,
): GivenAccess | undefined {
  if (rules === undefined) return { access: { kind: "all" }, scopes };
  const numbered = rules.map((rule, index) => ({ ...rule, number: index + 1 }));
  const applicable = numbered.filter(({ who }) => isIncludedIn(subject, who));
  if (applicable.length === 0) return undefined;
  return {
    access: { kind: "rules", numbers: applicable.map(({ number }) => number) },
    scopes: scopes.filter((scope) => applicable.some((rule) => rule.scopes.includes(scope))),
  };
}

type Lists = {
  readonly [Name in "emails" | "domains" | "ids" | "groups" | "tokens"]?: readonly string[] | undefined;
};

/** Whether any list names the caller. Values are compared whole. */
export function isIncludedIn(
  { userId, identity, token }: Subject,
  who: Lists & Pick<AccessRule["who"], "everybody">,
): boolean {
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
