/**
 * Several fake n8n instances by name, and the settings for them. A key
 * that reaches another instance than its own is recorded.
 */
import type { Fetch } from "../../src/n8n/requests.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n } from "./fake-n8n.ts";

export interface NamedN8ns {
  readonly n8ns: ReadonlyMap<string, FakeN8n>;
  readonly settings: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** Keys that reached the wrong instance. */
  readonly crossed: string[];
  /** @throws Error when there is none of this name */
  readonly named: (name: string) => FakeN8n;
}

export const keyOf = (name: string): string => `api-key-of-${name}-0123456789`;
export const addressOf = (name: string): string => `https://${name}.n8n.test`;

/** @param histories the executions of each n8n, by its name */
export function createNamedN8ns(histories: Readonly<Record<string, readonly FakeExecution[]>>): NamedN8ns {
  const n8ns = new Map(
    Object.entries(histories).map(([name, executions]) => [name, createFakeN8n(executions)] as const),
  );
  const crossed: string[] = [];
  const named = (name: string): FakeN8n => {
    const n8n = n8ns.get(name);
    if (n8n === undefined) throw new Error(`There is no n8n called ${name}.`);
    return n8n;
  };
  const entries = [...n8ns.keys()].map((name) => [name, { baseUrl: addressOf(name), apiKey: keyOf(name) }]);
  return {
    n8ns,
    settings: {
      N8N_INSTANCES: JSON.stringify(Object.fromEntries(entries)),
      ACCESS_PASSPHRASE: "a passphrase for tests",
    },
    async fetch(address, init) {
      const [name = ""] = new URL(address).hostname.split(".");
      const key = new Headers(init.headers).get("x-n8n-api-key");
      if (key !== keyOf(name)) crossed.push(`${key} to ${name}`);
      return await named(name).fetch(address, init);
    },
    crossed,
    named,
  };
}
