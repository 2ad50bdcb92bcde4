/** The access rules, checked against the other settings: a rule with an unknown name is rejected, since it matches nothing. */
import type { AccessRule } from "./access-rules.ts";
import { DEFAULT_INSTANCE, namesOfInstances } from "./instances.ts";
import { readAccessSettings, readOidcSettings } from "./organisation.ts";
import { memoizeBySettings, readSetting } from "./source.ts";
import { fail } from "./values.ts";

const SETTING = "ACCESS_RULES";

/** What limits a caller's view: the rules that apply, by number, or their own n8n keys, by instance. */
export type CallerAccess =
  | { readonly kind: "all" }
  | { readonly kind: "rules"; readonly numbers: readonly number[] }
  | { readonly kind: "own keys"; readonly n8nKeys: Readonly<Record<string, string>> };

/** Numbered from 1; undefined if all see everything. @throws ObserverError `CONFIGURATION_ERROR`: it fails closed. */
export const readAccessRules = memoizeBySettings((source): readonly AccessRule[] | undefined => {
  const rules = readSetting(source, SETTING);
  if (rules === undefined) return undefined;
  const instances = namesOfInstances(source);
  const tokens = readSetting(source, "SERVICE_TOKENS").map(({ name }) => name);
  const hasOrganisation = readOidcSettings(source) !== undefined;
  for (const [index, { who, see }] of rules.entries()) {
    const refuse = (problem: string, solution: string) =>
      fail(SETTING, `${problem} in rule ${index + 1}`, solution);
    refuseUnknown(see.instances, instances.length === 0 ? [DEFAULT_INSTANCE] : instances, (position) =>
      refuse(
        `names an unknown n8n (number ${position} of see.instances)`,
        "Name those of N8N_INSTANCES; a single n8n is called default.",
      ),
    );
    refuseUnknown(who.tokens, tokens, (position) =>
      refuse(`names an unknown token (number ${position} of who.tokens)`, "Name entries of SERVICE_TOKENS."),
    );
    const { groups, emails, domains, ids } = who;
    if (!hasOrganisation && [groups, emails, domains, ids].some((list) => list !== undefined))
      refuse(
        "names people of an organisation, at which nobody can sign in,",
        "Set OIDC_ISSUER and its client; people who sign in with the passphrase are matched by everybody only.",
      );
  }
  return rules;
});

/** The groups that any setting names; a person's other groups are not stored. */
export const groupsNamedIn = memoizeBySettings((source): ReadonlySet<string> => {
  const { allowed, data } = readAccessSettings(source);
  const inRules = (readAccessRules(source) ?? []).flatMap(({ who }) => who.groups ?? []);
  return new Set([...allowed.groups, ...data.groups, ...inRules]);
});

function refuseUnknown(
  named: readonly string[] | undefined,
  known: readonly string[],
  refuse: (position: number) => never,
): void {
  const unknown = named?.findIndex((name) => !known.includes(name)) ?? -1;
  if (unknown >= 0) refuse(unknown + 1);
}
