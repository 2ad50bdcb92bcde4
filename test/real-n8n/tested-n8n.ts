/** What seeding, sending and checking need of an n8n, whether the lane runs it or somebody has given its address. */
import type { N8nAbilities } from "./abilities.ts";
import type { ExecutionSource } from "./execution-source.ts";

/** What marks the lane's own things in an n8n that has others. */
export interface Prefixes {
  /** Of workflows' names and keys' labels. */
  readonly name: string;
  /** Of the paths of triggers. */
  readonly path: string;
}

export const NO_PREFIXES: Prefixes = { name: "", path: "" };

/** `readKey` can read only; `writeKey` seeds, retries and stops. */
export interface TestedN8n {
  baseUrl: string;
  readKey: string;
  writeKey: string;
  /** Of the owner's session in the editor: for what this n8n's public API cannot do. Seeding only. */
  ownerCookie: string;
  abilities: N8nAbilities;
  prefixes: Prefixes;
  executions: ExecutionSource;
}

export const webhookUrl = ({ baseUrl, prefixes }: TestedN8n, path: string): string =>
  `${baseUrl}/webhook/${prefixes.path}${path}`;
