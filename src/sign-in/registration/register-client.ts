/** `POST /register` (RFC 7591): checks our own limits, then lets the library check the rest and store the client. */
import * as z from "zod";
import { counted } from "../../platform/counted.ts";
import { jsonBodyOf } from "../../platform/parse-json.ts";
import { readRegistrationSettings } from "../../settings/index.ts";
import type { OAuthRequest } from "../oauth-roles.ts";
import { logCallbackRefused, logRegistrationRefused } from "../sign-in-log.ts";
import { clientAddress } from "./client-address.ts";
import { findRegistrationRefusal } from "./client-metadata.ts";
import { registrationGate } from "./registration-gate.ts";

const metadataObject = z.record(z.string(), z.unknown());

export async function registerClient({ request, env, ctx, roles }: OAuthRequest): Promise<Response> {
  const { redirects, isOpen } = readRegistrationSettings(env);
  if (!isOpen) return refuseWhileOff(request);
  const metadata = await readMetadata(request);
  if (metadata !== undefined) {
    const refusal = findRegistrationRefusal(metadata, redirects);
    if (refusal !== undefined) {
      const { code, description, callback } = refusal;
      if (code === "invalid_redirect_uri") logCallbackRefused(callback);
      else logRegistrationRefused("metadata_not_allowed");
      return refuse(request, 400, code, description);
    }
    const verdict = await registrationGate(env).once(
      async (gate) => await gate.admit(clientAddress(request)),
    );
    if (!verdict.admitted) return refuseForNow(request, verdict.retryAfter);
  }
  // The library refuses a body that is not a JSON object, in the same form.
  return roles.authorizationServer.fetch(request, env, ctx);
}

async function readMetadata(request: Request): Promise<Record<string, unknown> | undefined> {
  if (request.method !== "POST") return undefined;
  return metadataObject.safeParse(await jsonBodyOf(request)).data;
}

/** Answers in the form of RFC 7591 §3.2.2. */
export const refuseLargeRegistration = (request: Request): Response =>
  refuse(request, 413, "invalid_client_metadata", "The client metadata is too large.");

/** The metadata does not announce this endpoint while it is off, so only clients with older metadata get here. */
function refuseWhileOff(request: Request): Response {
  logRegistrationRefused("registration_off");
  const description =
    "This server registers no apps (setting CLIENT_REGISTRATION). Use an app that is described by a document at its own address, or a service token.";
  return refuse(request, 403, "access_denied", description);
}

function refuseForNow(request: Request, retryAfter: number): Response {
  logRegistrationRefused("too_many_registrations");
  const description = `Too many clients were registered. Try again in ${counted(Math.ceil(retryAfter / 60), "minute")}.`;
  const response = refuse(request, 429, "temporarily_unavailable", description);
  response.headers.set("Retry-After", String(retryAfter));
  return response;
}

/** Readable for a client in a web page, like the library's own answers. */
function refuse(request: Request, status: number, code: string, description: string): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  const origin = request.headers.get("Origin");
  if (origin !== null) {
    headers.set("Access-Control-Allow-Origin", origin);
    headers.set("Access-Control-Expose-Headers", "Retry-After");
    headers.set("Vary", "Origin");
  }
  return Response.json({ error: code, error_description: description }, { status, headers });
}
