/**
 * Makes clients that are described by their own metadata document available to the OAuth library.
 *
 * The library's own reader of documents is off: it follows redirects, knows no list of hosts, and has no hook for
 * either. Instead its store also finds these clients, whose documents are read here, within our limits.
 */
import type { ClientInfo } from "@cloudflare/workers-oauth-provider";
import * as z from "zod";
import type { Failure } from "../../pages/answer-failure.ts";
import { setNewest } from "../../platform/bounded-collections.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/durations.ts";
import { isLoopbackHost, type RegistrationSettings, readRegistrationSettings } from "../../settings/index.ts";
import { RequestRefused } from "../failure.ts";
import type { OAuthRequest } from "../oauth-roles.ts";
import { logRegistrationRefused, type RegistrationRefusalReason } from "../sign-in-log.ts";
import { fetchDocument } from "./fetch-document.ts";
import {
  isDocumentUrl,
  isReadableDocumentUrl,
  knownDocument,
  toDocumentClient,
} from "./metadata-document.ts";
import { withClients } from "./unregistered-clients.ts";

/** A document is cached for this long: a sign-in needs it several times, and so does each refresh. */
const FRESH_MS = 5 * MINUTE_MS;
/** A cached document is used for this long while its host is down, so that nobody loses their sign-in. */
const MAX_STALE_MS = DAY_MS;
const MAXIMUM_CACHED = 50;

interface CachedDocument {
  readonly value: unknown;
  readonly readAt: number;
  readonly freshUntil: number;
}

/** Address → its document. Failures are not cached, so that the next request tries again. */
const cache = new Map<string, CachedDocument>();

/** An `env` whose store also finds clients by their metadata documents, if the settings allow any. */
export function withDocumentClients(env: Env): Env {
  const settings = readRegistrationSettings(env);
  if (settings.documentSources.length === 0) return env;
  return withClients(env, (id) => (isDocumentUrl(id) ? readClient(id, settings) : undefined));
}

async function readClient(clientId: string, settings: RegistrationSettings): Promise<ClientInfo> {
  if (!isReadableDocumentUrl(clientId, settings.documentSources)) refuse("document_host_not_listed");
  const client = toDocumentClient(clientId, await readDocument(clientId), settings);
  return client ?? refuse("document_unusable");
}

/** While the host does not answer: its document of the last day, or the built-in copy. */
async function readDocument(url: string): Promise<unknown> {
  const now = Date.now();
  const known = cache.get(url);
  if (known !== undefined && now < known.freshUntil) return known.value;
  const reading = await fetchDocument(url);
  if (reading.outcome === "refused") {
    cache.delete(url);
    refuse("document_unusable");
  }
  const readAt = reading.outcome === "read" ? now : (known?.readAt ?? now);
  const isRecent = now - readAt < MAX_STALE_MS;
  const value = reading.outcome === "read" ? reading.value : (isRecent && known?.value) || knownDocument(url);
  if (value === undefined) refuse("document_unavailable");
  setNewest(cache, url, { value, readAt, freshUntil: now + FRESH_MS }, MAXIMUM_CACHED);
  return value;
}

function refuse(reason: keyof typeof FAILURES): never {
  logRegistrationRefused(reason);
  throw new RequestRefused(FAILURES[reason]);
}

const FAILURES = {
  document_host_not_listed: {
    status: 400,
    code: "invalid_client",
    title: "This app may not sign in here",
    message: "It is described by a document at an address that this server does not read.",
    solution: "Whoever runs this server can add the document's host to CLIENT_ID_DOCUMENTS.",
  },
  document_unusable: {
    status: 400,
    code: "invalid_client",
    title: "This app may not sign in here",
    message: "The document that describes it is not one that this server accepts.",
    solution:
      "docs/clients.md says what a document must contain. Its callback must be on the list of ALLOWED_REDIRECT_HOSTS.",
  },
  document_unavailable: {
    status: 503,
    code: "temporarily_unavailable",
    title: "This app could not be looked up",
    message: "The document that describes it did not come in time.",
    solution: "Try again in a minute.",
    retryAfter: 60,
  },
} satisfies Partial<Record<RegistrationRefusalReason, Failure>>;

const serverMetadata = z.record(z.string(), z.unknown());

/**
 * The server's metadata (RFC 8414), completed: the library knows neither that documents are read nor whether apps may
 * register. On this machine documents are not announced while apps can register, which works without the internet.
 */
export async function serveServerMetadata({ request, env, ctx, roles }: OAuthRequest): Promise<Response> {
  const response = await roles.authorizationServer.fetch(request, env, ctx);
  if (request.method !== "GET" || !response.ok) return response;
  const { documentSources, isOpen } = readRegistrationSettings(env);
  const { registration_endpoint, ...metadata } = serverMetadata.parse(await response.json());
  const isLocal = isLoopbackHost(new URL(roles.publicUrl).hostname);
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  const announced = {
    ...metadata,
    ...(isOpen ? { registration_endpoint } : {}),
    client_id_metadata_document_supported: documentSources.length > 0 && !(isLocal && isOpen),
  };
  return Response.json(announced, { headers });
}
