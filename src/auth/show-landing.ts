/** `GET /`: the start page. It works on any address and with any setting missing, so that it can say so. */
import { landingPage } from "../pages/landing.tsx";
import { pageResponse } from "../pages/respond.ts";
import { isLoopbackHost, readPublicUrl, type SettingProblem, settingProblems } from "../settings.ts";
import { logSettingProblem } from "./operator-log.ts";
import { findPassphraseProblem } from "./passphrase-setting.ts";

export function showLanding(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  const problems = findProblems(env, request.url);
  for (const { setting, problem } of problems) logSettingProblem(setting, problem);
  const hasPublicUrl = !problems.some(({ setting }) => setting === "PUBLIC_URL");
  const origin = hasPublicUrl ? readPublicUrl(env, request.url) : url.origin;
  const page = landingPage({
    connectorUrl: `${origin}/mcp`,
    isLoopback: isLoopbackHost(url.hostname),
    problems,
  });
  return pageResponse(page, 200);
}

function findProblems(env: Env, requestUrl: string): SettingProblem[] {
  const problems = settingProblems(env, requestUrl);
  const isSignInWrong = problems.some(
    ({ setting }) => setting === "ACCESS_PASSPHRASE" || setting === "SERVICE_TOKENS",
  );
  const passphraseProblem = isSignInWrong ? undefined : findPassphraseProblem(env);
  return passphraseProblem === undefined ? problems : [...problems, passphraseProblem];
}
