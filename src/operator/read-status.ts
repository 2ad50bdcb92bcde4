/** `POST /operator/status` and `/operator/index`: settings, calls of the last day, progress and cost of each index. */
import * as z from "zod";
import { activityLog } from "../activity-log/activity-log.ts";
import { DAY_MS } from "../platform/durations.ts";
import { VERSION } from "../platform/version.ts";
import { settingProblems } from "../settings/index.ts";
import { readBody, toAnswer } from "./read-body.ts";

const nothing = z.strictObject({});
/** `npm run index` polls every few seconds, and asks for the brief form. */
const indexQuery = z.strictObject({ brief: z.boolean().default(false) });

/** @param report reads the report of each index */
export async function readStatus(
  request: Request,
  env: Env,
  report: () => Promise<readonly object[]>,
): Promise<Response> {
  await readBody(request, nothing);
  const since = Date.now() - DAY_MS;
  const problems = settingProblems(env, request.url);
  const [{ calls, signIns }, indexes] = await Promise.all([
    activityLog(env).repeatable(async (log) => await log.outcomes(since)),
    problems.length > 0 ? [] : report(),
  ]);
  const lastDay = { since: new Date(since).toISOString(), calls, signIns };
  return toAnswer({ version: VERSION, settingProblems: problems, lastDay, indexes });
}

/** @param report of each index, as it is shown */
export async function readIndex(
  request: Request,
  report: (isBrief: boolean) => Promise<readonly object[]>,
): Promise<Response> {
  const { brief } = await readBody(request, indexQuery);
  return toAnswer({ indexes: await report(brief) });
}
