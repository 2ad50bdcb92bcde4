/**
 * The lane's own workflows in a given n8n, recognized by the prefix of their names.
 * No workflow without it is ever touched.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type ApiAccess, callApi } from "../n8n-api.ts";

export const OWN_PREFIXES = { name: "n8n-observer test: ", path: "n8n-observer-test-" };

const FIRST_FAILURE = 400;
const NOT_FOUND = 404;
const CONFLICT = 409;
const UNPUBLISH_PATIENCE_MS = 60_000;
const UNPUBLISH_LOOK_MS = 500;
const PAGE = 100;

const workflow = z.object({ id: z.string(), name: z.string(), active: z.boolean() });
type Workflow = z.infer<typeof workflow>;
const page = z.object({ data: z.array(workflow), nextCursor: z.string().nullish() });

export interface OwnWorkflows {
  /** The public API's answer, undefined for 404. */
  readonly get: (path: string) => Promise<unknown>;
  readonly isOwnWorkflow: (id: string) => Promise<boolean>;
  readonly list: () => Promise<{ own: Workflow[]; others: Workflow[] }>;
  readonly remove: () => Promise<void>;
}

export function ownWorkflows(access: ApiAccess): OwnWorkflows {
  /** Workflow id → whether it is the lane's, deleted ones included. */
  const known = new Map<string, boolean>();
  const isOwn = ({ name }: Workflow): boolean => name.startsWith(OWN_PREFIXES.name);
  const get = async (path: string): Promise<unknown> => await getOrNothing(access, path);
  const list = async (): Promise<{ own: Workflow[]; others: Workflow[] }> => {
    const all = await listAll(get);
    return { own: all.filter(isOwn), others: all.filter((each) => !isOwn(each)) };
  };
  return {
    get,
    list,
    isOwnWorkflow: async (id) => {
      const remembered = known.get(id);
      if (remembered !== undefined) return remembered;
      const answer = await get(`/workflows/${id}`);
      const is = answer !== undefined && isOwn(workflow.parse(answer));
      known.set(id, is);
      return is;
    },
    remove: async () => {
      // Again, for workflows that were created during the removal.
      for (let { own } = await list(); own.length > 0; { own } = await list()) await removeThese(access, own);
    },
  };
}

/** n8n 2.41 deletes no published workflow, and unpublishes in the background. */
async function removeThese(access: ApiAccess, workflows: Workflow[]): Promise<void> {
  for (const { id, active } of workflows)
    if (active) await callApi(access, "POST", `/workflows/${id}/deactivate`);
  const deadline = Date.now() + UNPUBLISH_PATIENCE_MS;
  for (const { id } of workflows) {
    let { status, text } = await send(access, "DELETE", `/workflows/${id}`);
    while (status === CONFLICT && Date.now() < deadline) {
      await sleep(UNPUBLISH_LOOK_MS);
      ({ status, text } = await send(access, "DELETE", `/workflows/${id}`));
    }
    requireSuccess("DELETE", `/workflows/${id}`, status, text);
  }
}

async function listAll(get: OwnWorkflows["get"]): Promise<Workflow[]> {
  const all: Workflow[] = [];
  let cursor = "";
  do {
    const { data, nextCursor } = page.parse(await get(`/workflows?limit=${PAGE}${cursor}`));
    all.push(...data);
    cursor = nextCursor ? `&cursor=${encodeURIComponent(nextCursor)}` : "";
  } while (cursor !== "");
  return all;
}

async function getOrNothing(access: ApiAccess, path: string): Promise<unknown> {
  const { status, text } = await send(access, "GET", path);
  if (status === NOT_FOUND) return undefined;
  requireSuccess("GET", path, status, text);
  return JSON.parse(text);
}

async function send(
  { baseUrl, key }: ApiAccess,
  method: "GET" | "DELETE",
  path: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${baseUrl}/api/v1${path}`, { method, headers: { "X-N8N-API-KEY": key } });
  return { status: response.status, text: await response.text() };
}

function requireSuccess(method: string, path: string, status: number, text: string): void {
  if (status < FIRST_FAILURE) return;
  throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 400)}`);
}
