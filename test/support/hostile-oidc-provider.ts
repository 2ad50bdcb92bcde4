/**
 * An OpenID provider that misbehaves as planned. It signs everyone in without asking, and has no state:
 * the plan (`hostile-plan.ts`) is part of its issuer, so that each test has a provider of its own.
 *
 * Without a plan it behaves well, and checks PKCE, client and redirect URI.
 */
import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { HOSTILE_CLIENT_ID, HOSTILE_CLIENT_SECRET, type Place, type Plan } from "./hostile-plan.ts";
import { listenOnLoopback, readText, stopServer } from "./loopback-server.ts";

export interface RunningHostileProvider {
  readonly base: string;
  stop(): Promise<void>;
}

const KEY_ID = "the-key";
const HUGE_BYTES = 4 * 1024 * 1024;

interface Keys {
  readonly own: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly another: { readonly privateKey: KeyObject };
}

/** A request with its place and plan. */
interface Visit {
  readonly issuer: string;
  readonly plan: Plan;
  readonly place: string;
  readonly parameters: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export async function startHostileOidcProvider(): Promise<RunningHostileProvider> {
  const keys: Keys = {
    own: generateKeyPairSync("rsa", { modulusLength: 2048 }),
    another: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  };
  const server = createServer();
  const base = await listenOnLoopback(server);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    answer(keys, base, request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  return { base, stop: () => stopServer(server) };
}

async function answer(
  keys: Keys,
  base: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", base);
  const [, plan = "", ...path] = url.pathname.split("/");
  const isWell = path[0] === "well";
  const visit: Visit = {
    issuer: `${base}/${plan}`,
    plan: JSON.parse(Buffer.from(plan, "base64url").toString()) as Plan,
    place: PLACES[path.slice(isWell ? 1 : 0).join("/")] ?? "nowhere",
    parameters: request.method === "POST" ? new URLSearchParams(await readText(request)) : url.searchParams,
    request,
    response,
  };
  if (visit.plan.fault?.at === visit.place && !isWell) return misbehave(visit);
  switch (visit.place) {
    case "metadata":
      return sendJson(response, metadataOf(visit));
    case "keys":
      return sendJson(response, { keys: [{ ...keys.own.publicKey.export({ format: "jwk" }), kid: KEY_ID }] });
    case "authorize":
      return sendBack(visit);
    case "token":
      return sendJson(response, ...tokenAnswer(visit, keys));
    case "userinfo":
      return sendJson(response, { sub: "subject-of-the-hostile-provider", ...visit.plan.userInfo });
    default:
      response.statusCode = 404;
      response.end();
  }
}

const PLACES: Readonly<Record<string, Place | "authorize">> = {
  ".well-known/openid-configuration": "metadata",
  keys: "keys",
  authorize: "authorize",
  token: "token",
  userinfo: "userinfo",
};

const pathOf = (place: string): string => Object.keys(PLACES).find((path) => PLACES[path] === place) ?? "";

function misbehave({ issuer, plan, place, response }: Visit): void {
  switch (plan.fault?.how) {
    case "hangs":
      return;
    case "is_huge":
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ issuer, more: "x".repeat(HUGE_BYTES) }));
      return;
    case "redirects":
      // To a well-behaved copy, so that a followed redirect shows. 307 makes a client repeat a POST.
      response.statusCode = 307;
      response.setHeader("Location", `${issuer}/well/${pathOf(place)}`);
      response.end();
      return;
    case "is_html":
      response.setHeader("Content-Type", "text/html");
      response.end("<h1>It works!</h1>");
      return;
    default:
      response.statusCode = 500;
      response.end();
  }
}

function metadataOf({ issuer, plan }: Visit): Record<string, unknown> {
  return merged(
    {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/userinfo`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      // It claims to accept anything.
      id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
      authorization_response_iss_parameter_supported: true,
    },
    plan.metadata,
  );
}

/** The authorization code holds the state. */
interface Code {
  readonly nonce: string;
  readonly codeChallenge: string;
  readonly redirectUri: string;
}

function sendBack({ issuer, plan, parameters, response }: Visit): void {
  const redirectUri = parameters.get("redirect_uri") ?? "";
  const code: Code = {
    nonce: parameters.get("nonce") ?? "",
    codeChallenge: parameters.get("code_challenge") ?? "",
    redirectUri,
  };
  const back = new URL(redirectUri);
  const answers = {
    code: Buffer.from(JSON.stringify(code)).toString("base64url"),
    state: parameters.get("state") ?? "",
    iss: issuer,
    ...plan.callback,
  };
  for (const [name, value] of Object.entries(answers)) back.searchParams.set(name, value);
  response.statusCode = 302;
  response.setHeader("Location", back.href);
  response.end();
}

function tokenAnswer(visit: Visit, keys: Keys): [Record<string, unknown>, number] {
  const { parameters, plan, request } = visit;
  const code = JSON.parse(Buffer.from(parameters.get("code") ?? "", "base64url").toString()) as Code;
  const challenge = createHash("sha256")
    .update(parameters.get("code_verifier") ?? "")
    .digest("base64url");
  const isVerified = plan.checksPkce === false || challenge === code.codeChallenge;
  const basic = Buffer.from(request.headers.authorization?.slice("Basic ".length) ?? "", "base64").toString();
  const inForm = `${parameters.get("client_id")}:${parameters.get("client_secret")}`;
  const isClient = [decodeURIComponent(basic), inForm].includes(
    `${HOSTILE_CLIENT_ID}:${HOSTILE_CLIENT_SECRET}`,
  );
  if (!isVerified || !isClient || parameters.get("redirect_uri") !== code.redirectUri) {
    return [{ error: "invalid_grant" }, 400];
  }
  const idToken = signed(claimsOf(visit, code), plan, keys);
  const tokens = { access_token: "access-token", token_type: "Bearer", expires_in: 300, id_token: idToken };
  return [merged(tokens, plan.tokens), 200];
}

function claimsOf({ issuer, plan }: Visit, { nonce }: Code): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  const good = {
    iss: issuer,
    aud: HOSTILE_CLIENT_ID,
    sub: "subject-of-the-hostile-provider",
    iat: now,
    exp: now + 300,
    nonce,
    email: "ada@example.com",
    email_verified: true,
  };
  return merged(good, plan.claims);
}

function signed(claims: Record<string, unknown>, plan: Plan, keys: Keys): string {
  const algorithm = { none: "none", shared_secret: "HS256" }[String(plan.signature)] ?? "RS256";
  const header = { alg: algorithm, kid: KEY_ID };
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${signatureOf(text, plan, keys)}`;
}

function signatureOf(text: string, { signature }: Plan, keys: Keys): string {
  switch (signature) {
    case "none":
      return "";
    case "shared_secret":
      return createHmac("sha256", HOSTILE_CLIENT_SECRET).update(text).digest("base64url");
    case "another_key":
      return sign("sha256", Buffer.from(text), keys.another.privateKey).toString("base64url");
    case "garbled":
      return Buffer.alloc(256, 1).toString("base64url");
    default:
      return sign("sha256", Buffer.from(text), keys.own.privateKey).toString("base64url");
  }
}

function merged(good: Record<string, unknown>, changes: Readonly<Record<string, unknown>> = {}) {
  return Object.fromEntries(Object.entries({ ...good, ...changes }).filter(([, value]) => value !== null));
}

function sendJson(response: ServerResponse, body: Record<string, unknown>, status = 200): void {
  response.statusCode = status;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(body));
}
