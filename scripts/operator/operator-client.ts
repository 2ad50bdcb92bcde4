/** Reads the operator endpoints of a server, page by page. Answers are validated before they are shown. */

import * as z from "zod";
import { type KeptEntry, keptEntry } from "../../src/activity-log/entry.ts";
import {
  type FailedIndex,
  failedIndex,
  type IndexReport,
  indexReport,
} from "../../src/history/report/index-report.ts";
import { findServer } from "../ask/find-server.ts";
import { CommandError } from "../command-line/command-error.ts";
import { readSessions } from "../dev-server/session-file.ts";
import { startedServersDirectory } from "../start/places.ts";
import type { ServerOptions } from "./arguments.ts";

const TIMEOUT_MS = 60_000;

export interface OperatorServer {
  readonly origin: string;
  readonly token: string;
}

/** @throws CommandError without a token, and if the token would travel unencrypted */
export async function findOperatorServer({ url, token }: ServerOptions): Promise<OperatorServer> {
  const sessions = (await readSessions(startedServersDirectory)).flatMap(({ operatorToken, ...session }) =>
    operatorToken === undefined ? [] : [{ ...session, token: operatorToken }],
  );
  const origin = url === undefined ? undefined : new URL(url).origin;
  const server = findServer({
    url: origin === undefined ? undefined : `${origin}/mcp`,
    token,
    environmentToken: process.env.N8N_OBSERVER_OPERATOR_TOKEN || undefined,
    sessions,
  });
  if (server.token === undefined) {
    throw new CommandError(
      "There is no operator's token. For a server that npm start or npm run dev runs in this folder, none is needed, unless you have set your own: is it running? For any other, set N8N_OBSERVER_OPERATOR_TOKEN to the token whose SHA-256 is the server's OPERATOR_TOKEN_SHA256 (docs/audit.md).",
    );
  }
  return { origin: new URL(server.url).origin, token: server.token };
}

const page = z.object({ event: z.literal("page"), cursor: z.string().nullable() });

/** The kept lines, a page at a time. @throws CommandError */
export async function* readAuditPages(
  server: OperatorServer,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<KeptEntry[]> {
  for await (const { lines } of pagesOf(server, "audit", query, (text) => {
    const all = text.split("\n").filter((line) => line !== "");
    // The last line is always there, so its absence means a truncated answer.
    return { ...parseAnswer(page, all.at(-1), server), lines: all.slice(0, -1) };
  }))
    yield lines.map((line) => parseAnswer(keptEntry, line, server));
}

export const grant = z.object({
  userId: z.string(),
  grantId: z.string(),
  clientId: z.string(),
  clientName: z.string().nullable(),
  via: z.string().nullable(),
  scopes: z.array(z.string()),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
});
export type Grant = z.infer<typeof grant>;

const grantPage = z.object({ grants: z.array(grant), cursor: z.string().nullable() });
const revokedGrant = z.object({ userId: z.string(), grantId: z.string() });
export type RevokedGrant = z.infer<typeof revokedGrant>;
const revokedPage = z.object({ revoked: z.array(revokedGrant), cursor: z.string().nullable() });

/** @throws CommandError */
export async function readGrants(server: OperatorServer): Promise<Grant[]> {
  return await allItems(server, "grants/list", {}, grantPage, ({ grants }) => grants);
}

/** @throws CommandError */
export async function revoke(server: OperatorServer, id: string): Promise<RevokedGrant[]> {
  return await allItems(server, "grants/revoke", { id }, revokedPage, ({ revoked }) => revoked);
}

const indexList = z.object({ indexes: z.array(z.union([indexReport, failedIndex])) });

/** @param brief leaves out what is slow over a long history @throws CommandError */
export async function readIndexes(
  server: OperatorServer,
  brief = false,
): Promise<(IndexReport | FailedIndex)[]> {
  return parseAnswer(indexList, await post(server, "index", { brief }), server).indexes;
}

const accessReport = z.object({
  keys: z.enum(["shared", "personal"]),
  hasRules: z.boolean(),
  scopes: z.array(z.string()),
  rules: z.array(z.looseObject({ number: z.int(), see: z.unknown(), scopes: z.array(z.string()) })),
  instances: z.array(
    z.union([
      z.object({
        instance: z.string(),
        all: z.boolean(),
        workflows: z.array(z.object({ id: z.string(), name: z.string(), data: z.boolean() })),
        unreported: z.array(z.string()),
        /** Older servers do not report this. */
        unmatched: z.array(z.string()).default([]),
      }),
      failedIndex,
    ]),
  ),
});
export type AccessReport = z.infer<typeof accessReport>;

/** @throws CommandError */
export async function readAccess(
  server: OperatorServer,
  who: Readonly<Record<string, string>>,
): Promise<AccessReport> {
  return parseAnswer(accessReport, await post(server, "access", who), server);
}

export const statusReport = z.object({
  version: z.string(),
  settingProblems: z.array(z.object({ setting: z.string(), problem: z.string(), solution: z.string() })),
  lastDay: z.object({
    /** Outcome → calls of tools. */
    calls: z.record(z.string(), z.int()),
    /** Outcome → events of sign-in. */
    signIns: z.record(z.string(), z.int()),
  }),
  indexes: z.array(z.union([indexReport, failedIndex])),
});
export type StatusReport = z.infer<typeof statusReport>;

/** @throws CommandError */
export async function readStatus(server: OperatorServer): Promise<StatusReport> {
  return parseAnswer(statusReport, await post(server, "status", {}), server);
}

/** Whether `/health` reports that the server can answer. @throws CommandError if it is not an n8n-observer's answer */
export async function readHealth({ origin }: OperatorServer): Promise<boolean> {
  const response = await send(`${origin}/health`, {});
  await response.body?.cancel();
  if (response.status === 200) return true;
  if (response.status === 503) return false;
  throw new CommandError(
    `${origin}/health answered HTTP ${response.status}: it is another server, or an older version.`,
  );
}

/** Redirects are not followed: the token belongs to the given address. */
async function send(url: string, init: RequestInit): Promise<Response> {
  return await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => {
      throw new CommandError(
        `No server answers at ${new URL(url).origin}. Run npm start first, or give another address with --url.`,
      );
    },
  );
}

interface Page {
  readonly cursor: string | null;
}

async function* pagesOf<Read extends Page>(
  server: OperatorServer,
  path: string,
  body: object,
  read: (text: string) => Read,
): AsyncGenerator<Read> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const text: string = await post(server, path, cursor === undefined ? body : { ...body, cursor });
    const page: Read = read(text);
    yield page;
    cursor = page.cursor;
  }
}

async function allItems<Read extends Page, Item>(
  server: OperatorServer,
  path: string,
  body: object,
  schema: z.ZodType<Read>,
  itemsOf: (page: Read) => readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pagesOf(server, path, body, (text) => parseAnswer(schema, text, server)))
    items.push(...itemsOf(page));
  return items;
}

function parseAnswer<T>(schema: z.ZodType<T>, text: string | undefined, { origin }: OperatorServer): T {
  try {
    return schema.parse(JSON.parse(text ?? ""));
  } catch {
    throw new CommandError(`${origin} answered, but not as n8n-observer does. Is it another version?`);
  }
}

async function post({ origin, token }: OperatorServer, path: string, body: object): Promise<string> {
  const response = await send(`${origin}/operator/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
    },
    body: JSON.stringify(body),
  });
  if (response.ok) return await response.text();
  if (response.status === 503) throw new CommandError(await explainSetting(response, origin));
  throw new CommandError(explain(response.status, origin));
}

const refusal = z.object({ error_description: z.string() });

/** A server with an invalid setting names it and its fix. */
async function explainSetting(response: Response, origin: string): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const said = refusal.safeParse(body).data?.error_description;
  return said === undefined ? explain(response.status, origin) : `${origin} cannot answer: ${said}`;
}

function explain(status: number, origin: string): string {
  if (status === 401) return `${origin} does not accept this token as its operator's.`;
  if (status === 404)
    return `${origin} has no operator endpoint: its OPERATOR_TOKEN_SHA256 is not set, or it is another server.`;
  if (status === 429) return `${origin} was asked too often. Wait a minute.`;
  return `${origin} answered HTTP ${status}.`;
}
