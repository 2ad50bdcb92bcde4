/** `GET /`: the start page. It works with any setting missing, so that it can report that, and does not wait long. */
import { COPY_SCRIPT } from "../pages/copy-script.ts";
import { type FirstRunPageProps, firstRunPage } from "../pages/first-run.tsx";
import { type KnownHistory, landingPage } from "../pages/landing.tsx";
import { pageResponse } from "../pages/respond.ts";
import type { SignInMethods } from "../pages/sign-in.tsx";
import { describeBug } from "../platform/errors.ts";
import { log } from "../platform/log.ts";
import {
  arePagesOn,
  isLoopbackHost,
  namesOfInstances,
  readPublicUrl,
  type SettingProblem,
  settingProblems,
} from "../settings/index.ts";
import { logSettingProblem } from "./sign-in-log.ts";
import { findSignInProblem, hasWayIn, readWaysIn, toSignInMethods } from "./sign-in-setting.ts";

const N8N_SETTING = /^N8N_(BASE_URL|API_KEY|INSTANCES|API_PATH|HEADERS|EDITOR_URL)$/;
const SIGN_IN_SETTING = /^(ACCESS_PASSPHRASE$|SERVICE_TOKENS$|N8N_KEYS$|OIDC_|ALLOWED_(?!REDIRECT_)|DATA_)/;

const NO_WAY_IN: SignInMethods = { passphrase: false };

/** The page leaves out history indexes that do not report within this time. */
const MAX_PROGRESS_MS = 300;

const wantsJson = (request: Request): boolean => request.headers.get("Accept") === "application/json";

export async function showLanding(
  request: Request,
  env: Env,
  readProgress: () => Promise<readonly KnownHistory[]>,
): Promise<Response> {
  const url = new URL(request.url);
  const malformed = settingProblems(env, request.url);
  const isSignInReadable = !malformed.some(({ setting }) => SIGN_IN_SETTING.test(setting));
  const signInProblem = isSignInReadable ? findSignInProblem(env) : undefined;
  const problems = signInProblem === undefined ? malformed : [...malformed, signInProblem];
  const isLoopback = isLoopbackHost(url.hostname);
  // Only `npm run dev` gets these details, and reports them itself.
  const instances = namesOfInstances(env);
  if (isLoopback && wantsJson(request)) return Response.json({ instances, settingProblems: problems });
  for (const { setting, problem } of problems) logSettingProblem(setting, problem);
  const steps = toSteps(problems, isSignInReadable && hasWayIn(env));
  if (!isLoopback && !(steps.hasN8n && steps.hasWayIn))
    return await pageResponse(firstRunPage(steps), 200, new Headers(), { script: COPY_SCRIPT });
  const isOriginReadable = !malformed.some(({ setting }) => setting === "PUBLIC_URL");
  const origin = isOriginReadable ? readPublicUrl(env, request.url) : url.origin;
  // Strangers learn nothing about n8n.
  const histories = isLoopback && problems.length === 0 ? await inTime(readProgress) : [];
  const page = landingPage({
    connectorUrl: `${origin}/mcp`,
    isLoopback,
    instances,
    histories,
    now: Date.now(),
    problems,
    signInMethods: isSignInReadable ? toSignInMethods(readWaysIn(env)) : NO_WAY_IN,
    hasPage: problems.length === 0 && arePagesOn(env),
  });
  return await pageResponse(page, 200, new Headers(), { script: COPY_SCRIPT });
}

function toSteps(problems: readonly SettingProblem[], isWayIn: boolean): FirstRunPageProps {
  const isOther = ({ setting }: SettingProblem): boolean =>
    !N8N_SETTING.test(setting) && !SIGN_IN_SETTING.test(setting);
  return {
    hasN8n: !problems.some(({ setting }) => N8N_SETTING.test(setting)),
    hasWayIn: isWayIn,
    hasOtherProblem: problems.some(isOther),
  };
}

async function inTime(read: () => Promise<readonly KnownHistory[]>): Promise<readonly KnownHistory[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly KnownHistory[]>();
  const timer = setTimeout(() => resolve([]), MAX_PROGRESS_MS);
  const progress = read().catch((error: unknown) => {
    log({ event: "history-index-glance-failed", ...describeBug(error) });
    return [];
  });
  try {
    return await Promise.race([progress, late]);
  } finally {
    clearTimeout(timer);
  }
}
