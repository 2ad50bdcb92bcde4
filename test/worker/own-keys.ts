/**
 * A recorded n8n with accounts: each key shows only its account's workflows and their executions, as in n8n. It records
 * the key of each request.
 */
import { vi } from "vitest";
import * as z from "zod";
import { N8N_API_KEY, N8N_ORIGIN } from "./secrets.ts";

export const READING = ["workflow:read", "workflow:list", "execution:read", "execution:list", "tag:list"];

export interface Account {
  /** Ids of its workflows; null for all, as for an owner. */
  readonly workflows: readonly string[] | null;
  /** Null: this n8n has no `/discover`. */
  readonly scopes?: readonly string[] | null;
  /** Belongs to the other n8n, which knows no key of the first. */
  readonly isElsewhere?: true;
  /** Lists workflows but shows none of their executions: a project role without `execution:read`. */
  readonly hidesExecutions?: boolean;
  /** An execution that n8n always fails to return. */
  readonly failsAt?: string | undefined;
  /** The status with which n8n answers everything. */
  readonly status?: number;
}

const list = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const ofWorkflow = z.looseObject({ workflowId: z.string() });

export interface Asked {
  readonly key: string;
  readonly host: string;
  readonly path: string;
}

export const OTHER_N8N = { baseUrl: "https://other-n8n.example", apiKey: "n8n-api-key-of-the-other-n8n" };

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

const OPERATORS = new Map<string, Account>([
  [N8N_API_KEY, { workflows: null }],
  [OTHER_N8N.apiKey, { workflows: null, isElsewhere: true }],
]);

/** @param accounts by key; they may change between two requests */
export function n8nWithAccounts(accounts: Map<string, Account>): { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isElsewhere = url.origin === OTHER_N8N.baseUrl;
    if (url.origin !== N8N_ORIGIN && !isElsewhere) return await real(input, init);
    // Both have the same workflows and differ only in the keys they know.
    const request = new Request(N8N_ORIGIN + url.pathname + url.search, new Request(input, init));
    const key = request.headers.get("x-n8n-api-key") ?? "";
    asked.push({ key, host: url.host, path: url.pathname });
    const account = accounts.get(key) ?? OPERATORS.get(key);
    if (account === undefined || (account.isElsewhere ?? false) !== isElsewhere)
      return json({ message: "Unauthorized" }, 401);
    if (account.status !== undefined) return json({ message: "Forbidden" }, account.status);
    if (account.failsAt !== undefined && url.pathname.endsWith(`/executions/${account.failsAt}`))
      return json({ message: "Internal Server Error" }, 500);
    if (account.hidesExecutions === true && /\/executions\/\d+$/.test(url.pathname))
      return json({ message: "Not Found" }, 404);
    const { scopes = READING } = account;
    if (url.pathname.endsWith("/discover"))
      return scopes === null ? json({ message: "not found" }, 404) : json({ data: { scopes } });
    request.headers.set("x-n8n-api-key", N8N_API_KEY);
    return await shownTo(account, url, await real(request));
  });
  return { asked };
}

async function shownTo({ workflows }: Account, { pathname }: URL, answer: Response): Promise<Response> {
  if (!answer.ok || workflows === null) return answer;
  const body: unknown = await answer.json();
  const [, kind, id] = /\/(workflows|executions)(?:\/([^/]+))?/.exec(pathname) ?? [];
  const isOwn = (one: unknown): boolean =>
    workflows.includes(kind === "workflows" ? String(Object(one).id) : ofWorkflow.parse(one).workflowId);
  if (id === undefined) {
    const { data, ...rest } = list.parse(body);
    return json({ ...rest, data: data.filter(isOwn) });
  }
  const isShown = kind === "workflows" ? workflows.includes(id) : isOwn(body);
  return isShown ? json(body) : json({ message: "Not Found" }, 404);
}
