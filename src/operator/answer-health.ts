/**
 * `GET /health`: whether this server is set up to answer, for monitors and load balancers. Open to everybody, so it only
 * reads the settings: no request to n8n, no storage. `npm run admin status` shows whether n8n answers.
 */
import { settingProblems } from "../settings/index.ts";
import { hasWayIn } from "../sign-in/sign-in-setting.ts";

export const HEALTH_PATH = "/health";

export function answerHealth(request: Request, env: Env): Response {
  const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
  const isUsable = settingProblems(env, request.url).length === 0 && hasWayIn(env);
  return isUsable
    ? Response.json({ status: "ok" }, { headers })
    : Response.json({ status: "unavailable" }, { status: 503, headers });
}
