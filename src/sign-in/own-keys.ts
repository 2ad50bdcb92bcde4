/**
 * The n8n keys that people give at sign-in (`N8N_KEYS=personal`). A key is tried on n8n only after its person has
 * signed in. It is then stored only in the `props` of the grant, which the OAuth library encrypts with the tokens.
 */
import * as z from "zod";
import type { KeyFields } from "../pages/key-fields.tsx";
import { mapConcurrently } from "../platform/bounded-concurrency.ts";
import { ObserverError, OWN_KEY } from "../platform/errors.ts";
import { parseJson } from "../platform/parse-json.ts";
import { addressOf, readInstances, readN8nKeys, type SettingsSource } from "../settings/index.ts";
import type { GivenKeys } from "./caller.ts";
import { digestOf } from "./tokens/presented-token.ts";

/** `writing`: scopes that can change something; null if n8n does not report scopes. @throws ObserverError if it fails */
export type TryKey = (
  env: Env,
  userId: string,
  instance: string,
  key: string,
) => Promise<{ readonly writing: readonly string[] | null }>;

/** Instance → why its key is not accepted. */
export type KeyFaults = Readonly<Record<string, { readonly text: string; readonly mayInsist?: boolean }>>;

export interface KeyForm {
  readonly keys: GivenKeys;
  /** Use the keys even if they can do more than read. */
  readonly insists: boolean;
  readonly faults: KeyFaults;
}

const KEY = /^[\x21-\x7e]{8,1000}$/;
const NO_KEY = { text: "Give an API key of yours." };
const NOT_A_KEY = { text: "This is no API key of n8n. Copy the whole of it, without spaces or line breaks." };
const SHOWN_SCOPES = 5;

const asksForKeys = (settings: SettingsSource): boolean => readN8nKeys(settings) === "personal";

/** @throws ObserverError `CONFIGURATION_ERROR` */
export function readKeyForm(form: FormData, settings: SettingsSource): KeyForm {
  const keys: Record<string, GivenKeys[string]> = {};
  const faults: Record<string, KeyFaults[string]> = {};
  const insists = form.get("insist") === "yes";
  if (!asksForKeys(settings)) return { keys, insists, faults };
  const instances = [...readInstances(settings).values()];
  for (const instance of instances) {
    const given = form.get(fieldOf(instance.name));
    const key = typeof given === "string" ? given.trim() : "";
    if (KEY.test(key)) keys[instance.name] = { address: addressOf(instance), key };
    else if (key !== "") faults[instance.name] = NOT_A_KEY;
  }
  const [first] = instances;
  const isNone = Object.keys({ ...keys, ...faults }).length === 0;
  return { keys, insists, faults: isNone && first !== undefined ? { [first.name]: NO_KEY } : faults };
}

/** The fields of the page; undefined if it asks for no keys. @throws ObserverError `CONFIGURATION_ERROR` */
export function keyFieldsOf(settings: SettingsSource, faults: KeyFaults = {}): KeyFields | undefined {
  if (!asksForKeys(settings)) return undefined;
  const fields = [...readInstances(settings).values()].map(({ name, editorUrl }) => ({
    name: fieldOf(name),
    host: new URL(editorUrl).host,
    fault: Object.hasOwn(faults, name) ? faults[name]?.text : undefined,
  }));
  return { fields, mayInsist: Object.values(faults).some((fault) => fault.mayInsist === true) };
}

/** Tries each key on n8n. @returns empty if all are accepted */
export async function faultsOfKeys(
  { keys, insists }: Pick<KeyForm, "keys" | "insists">,
  env: Env,
  userId: string,
  tryKey: TryKey,
): Promise<KeyFaults> {
  const tried = await mapConcurrently(Object.entries(keys), 2, async ([name, { key }]) => {
    const fault = await faultOf(tryKey(env, userId, name, key), insists);
    return fault === undefined ? [] : [[name, fault] as const];
  });
  return Object.fromEntries(tried.flat());
}

async function faultOf(trial: ReturnType<TryKey>, insists: boolean): Promise<KeyFaults[string] | undefined> {
  try {
    const { writing } = await trial;
    if (insists || writing === null || writing.length === 0) return undefined;
    const shown = writing.slice(0, SHOWN_SCOPES).join(", ");
    const more = writing.length > SHOWN_SCOPES ? ", …" : "";
    const text = `This key can do more than read: ${shown}${more}. Create one that only reads, or give it again and tick the box below.`;
    return { text, mayInsist: true };
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    const { code, message, details } = error;
    if (details.field !== OWN_KEY) return { text: `The key could not be tried. ${message}` };
    return { text: code === "N8N_UNAUTHORIZED" ? REFUSED : `${message} Create one that has it.` };
  }
}

const REFUSED = "n8n does not accept this key: it was deleted or has expired, or belongs to another n8n.";

export const n8nKeysIn = ({ keys }: Pick<KeyForm, "keys">): { readonly n8nKeys?: GivenKeys } =>
  Object.keys(keys).length === 0 ? {} : { n8nKeys: keys };

const fieldOf = (instance: string): string => `key.${instance}`;

const keyPayload = z.object({ sub: z.string() });

/** With a passphrase everybody is one user, so the owners of the keys distinguish people. */
export function userIdOf(userId: string, keys: GivenKeys): string {
  const accounts = Object.entries(keys).map(([name, { key }]) => [name, accountOf(key)]);
  return accounts.length === 0 ? userId : `${userId}-${digestOf(JSON.stringify(accounts.sort()))}`;
}

/** n8n's keys are JWTs whose subject is the user; older ones are opaque. */
function accountOf(key: string): string {
  const payload = Buffer.from(key.split(".")[1] ?? "", "base64url").toString();
  return keyPayload.safeParse(parseJson(payload)).data?.sub ?? key;
}
