/**
 * The owner of an n8n, set up or signed in, and the API keys of that account. For tests only, as all of it writes.
 * Messages contain neither password nor key.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { CommandError } from "../../scripts/command-line/command-error.ts";

export interface Owner {
  readonly email: string;
  readonly password: string;
}

/** The owner's session in the editor. */
export interface OwnerSession {
  readonly baseUrl: string;
  readonly cookie: string;
}

export interface ApiKey {
  readonly id: string;
  readonly key: string;
}

/** The read-only scopes, which are all that the observer needs. */
const readScopes = [
  "workflow:read",
  "workflow:list",
  "execution:read",
  "execution:list",
  "tag:list",
  "workflowTags:list",
  "executionTags:list",
];

const writeScopes = [
  ...readScopes,
  "workflow:create",
  "workflow:update",
  "workflow:activate",
  "workflow:deactivate",
  "workflow:delete",
  "workflowTags:update",
  "tag:create",
  "credential:create",
  "credential:delete",
  "execution:retry",
  "execution:stop",
  "execution:delete",
];

const SCOPES = { read: readScopes, write: writeScopes };
/** Keys are signed claims: n8n 1.x gives two created in the same second the same text, and refuses the second. */
const BETWEEN_KEYS_MS = 1_100;
const SIGNED_OUT = 401;

const keyAnswer = z.object({ data: z.object({ id: z.string(), rawApiKey: z.string().min(1) }) });
/** n8n 2.41 returns a count too; older versions return only the list. */
const keyItems = z.array(z.object({ id: z.string(), label: z.string() }));
const keyList = z.object({
  data: z.union([keyItems, z.object({ items: keyItems }).transform(({ items }) => items)]),
});

export async function setUpOwner(baseUrl: string, owner: Owner): Promise<OwnerSession> {
  const answer = await send({ baseUrl, cookie: "" }, "POST", "/owner/setup", {
    ...owner,
    firstName: "Test",
    lastName: "Owner",
  });
  return { baseUrl, cookie: cookieOf(answer) };
}

const invited = z.object({
  data: z.array(z.object({ user: z.object({ inviteAcceptUrl: z.url() }) })).length(1),
});

/** Another user of this n8n, who sees only their own project. Since n8n 2. */
export async function inviteMember(session: OwnerSession, member: Owner): Promise<OwnerSession> {
  const { email, password } = member;
  const answer = await send(session, "POST", "/invitations", [{ email, role: "global:member" }]);
  const [invitation] = invited.parse(await answer.json()).data;
  const token = new URL(invitation?.user.inviteAcceptUrl ?? "").searchParams.get("token");
  const person = { firstName: "Test", lastName: "Member", password };
  await send({ ...session, cookie: "" }, "POST", "/invitations/accept", { ...person, token });
  return await signIn(session.baseUrl, member);
}

/** @throws CommandError with n8n's message when it refuses */
export async function signIn(baseUrl: string, { email, password }: Owner): Promise<OwnerSession> {
  // Older versions call the first field `email`; each ignores unknown fields.
  const answer = await request({ baseUrl, cookie: "" }, "POST", "/login", {
    emailOrLdapLoginId: email,
    email,
    password,
  });
  if (answer.ok) return { baseUrl, cookie: cookieOf(answer) };
  const problem = z.object({ message: z.string() }).safeParse(await answer.json().catch(() => null));
  const says = problem.success ? ` and says «${problem.data.message}»` : "";
  const next =
    answer.status === SIGNED_OUT
      ? " N8N_OWNER_EMAIL and N8N_OWNER_PASSWORD must be those of its owner, without two-factor authentication."
      : "";
  throw new CommandError(`${baseUrl} answered the sign-in ${answer.status}${says}.${next}`);
}

export async function signOut(session: OwnerSession): Promise<void> {
  await send(session, "POST", "/logout");
}

/** A read-only key and a writing one. */
export async function createTestKeys(session: OwnerSession): Promise<{ readKey: string; writeKey: string }> {
  const read = await createKey(session, "read", "read");
  await sleep(BETWEEN_KEYS_MS);
  const write = await createKey(session, "write", "write");
  return { readKey: read.key, writeKey: write.key };
}

/** @param expiresAt never by default */
export async function createKey(
  session: OwnerSession,
  label: string,
  does: keyof typeof SCOPES,
  expiresAt?: Date,
): Promise<ApiKey> {
  const known = await knownScopes(session);
  const response = await send(session, "POST", "/api-keys", {
    label,
    expiresAt: expiresAt === undefined ? null : Math.floor(expiresAt.getTime() / 1_000),
    scopes: SCOPES[does].filter((scope) => known.includes(scope)),
  });
  const { data } = keyAnswer.parse(await response.json());
  return { id: data.id, key: data.rawApiKey };
}

/** The keys of the session's own account. */
export async function listKeys(session: OwnerSession): Promise<{ id: string; label: string }[]> {
  const response = await send(session, "GET", "/api-keys?ownership=mine&take=100");
  return keyList.parse(await response.json()).data;
}

export async function deleteKey(session: OwnerSession, id: string): Promise<void> {
  await send(session, "DELETE", `/api-keys/${id}`);
}

/** Scopes differ by version, and n8n refuses a key with an unknown one. */
async function knownScopes(session: OwnerSession): Promise<string[]> {
  const response = await send(session, "GET", "/api-keys/scopes");
  return z.object({ data: z.array(z.string()) }).parse(await response.json()).data;
}

const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");

type Method = "GET" | "POST" | "DELETE";

async function request(
  { baseUrl, cookie }: OwnerSession,
  method: Method,
  path: string,
  body?: unknown,
): Promise<Response> {
  return await fetch(`${baseUrl}/rest${path}`, {
    method,
    headers: { "content-type": "application/json", cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function send(session: OwnerSession, method: Method, path: string, body?: unknown): Promise<Response> {
  const response = await request(session, method, path, body);
  if (response.ok) return response;
  throw new Error(`${method} /rest${path} answered ${response.status}: ${await response.text()}`);
}
