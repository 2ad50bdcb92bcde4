/**
 * The Worker: routes, OAuth roles, Durable Objects. Wiring only; it reads top to bottom.
 *
 *   /                                  start page
 *   /authorize                         consent page, and what was decided on it
 *   /token, /register, /.well-known/*  the OAuth library
 *   /mcp                               the tools, behind a token
 *   /operator/*                        the audit and the grants, behind the operator's token
 */
import type { OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { answerError, NOT_FOUND, refuseTooLarge } from "./auth/answer-error.ts";
import { decideConsent } from "./auth/decide-consent.ts";
import { createRoleCache, type OAuthRoles } from "./auth/oauth-roles.ts";
import {
  requireKnownOrigin,
  requireOwnPage,
  requirePublicOrigin,
  requirePublicUrl,
} from "./auth/public-origin.ts";
import { serveProtected } from "./auth/serve-protected.ts";
import { showConsent } from "./auth/show-consent.ts";
import { showLanding } from "./auth/show-landing.ts";
import { listGrants, revokeGrants } from "./operator/grants.ts";
import { readAudit } from "./operator/read-audit.ts";
import { requireOperator } from "./operator/require-operator.ts";
import { answerFailure } from "./pages/answer-failure.ts";
import { readOperatorSettings, readSignInSettings } from "./settings.ts";
import { handleMcp } from "./tools/endpoint.ts";

export { AuditLog } from "./audit/audit-log.ts";
export { PassphraseLock } from "./auth/passphrase-lock.ts";
export { RevokedGrants } from "./auth/revoked-grants.ts";
export { TraceSession } from "./trace/trace-session.ts";

interface App {
  Bindings: Env;
  Variables: { roles: OAuthRoles };
}

const AUTHORIZATION_SERVER_PATHS = ["/token", "/register", "/.well-known/oauth-authorization-server"];
const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource/*";
const OPERATOR_PATHS = "/operator/*";
const MAXIMUM_FORM_BYTES = 16 * 1024;
const MAXIMUM_OPERATOR_BYTES = 4 * 1024;

const PUBLIC_PATHS = ["/authorize", ...AUTHORIZATION_SERVER_PATHS, RESOURCE_METADATA_PATH, "/mcp/*"];

const rolesFor = createRoleCache(handleMcp);
const app = new Hono<App>();

app.get("/", (c) => showLanding(c.req.raw, c.env));

// First of all: while there is no operator, there is nothing here.
app.all(OPERATOR_PATHS, async (c, next) => {
  if (readOperatorSettings(c.env).tokenSha256 === undefined) return c.notFound();
  await next();
});

app.on("ALL", [...PUBLIC_PATHS, OPERATOR_PATHS], (c, next) => {
  const publicUrl = requirePublicUrl(c.req.raw, c.env);
  requirePublicOrigin(c.req.raw, publicUrl);
  readSignInSettings(c.env);
  c.set("roles", rolesFor(publicUrl));
  return next();
});

app.get("/authorize", (c) => showConsent(c.req.raw, c.env, c.var.roles.authorizationServer));
app.post("/authorize", bodyLimit({ maxSize: MAXIMUM_FORM_BYTES, onError: refuseTooLarge }), (c) => {
  requireOwnPage(c.req.raw, c.var.roles.publicUrl);
  return decideConsent(c.req.raw, c.env, c.var.roles.authorizationServer);
});

app.on("ALL", AUTHORIZATION_SERVER_PATHS, (c) =>
  c.var.roles.authorizationServer.fetch(c.req.raw, c.env, executionContext(c)),
);
app.all(RESOURCE_METADATA_PATH, (c) =>
  c.var.roles.resourceServer.fetch(c.req.raw, c.env, executionContext(c)),
);

app.all("/mcp/*", (c) => {
  requireKnownOrigin(c.req.raw, c.var.roles.publicUrl);
  return serveProtected(c.req.raw, c.env, executionContext(c), c.var.roles);
});

app.use(OPERATOR_PATHS, bodyLimit({ maxSize: MAXIMUM_OPERATOR_BYTES, onError: refuseTooLarge }));
app.use(OPERATOR_PATHS, async (c, next) => {
  await requireOperator(c.req.raw, c.env);
  await next();
});
app.post("/operator/audit", (c) => readAudit(c.req.raw, c.env));
app.post("/operator/grants/list", (c) => listGrants(c.req.raw, c.env, oauthOf(c)));
app.post("/operator/grants/revoke", (c) => revokeGrants(c.req.raw, c.env, oauthOf(c)));

app.notFound((c) => answerFailure(c.req.raw, NOT_FOUND));
app.onError((error, c) => answerError(error, c.req.raw));

export default app satisfies ExportedHandler<Env>;

function oauthOf(c: Context<App>): OAuthHelpers {
  return c.var.roles.authorizationServer.getOAuthApi(c.env);
}

/** The runtime's own object: Hono's type of it only lacks the newest members. */
function executionContext(c: Context<App>): ExecutionContext {
  return c.executionCtx as ExecutionContext;
}
