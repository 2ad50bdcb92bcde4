/** The n8n that is seeded and checked, whether the lane runs it or its address was given. */
import type { N8nAbilities } from "./abilities.ts";
import type { ExecutionSource } from "./execution-source.ts";

/** Prefixes that mark the lane's own things in an n8n with others. */
export interface Prefixes {
  /** For names of workflows and labels of keys. */
  readonly name: string;
  /** For paths of triggers. */
  readonly path: string;
}

export const NO_PREFIXES: Prefixes = { name: "", path: "" };

/** `readKey` only reads; `writeKey` seeds, retries and stops. */
export interface TestedN8n {
  baseUrl: string;
  readKey: string;
  writeKey: string;
  /** The owner's session in the editor, for functions that this n8n's public API lacks. Seeding only. */
  ownerCookie: string;
  abilities: N8nAbilities;
  prefixes: Prefixes;
  executions: ExecutionSource;
}

export const webhookUrl = ({ baseUrl, prefixes }: TestedN8n, path: string): string =>
  `${baseUrl}/webhook/${prefixes.path}${path}`;
