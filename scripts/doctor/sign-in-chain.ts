/**
 * Checks an app's steps before sign-in: metadata of the resource, metadata of the sign-in, registration, and
 * the refusal that leads there. Issuer and resource are compared as text, so all of them must name the
 * address in use.
 */
import * as z from "zod";
import { parseJson } from "../../src/platform/parse-json.ts";
import { toPlainText } from "../ask/plain-text.ts";
import { type Finding, fail, type Patient, pass, skip } from "./finding.ts";
import { type Answer, ask, MCP_HEADERS, refusalIn } from "./request.ts";

const RESOURCE_METADATA = "resource metadata";
const SERVER_METADATA = "sign-in metadata";
const REGISTRATION = "registration";
const CHALLENGE = "refusal without a token";

const resourceMetadata = z.looseObject({ resource: z.string(), authorization_servers: z.array(z.string()) });
const serverMetadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
});
const registered = z.looseObject({ client_id: z.string() });

const PROXY_FIX =
  "Something in front of the server answers in its place: let /.well-known/*, /register, /token, /authorize and /mcp pass there.";

/** The server names an invalid setting itself; any other answer comes from something in front of it. */
function fixFor(answer: Answer | undefined): string {
  const isItself = answer?.status === 503 && refusalIn(answer) !== undefined;
  return isItself ? "Set what it names, and look again: npm run setup does." : PROXY_FIX;
}

function describeAnswer(answer: Answer | undefined): string {
  if (answer === undefined) return "no answer";
  const said = refusalIn(answer);
  return `HTTP ${answer.status}${said === undefined ? "" : `: ${toPlainText(said, 300)}`}`;
}

/** A URL with a different origin: the app's next step would fail silently. */
function mismatch(check: string, named: string, origin: string): Finding {
  return fail(
    check,
    `It names ${toPlainText(named, 200)}, not ${origin}: apps give up here without a word.`,
    `Set PUBLIC_URL to ${origin}. Behind a proxy, hand on the host and the scheme that apps use.`,
  );
}

const isAt = (url: string, origin: string): boolean => URL.parse(url)?.origin === origin;

export async function checkResourceMetadata(patient: Patient): Promise<Finding> {
  const answer = await ask(patient, "/.well-known/oauth-protected-resource/mcp");
  const metadata = resourceMetadata.safeParse(parseJson(answer?.text ?? ""));
  if (answer?.status !== 200 || !metadata.success)
    return fail(RESOURCE_METADATA, `It cannot be read (${describeAnswer(answer)}).`, fixFor(answer));
  const { resource, authorization_servers: servers } = metadata.data;
  const wrong = [resource, ...servers].find((url) => !isAt(url, patient.origin));
  if (wrong !== undefined) return mismatch(RESOURCE_METADATA, wrong, patient.origin);
  return pass(RESOURCE_METADATA, `It names ${resource}.`);
}

/** `registration` is the path at which apps register. */
export async function checkServerMetadata(patient: Patient) {
  const answer = await ask(patient, "/.well-known/oauth-authorization-server");
  const metadata = serverMetadata.safeParse(parseJson(answer?.text ?? ""));
  if (answer?.status !== 200 || !metadata.success) {
    return {
      finding: fail(SERVER_METADATA, `It cannot be read (${describeAnswer(answer)}).`, fixFor(answer)),
    };
  }
  const { issuer, authorization_endpoint, token_endpoint, registration_endpoint } = metadata.data;
  const named = [issuer, authorization_endpoint, token_endpoint, registration_endpoint];
  const wrong = named.find((url) => url !== undefined && !isAt(url, patient.origin));
  if (wrong !== undefined) return { finding: mismatch(SERVER_METADATA, wrong, patient.origin) };
  const registration = registration_endpoint && new URL(registration_endpoint).pathname;
  return { finding: pass(SERVER_METADATA, `Issuer ${issuer}.`), registration };
}

/** Registers like an app on this machine. Nobody signs in with it, so the server deletes it automatically. */
const APP = {
  client_name: "npm run doctor",
  redirect_uris: ["http://127.0.0.1:33418/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

export async function checkRegistration(patient: Patient, path: string | undefined): Promise<Finding> {
  if (path === undefined)
    return skip(
      REGISTRATION,
      "The sign-in's metadata names no place to register.",
      "Fix that first, unless CLIENT_REGISTRATION is off: apps then need a document or a service token.",
    );
  const answer = await ask(patient, path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(APP),
  });
  const isMade = answer?.status === 201 && registered.safeParse(parseJson(answer.text)).success;
  if (isMade) return pass(REGISTRATION, "An app can register.");
  const isLimited = answer?.status === 429;
  return fail(
    REGISTRATION,
    `An app cannot register (${describeAnswer(answer)}).`,
    isLimited
      ? "Wait as long as it says: registrations are limited."
      : "See ALLOWED_REDIRECT_HOSTS (docs/clients.md), and that no firewall stops POST /register.",
  );
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "npm run doctor", version: "1.0.0" },
  },
});

/** Apps find the sign-in only through this refusal. */
export async function checkChallenge(patient: Patient): Promise<Finding> {
  const answer = await ask(patient, "/mcp", { method: "POST", headers: MCP_HEADERS, body: INITIALIZE });
  if (answer?.status !== 401) {
    const isOpen = answer?.status === 200;
    return fail(
      CHALLENGE,
      isOpen
        ? "/mcp answers anyone, without a token."
        : `/mcp refuses otherwise than it should (${describeAnswer(answer)}).`,
      isOpen ? "Stop the server: this is another one, or one that was changed." : fixFor(answer),
    );
  }
  const challenge = answer.header("www-authenticate") ?? "";
  const [, metadata] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  if (metadata === undefined)
    return fail(
      CHALLENGE,
      "The 401 has no WWW-Authenticate with resource_metadata: apps do not find the sign-in.",
      "Let the proxy in front of the server hand on the header WWW-Authenticate.",
    );
  if (!isAt(metadata, patient.origin)) return mismatch(CHALLENGE, metadata, patient.origin);
  return pass(CHALLENGE, "It leads to the sign-in.");
}
