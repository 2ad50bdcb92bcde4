/**
 * The page for people as an OAuth client of this server. It signs in like any app, so its sessions are grants: they end
 * with the person's access, the operator can list and revoke them, and they are logged.
 *
 * It is not registered. Nobody else can use it, because its only callback is at this server.
 */
import type { ClientInfo } from "@cloudflare/workers-oauth-provider";
import { withClients } from "../registration/unregistered-clients.ts";

/** Registered clients have random ids of 16 characters, so none has this one. */
export const PAGE_CLIENT_ID = "n8n-observer-page";
export const PAGE_CALLBACK_PATH = "/app/callback";

/** The lifetime of a session that began with the passphrase. Others are renewed at the identity provider every hour. */
export const PAGE_SESSION_SECONDS = 8 * 3_600;

const pageClient = (publicUrl: string): ClientInfo => ({
  clientId: PAGE_CLIENT_ID,
  clientName: "Page of this server",
  redirectUris: [publicUrl + PAGE_CALLBACK_PATH],
  tokenEndpointAuthMethod: "none",
  grantTypes: ["authorization_code", "refresh_token"],
  responseTypes: ["code"],
});

/** An `env` whose store also finds the page as a client. */
export const withPageClient = (env: Env, publicUrl: string): Env =>
  withClients(env, (id) => (id === PAGE_CLIENT_ID ? Promise.resolve(pageClient(publicUrl)) : undefined));
