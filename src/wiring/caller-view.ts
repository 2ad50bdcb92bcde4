/** What a caller may see by the access rules or their own keys: which n8n instances, and what of each. */
import { type Grant, needsWorkflows, View, type ViewParts } from "../n8n/view.ts";
import {
  type CallerAccess,
  readAccessRules,
  readN8nKeys,
  SCOPES,
  type SettingsSource,
} from "../settings/index.ts";

const EVERYTHING: readonly Grant[] = [{ scopes: SCOPES }];

/** Fails closed: nothing if no rule applies, or an own key is needed. @throws ObserverError `CONFIGURATION_ERROR` */
export function grantsIn(env: SettingsSource, access: CallerAccess, instance: string): readonly Grant[] {
  if (access.kind === "own keys" || readN8nKeys(env) === "personal") return [];
  const rules = readAccessRules(env);
  if (rules === undefined) return EVERYTHING;
  if (access.kind === "all") return [];
  return access.numbers.flatMap((number) => {
    const { see, scopes } = rules[number - 1] ?? {};
    const isHere = see?.instances === undefined || see.instances.includes(instance);
    return see === undefined || scopes === undefined || !isHere ? [] : [{ workflows: see.workflows, scopes }];
  });
}

/** The n8n instances of which the caller may see anything. @throws ObserverError `CONFIGURATION_ERROR` */
export const visibleInstances = (
  env: SettingsSource,
  access: CallerAccess,
  names: readonly string[],
): readonly string[] =>
  names.filter((name) =>
    access.kind === "own keys" ? Object.hasOwn(access.n8nKeys, name) : grantsIn(env, access, name).length > 0,
  );

/** @param ask asks the index for n8n's list of workflows; not called unless a rule needs it */
export const viewOf = async (grants: readonly Grant[], ask: () => Promise<ViewParts>): Promise<View> =>
  needsWorkflows(grants) ? View.from(await ask()) : View.of(grants, []);
