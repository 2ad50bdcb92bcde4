/**
 * `POST /authorize`: the decision on the consent page. Only the person there chooses what the app may see.
 *
 * The form's handle works once, only in the browser that got the page, and is spent before the passphrase is checked: a
 * stolen or replayed form cannot even try one. After a wrong passphrase the stored request is shown again under a new
 * handle. The grant follows the stored request, never the form.
 *
 * Sign-in at the organisation starts after consent, never before: the provider knows only this server, and would sign
 * the person in for any client that asks.
 */
import type { Failure } from "../pages/answer-failure.ts";
import { leave } from "../pages/leave.tsx";
import { counted } from "../platform/counted.ts";
import { SCOPES, type Scope } from "../settings/index.ts";
import { OWNER, type TokenProps } from "./caller.ts";
import { RequestRefused } from "./failure.ts";
import { issueCode } from "./issue-code.ts";
import { type OAuthRequest, oauthOf } from "./oauth-roles.ts";
import { beginSignIn } from "./oidc/begin-sign-in.ts";
import { refuseProviderFaults } from "./oidc/sign-in-fault.ts";
import { faultsOfKeys, type KeyForm, n8nKeysIn, readKeyForm, type TryKey, userIdOf } from "./own-keys.ts";
import { attemptPassphrase, fingerprintPassphrase } from "./passphrase-lock.ts";
import { pinPublicUrl } from "./public-origin.ts";
import { type ConsentView, presentConsent } from "./show-consent.ts";
import { logSignIn } from "./sign-in-log.ts";
import { requireOidcSet, requireWayIn } from "./sign-in-setting.ts";

interface ConsentForm {
  readonly decision: "approve" | "organisation" | "deny";
  readonly handle: string;
  readonly passphrase: string;
  readonly chosen: Scope | undefined;
  readonly n8n: KeyForm;
}

type ChosenForm = ConsentForm & { readonly chosen: Scope };

export async function decideConsent(route: OAuthRequest, tryKey: TryKey): Promise<Response> {
  requireWayIn(route.env);
  const form = await readConsentForm(route);
  if (form.decision === "deny") return deny(route, form);
  const { chosen } = form;
  if (chosen === undefined) return askAgain(route, form, { again: { reason: "no_choice" } });
  const { faults } = form.n8n;
  if (Object.keys(faults).length > 0)
    return askAgain(route, form, { chosen, again: { reason: "n8n_key", faults } });
  if (form.decision === "organisation") return goToProvider(route, { ...form, chosen });
  return approve(route, { ...form, chosen }, tryKey);
}

/** Shows the form again before the passphrase is checked, so that it does not count as a try. */
async function askAgain(route: OAuthRequest, { handle }: ConsentForm, view: ConsentView): Promise<Response> {
  const oauth = oauthOf(route);
  const consent = await oauth.approveConsent(route.request, handle);
  return presentConsent(oauth, consent.request, route.env, view, consent.headers);
}

async function deny(route: OAuthRequest, { handle }: ConsentForm): Promise<Response> {
  const { redirectTo, headers } = await oauthOf(route).denyConsent(route.request, handle);
  logSignIn({ outcome: "declined", via: requireWayIn(route.env).hasPassphrase ? OWNER.via : "oidc" });
  return leave(route.request, { redirectTo, decision: "declined" }, headers);
}

async function goToProvider(route: OAuthRequest, { handle, chosen, n8n }: ChosenForm): Promise<Response> {
  const { request, env, roles } = route;
  const oidc = requireOidcSet(env);
  const oauth = oauthOf(route);
  const consent = await oauth.approveConsent(request, handle);
  const { redirectTo, headers } = await refuseProviderFaults(consent.request.clientId, () =>
    beginSignIn(oauth, consent, oidc, roles.publicUrl, { withData: chosen === "n8n:data", ...n8n }),
  );
  return leave(request, { redirectTo, decision: "continued" }, headers);
}

async function approve(
  route: OAuthRequest,
  { handle, passphrase, chosen, n8n }: ChosenForm,
  tryKey: TryKey,
): Promise<Response> {
  const { request, env, roles } = route;
  if (!requireWayIn(env).hasPassphrase) throw new RequestRefused(NO_PASSPHRASE);
  const oauth = oauthOf(route);
  const consent = await oauth.approveConsent(request, handle);
  const verdict = await attemptPassphrase(env, passphrase);
  const { clientId } = consent.request;
  if (verdict.outcome !== "right")
    logSignIn({ outcome: OUTCOMES[verdict.outcome], via: OWNER.via, clientId });
  if (verdict.outcome === "locked") throw new RequestRefused(toLockedFailure(verdict.retryAfter));
  if (verdict.outcome === "wrong") {
    const again = { reason: "wrong_passphrase", triesLeft: verdict.triesLeft } as const;
    return presentConsent(oauth, consent.request, env, { chosen, again }, consent.headers);
  }
  const userId = userIdOf(OWNER.userId, n8n.keys);
  const faults = await faultsOfKeys(n8n, env, userId, tryKey);
  if (Object.keys(faults).length > 0) {
    logSignIn({ outcome: "refused", via: OWNER.via, clientId, reason: "n8n_key" });
    const view = { chosen, again: { reason: "n8n_key", faults } } as const;
    return presentConsent(oauth, consent.request, env, view, consent.headers);
  }
  await pinPublicUrl(env, roles.publicUrl);
  logSignIn({ outcome: "signed_in", via: OWNER.via, clientId, userId });
  const passphraseFingerprint = await fingerprintPassphrase(env);
  const props: TokenProps = { ...OWNER, userId, passphraseFingerprint, ...n8nKeysIn(n8n) };
  const redirectTo = await issueCode(oauth, consent.request, props, chosen === "n8n:data", SCOPES);
  return leave(request, { redirectTo, decision: "approved" }, consent.headers);
}

const NO_PASSPHRASE: Failure = {
  status: 400,
  code: "invalid_request",
  title: "There is no passphrase here",
  message: "This server has no passphrase: people sign in at their organisation.",
  solution: "Go back to your app and connect again.",
};

const OUTCOMES = { wrong: "wrong_passphrase", locked: "locked" } as const;

function toLockedFailure(retryAfter: number): Failure {
  const minutes = Math.ceil(retryAfter / 60);
  return {
    status: 429,
    code: "temporarily_unavailable",
    title: "Sign-in is locked for a while",
    message: "There were too many wrong passphrases.",
    solution: `Wait ${counted(minutes, "minute")}, then connect again from your app. Until then even the right passphrase is refused. Apps that are signed in already go on working.`,
    retryAfter,
  };
}

async function readConsentForm({ request, env }: OAuthRequest): Promise<ConsentForm> {
  const form = await request.formData().catch(() => new FormData());
  const passphrase = text(form, "passphrase");
  // If a script sends the form without its button, a passphrase counts as approval.
  const decision = form.get("decision") ?? (passphrase === "" ? null : "approve");
  if (decision !== "approve" && decision !== "organisation" && decision !== "deny") {
    throw new RequestRefused({
      status: 400,
      code: "invalid_request",
      title: "This form is incomplete",
      message: "The form did not say whether to allow or to decline.",
      solution: "Go back to your app and connect again.",
    });
  }
  return {
    decision,
    handle: text(form, "handle"),
    passphrase,
    chosen: SCOPES.find((scope) => scope === form.get("scope")),
    n8n: readKeyForm(form, env),
  };
}

function text(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}
