/** What a page is rendered from: the visitor, the address, and the answers of tools. */
import { isObject } from "../../platform/is-object.ts";
import type { Members } from "../../views/waterfall/members.ts";
import type { Page } from "../respond.ts";

/** The answer of a tool, as MCP clients get it (`mcp/envelope.ts`). */
export interface Answer {
  readonly status: "success" | "error";
  readonly message?: string;
  readonly data: unknown;
  readonly meta: Members;
}

/** Receives sentences about a call under way. */
export type Say = (message: string) => Promise<void>;

export interface Visitor {
  /** Calls a tool through the boundary that MCP clients pass. */
  readonly ask: (tool: string, args: Members, say?: Say) => Promise<Answer>;
  readonly mayReadData: boolean;
  readonly showsData: boolean;
  /** Sent with each form that changes anything. */
  readonly formToken: string;
  /** Names of the n8n instances, if there are several. */
  readonly instances: readonly string[];
}

export interface PageRequest {
  readonly visitor: Visitor;
  /** Decoded segments of the address below the page's name. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The address itself, for a link that tries again. */
  readonly here: string;
  readonly say: Say;
}

export interface Shown {
  readonly status: number;
  readonly body: Page;
}

export const shown = (body: Page): Shown => ({ status: 200, body });

export const dataOf = ({ data }: Answer): Members => (isObject(data) ? data : {});

/** Calls a tool in the n8n of the address. */
export const askTool = async (request: PageRequest, tool: string, args: Members): Promise<Answer> =>
  await request.visitor.ask(tool, { ...args, ...instanceIn(request) }, request.say);

/** The argument `instance` of a tool, from the address. */
export function instanceIn({ query }: PageRequest): { readonly instance?: string } {
  const instance = query.get("instance") ?? "";
  return instance === "" ? {} : { instance };
}
