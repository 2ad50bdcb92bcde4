/**
 * The Worker: routes, OAuth roles, Durable Objects. Wiring only; it reads top to bottom.
 *
 *   /                                  start page
 *   /privacy, /llms.txt                what is stored; what this is, for language models
 *   /icon.svg, /icon.png, /favicon.ico the icon
 *   /health                            whether the settings are usable, for monitors
 *   /authorize                         consent page, and the decision made on it
 *   /callback                          return from the organisation's sign-in
 *   /token, /register, /.well-known/*  the OAuth library
 *   /mcp                               the tools, behind a token
 *   /app/*                             the page for people, behind a session
 *   /operator/*                        status, audit, access, grants and index, behind the operator's token
 *   every hour                         unused records are deleted, and the history index is woken
 */
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { TOOLS } from "./features/index.ts";
import { answerHealth, HEALTH_PATH } from "./operator/answer-health.ts";
import { listGrants, revokeGrants } from "./operator/grants.ts";
import { readAccess } from "./operator/read-access.ts";
import { readAudit } from "./operator/read-audit.ts";
import { readIndex, readStatus } from "./operator/read-status.ts";
import { requireOperator } from "./operator/require-operator.ts";
import { answerFailure } from "./pages/answer-failure.ts";
import { HOME, SIGN_OUT, SWITCH_DATA } from "./pages/app/addresses.ts";
import {
  FAVICON_PATH,
  ICON_PNG_PATH,
  ICON_SVG_PATH,
  serveFavicon,
  serveIconPng,
  serveIconSvg,
} from "./pages/icon/serve-icon.ts";
import { serveText } from "./pages/respond.ts";
import { PRIVACY_PATH, showPrivacy } from "./privacy/show-privacy.ts";
import {
  arePagesOn,
  readAccessSettings,
  readOidcSettings,
  readOperatorSettings,
  readPublicUrl,
  readSignInSettings,
} from "./settings/index.ts";
import { decideConsent } from "./sign-in/decide-consent.ts";
import { answerError, NOT_FOUND, refuseMethod, refuseTooLarge } from "./sign-in/failure.ts";
import { createRoleCache, type OAuthRequest, type OAuthRoles, oauthOf } from "./sign-in/oauth-roles.ts";
import { CALLBACK_PATH } from "./sign-in/oidc/begin-sign-in.ts";
import { finishSignIn } from "./sign-in/oidc/finish-sign-in.ts";
import { PAGE_CALLBACK_PATH, withPageClient } from "./sign-in/page/page-client.ts";
import { servePage, signOut, switchDataOnOrOff } from "./sign-in/page/serve-page.ts";
import { finishPageSignIn } from "./sign-in/page/sign-in-to-page.ts";
import {
  requireKnownOrigin,
  requireOwnHost,
  requireOwnPage,
  requirePublicOrigin,
  requirePublicUrl,
} from "./sign-in/public-origin.ts";
import { MAXIMUM_REGISTRATION_BYTES } from "./sign-in/registration/client-metadata.ts";
import { serveServerMetadata, withDocumentClients } from "./sign-in/registration/document-clients.ts";
import { purgeClients } from "./sign-in/registration/purge-clients.ts";
import { refuseLargeRegistration, registerClient } from "./sign-in/registration/register-client.ts";
import { requireRegisteringOrigin } from "./sign-in/registration/require-allowed.ts";
import { serveProtected } from "./sign-in/serve-protected.ts";
import { showConsent } from "./sign-in/show-consent.ts";
import { showLanding } from "./sign-in/show-landing.ts";
import { serveToken } from "./sign-in/tokens/serve-token.ts";
import { handleMcp, toolsForPage } from "./wiring/endpoint.ts";
import {
  readIndexProgress,
  reportIndexes,
  wakeHistoryIndexes,
  workflowsInInstances,
} from "./wiring/history-calls.ts";
import { LLMS_TEXT_PATH, llmsTextOfServer } from "./wiring/llms-text.ts";
import { tryKey } from "./wiring/own-keys.ts";

export { ActivityLog } from "./activity-log/activity-log.ts";
export { N8nLimiter } from "./n8n/limiter/n8n-limiter.ts";
export { UserIds } from "./sign-in/oidc/user-ids.ts";
export { PassphraseLock } from "./sign-in/passphrase-lock.ts";
export { PublicAddress } from "./sign-in/public-origin.ts";
export { RegistrationGate } from "./sign-in/registration/registration-gate.ts";
export { GrantLedger } from "./sign-in/tokens/grant-ledger.ts";
export { HistoryIndex } from "./wiring/history-index.ts";

interface App {
  Bindings: Env;
  Variables: { roles: OAuthRoles };
}

const SERVER_METADATA_PATH = "/.well-known/oauth-authorization-server";
const AUTHORIZATION_SERVER_PATHS = ["/token", "/register", SERVER_METADATA_PATH];
const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource/*";
const OPERATOR_PATHS = "/operator/*";
const PAGE_PATHS = [HOME, `${HOME}/*`];
const limitForm = bodyLimit({ maxSize: 16 * 1024, onError: refuseTooLarge });
const limitOperatorBody = bodyLimit({ maxSize: 4 * 1024, onError: refuseTooLarge });

/** Public and read-only. */
const OPEN_PATHS = [PRIVACY_PATH, LLMS_TEXT_PATH, ICON_SVG_PATH, ICON_PNG_PATH, FAVICON_PATH, HEALTH_PATH];

const PUBLIC_PATHS = [
  "/authorize",
  CALLBACK_PATH,
  ...AUTHORIZATION_SERVER_PATHS,
  RESOURCE_METADATA_PATH,
  "/mcp/*",
];

const rolesFor = createRoleCache(handleMcp);
const app = new Hono<App>();

const checkHost: MiddlewareHandler<App> = async (c, next) => {
  await requireOwnHost(c.req.raw, c.env);
  await next();
};
const checkForm: MiddlewareHandler<App> = async (c, next) => {
  requireOwnPage(c.req.raw, c.get("roles").publicUrl);
  await next();
};

app.get("/", checkHost, (c) => showLanding(c.req.raw, c.env, () => readIndexProgress(c.env)));
app.get(PRIVACY_PATH, checkHost, (c) => showPrivacy(c.env));
app.get(LLMS_TEXT_PATH, checkHost, async (c) =>
  serveText(llmsTextOfServer(await requirePublicUrl(c.req.raw, c.env), TOOLS)),
);
app.get(ICON_SVG_PATH, serveIconSvg);
app.get(ICON_PNG_PATH, serveIconPng);
app.get(FAVICON_PATH, serveFavicon);
app.get(HEALTH_PATH, (c) => answerHealth(c.req.raw, c.env));
app.on("ALL", OPEN_PATHS, () => refuseMethod());

// First, so that operator routes do not exist without an operator.
app.all(OPERATOR_PATHS, async (c, next) => {
  if (readOperatorSettings(c.env).tokenSha256 === undefined) return c.notFound();
  await next();
});

app.on("ALL", PAGE_PATHS, async (c, next) => {
  if (!arePagesOn(c.env)) return c.notFound();
  await next();
});

app.on("ALL", [...PUBLIC_PATHS, ...PAGE_PATHS, OPERATOR_PATHS], async (c, next) => {
  const publicUrl = await requirePublicUrl(c.req.raw, c.env);
  requirePublicOrigin(c.req.raw, publicUrl);
  readSignInSettings(c.env);
  const oidc = readOidcSettings(c.env);
  readAccessSettings(c.env);
  c.env = withPageClient(withDocumentClients(c.env), publicUrl);
  c.set("roles", rolesFor(publicUrl, oidc?.isManaged));
  return next();
});

app.get("/authorize", (c) => showConsent(oauthRequest(c)));
app.post("/authorize", limitForm, checkForm, (c) => decideConsent(oauthRequest(c), tryKey));
app.get(CALLBACK_PATH, (c) => finishSignIn(oauthRequest(c), tryKey));

app.all(SERVER_METADATA_PATH, (c) => serveServerMetadata(oauthRequest(c)));
app.use("/register", async (c, next) => {
  requireRegisteringOrigin(c.req.raw, c.env, c.get("roles").publicUrl);
  await next();
});
app.all(
  "/register",
  bodyLimit({ maxSize: MAXIMUM_REGISTRATION_BYTES, onError: (c) => refuseLargeRegistration(c.req.raw) }),
  (c) => registerClient(oauthRequest(c)),
);
app.all("/token", limitForm, (c) => serveToken(oauthRequest(c)));
app.all(RESOURCE_METADATA_PATH, (c) => {
  const { request, env, ctx, roles } = oauthRequest(c);
  return roles.resourceServer.fetch(request, env, ctx);
});

app.all("/mcp/*", (c) => {
  requireKnownOrigin(c.req.raw, c.get("roles").publicUrl);
  return serveProtected(oauthRequest(c));
});

app.get(PAGE_CALLBACK_PATH, (c) => finishPageSignIn(oauthRequest(c)));
app.post(SIGN_OUT, limitForm, checkForm, (c) => signOut(oauthRequest(c)));
app.post(SWITCH_DATA, limitForm, checkForm, (c) => switchDataOnOrOff(oauthRequest(c)));
for (const path of PAGE_PATHS) app.get(path, (c) => servePage(oauthRequest(c), toolsForPage));
app.on("ALL", PAGE_PATHS, () => refuseMethod());

app.use(OPERATOR_PATHS, limitOperatorBody, async (c, next) => {
  await requireOperator(c.req.raw, c.env);
  await next();
});
app.post("/operator/audit", (c) => readAudit(c.req.raw, c.env));
app.post("/operator/status", (c) => readStatus(c.req.raw, c.env, () => reportIndexes(c.env, true)));
app.post("/operator/index", (c) => readIndex(c.req.raw, (isBrief) => reportIndexes(c.env, isBrief)));
app.post("/operator/access", (c) =>
  readAccess(c.req.raw, c.env, (given) => workflowsInInstances(c.env, given)),
);
app.post("/operator/grants/list", (c) => listGrants(c.req.raw, c.env));
app.post("/operator/grants/revoke", (c) => revokeGrants(c.req.raw, c.env, oauthOf(oauthRequest(c))));

app.notFound((c) => answerFailure(c.req.raw, NOT_FOUND));
app.onError((error, c) => answerError(error, c.req.raw));

export default {
  fetch: (request: Request, env, ctx) => app.fetch(request, env, ctx),
  async scheduled(_controller, env) {
    // There is no request to take the host from, and on the user's own machine the setting may be missing.
    const publicUrl = readPublicUrl(env, "http://localhost");
    const { authorizationServer } = rolesFor(publicUrl);
    await purgeClients(withPageClient(env, publicUrl), authorizationServer, Date.now());
    await wakeHistoryIndexes(env);
  },
} satisfies ExportedHandler<Env>;

function oauthRequest(c: Context<App>): OAuthRequest {
  // The runtime's own object; Hono's type only lacks its newest members.
  const ctx = c.executionCtx as ExecutionContext;
  return { request: c.req.raw, env: c.env, ctx, roles: c.get("roles") };
}
