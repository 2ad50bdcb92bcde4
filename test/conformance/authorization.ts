/** Runs the suite as an OAuth client, with a person who consents: registration, consent page, code, token. */
import * as z from "zod";
import { findFreePort } from "../../scripts/dev-server/ports.ts";
import { allow } from "../support/oauth-client.ts";
import { PASSPHRASE } from "../support/test-worker.ts";
import { type Results, type Revision, runAuthorizationScenarios } from "./suite.ts";

/** Below the range of ephemeral ports. */
const FIRST_CALLBACK_PORT = 28_100;

const registration = z.object({ client_id: z.string().min(1) });

/** @returns the id of a public client, which the suite expects to be registered. */
async function registerClient(issuer: string, redirectUri: string): Promise<string> {
  const response = await fetch(`${issuer}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "MCP conformance suite",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    }),
  });
  if (!response.ok) throw new Error(`The client was not registered: HTTP ${response.status}`);
  return registration.parse(await response.json()).client_id;
}

/** Consents, and follows the redirect to the suite's callback. */
async function visit(authorizationRequest: URL): Promise<void> {
  const callback = await fetch(await allow(authorizationRequest, PASSPHRASE, false));
  if (!callback.ok) throw new Error(`The suite's callback answered HTTP ${callback.status}`);
}

export async function askAuthorizationServer(issuer: string, revision: Revision): Promise<Results> {
  const callbackPort = await findFreePort(FIRST_CALLBACK_PORT);
  const clientId = await registerClient(issuer, `http://127.0.0.1:${callbackPort}/callback`);
  const resource = `${issuer}/mcp`;
  return await runAuthorizationScenarios(
    { issuer, clientId, resource, callbackPort, onAuthorizationRequest: visit },
    revision,
  );
}
