/**
 * An n8n at a given address, signed in, with keys of the lane's own.
 * An n8n with other workflows is refused unless that is allowed, before anything but a key is created in
 * it; after `takeAway`, nothing that the lane created is left, or the error names it. The owner stays: an n8n
 * without one is set up with the given one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { CommandError } from "../../../scripts/command-line/command-error.ts";
import { abilitiesOfRelease } from "../abilities.ts";
import type { Log } from "../install.ts";
import { callApi, callEditor } from "../n8n-api.ts";
import {
  type ApiKey,
  createKey,
  deleteKey,
  listKeys,
  type Owner,
  type OwnerSession,
  setUpOwner,
  signIn,
  signOut,
} from "../owner.ts";
import type { TestedN8n } from "../tested-n8n.ts";
import type { GivenAddress } from "./arguments.ts";
import { type ExecutionsByApi, executionsByApi } from "./executions-by-api.ts";
import { OWN_PREFIXES, type OwnWorkflows, ownWorkflows } from "./own-workflows.ts";

export interface GivenN8n extends TestedN8n {
  /** According to n8n; undefined if it does not say. */
  release: string | undefined;
  executions: ExecutionsByApi;
  /** Only the first call removes things; later ones wait for it. @returns what was removed */
  takeAway: () => Promise<string>;
}

/** If the lane is killed, its keys expire by themselves. */
const KEYS_LAST_MS = 24 * 60 * 60 * 1_000;
/** n8n 1.x gives two keys created in the same second the same text. */
const BETWEEN_KEYS_MS = 1_100;
const STOP_PATIENCE_MS = 10_000;
const UNFINISHED = ["new", "running", "waiting"];
const OTHERS_NAMED = 3;

const settingsAnswer = z.object({
  data: z.object({
    versionCli: z.string().optional(),
    userManagement: z.object({ showSetupOnFirstLoad: z.boolean().default(false) }).optional(),
  }),
});

/** @throws CommandError when it cannot be reached, refuses the owner, or has other workflows */
export async function openGivenN8n(
  { url, amongOthers }: GivenAddress,
  owner: Owner,
  log: Log,
): Promise<GivenN8n> {
  const session = await startSession(url, owner, log);
  const release = (await readSettings(url, session.cookie)).versionCli;
  await removeKeys(session);
  const label = (what: string): string => OWN_PREFIXES.name + what;
  const expiresAt = new Date(Date.now() + KEYS_LAST_MS);
  const keeper = await createKey(session, label("taking away"), "write", expiresAt);
  const workflows = ownWorkflows({ baseUrl: url, key: keeper.key });
  try {
    if (!amongOthers) await requireNoOthers(url, workflows);
    await workflows.remove();
    const firstId = await executionsByApi(workflows, 0).newestId();
    await sleep(BETWEEN_KEYS_MS);
    const read = await createKey(session, label("read"), "read", expiresAt);
    await sleep(BETWEEN_KEYS_MS);
    const write = await createKey(session, label("write"), "write", expiresAt);
    const n8n = {
      baseUrl: url,
      readKey: read.key,
      writeKey: write.key,
      ownerCookie: session.cookie,
      abilities: abilitiesOfRelease(release),
      prefixes: OWN_PREFIXES,
      executions: executionsByApi(workflows, firstId),
    };
    let taken: Promise<string> | undefined;
    const takeAway = async (): Promise<string> => {
      taken ??= takeAwayFrom(n8n, { session, workflows, keeper, firstId });
      return await taken;
    };
    return { ...n8n, release, takeAway };
  } catch (error) {
    await removeKeys(session);
    await signOut(session);
    throw error;
  }
}

async function startSession(url: string, owner: Owner, log: Log): Promise<OwnerSession> {
  const { userManagement } = await readSettings(url);
  if (!userManagement?.showSetupOnFirstLoad) return await signIn(url, owner);
  log(`${url} had no owner: it is set up with the one of N8N_OWNER_EMAIL, who stays`);
  return await setUpOwner(url, owner);
}

async function readSettings(url: string, cookie = ""): Promise<z.infer<typeof settingsAnswer>["data"]> {
  let response: Response;
  try {
    response = await fetch(`${url}/rest/settings`, { headers: { cookie } });
  } catch (error) {
    throw new CommandError(
      `Nothing answers at ${url}. Start that n8n, or correct --url: the address at which you open it in a browser.`,
      { cause: error },
    );
  }
  const answer = settingsAnswer.safeParse(await response.json().catch(() => undefined));
  if (answer.success) return answer.data.data;
  throw new CommandError(
    `${url} does not answer as n8n does. Give --url the address without any page's path.`,
  );
}

async function requireNoOthers(url: string, workflows: OwnWorkflows): Promise<void> {
  const { others } = await workflows.list();
  if (others.length === 0) return;
  const named = others.slice(0, OTHERS_NAMED).map(({ name }) => JSON.stringify(name));
  const more = others.length > OTHERS_NAMED ? ", …" : "";
  const count = others.length === 1 ? "1 workflow" : `${others.length} workflows`;
  throw new CommandError(
    `${url} has ${count} of others: ${named.join(", ")}${more}. Nothing of this test is left there. It belongs on an n8n of its own (docs/versions.md); with --among-others it runs beside them.`,
  );
}

/** Also those left by an earlier run that was killed. */
async function removeKeys(session: OwnerSession): Promise<void> {
  for (const { id, label } of await listKeys(session))
    if (label.startsWith(OWN_PREFIXES.name)) await deleteKey(session, id);
}

interface Made {
  readonly session: OwnerSession;
  readonly workflows: OwnWorkflows;
  readonly keeper: ApiKey;
  readonly firstId: number;
}

async function takeAwayFrom(
  n8n: Omit<TestedN8n, "executions"> & { executions: ExecutionsByApi },
  { session, workflows, keeper, firstId }: Made,
): Promise<string> {
  const access = { baseUrl: n8n.baseUrl, key: keeper.key };
  try {
    // First, so that pending calls can create nothing more.
    for (const { id, label } of await listKeys(session))
      if (label.startsWith(OWN_PREFIXES.name) && id !== keeper.id) await deleteKey(session, id);
    await stopAll(n8n, access, firstId);
    const ids = [...n8n.executions.seen];
    for (const id of ids)
      if ((await workflows.get(`/executions/${id}`)) !== undefined)
        await callApi(access, "DELETE", `/executions/${id}`);
    const { own } = await workflows.list();
    await workflows.remove();
    for (const id of ids)
      if ((await workflows.get(`/executions/${id}`)) !== undefined)
        throw new Error(`execution ${id} is still there`);
    return `${own.length} workflows, ${ids.length} executions, 3 keys`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      `Not all could be taken away from ${n8n.baseUrl}: ${reason}. Delete the workflows that begin with "${OWN_PREFIXES.name}" there; their executions go with them.`,
      { cause: error },
    );
  } finally {
    await removeKeys(session);
    await signOut(session);
  }
}

/** Deleting a workflow does not end its executions. */
async function stopAll(
  { baseUrl, ownerCookie, abilities, executions }: TestedN8n,
  access: { baseUrl: string; key: string },
  firstId: number,
): Promise<void> {
  const unfinished = async () =>
    (await executions.listAfter(firstId)).filter(({ status }) => UNFINISHED.includes(status));
  for (const { id } of await unfinished()) {
    const path = `/executions/${id}/stop`;
    const stopped = abilities.stopsByApi
      ? callApi(access, "POST", path)
      : callEditor({ baseUrl, ownerCookie }, path);
    // It may have ended meanwhile; if not, the check below finds it.
    await stopped.catch(() => undefined);
  }
  const deadline = Date.now() + STOP_PATIENCE_MS;
  for (let left = await unfinished(); left.length > 0; left = await unfinished()) {
    if (Date.now() > deadline) throw new Error(`execution ${left[0]?.id} does not end`);
    await sleep(300);
  }
}
