/** `check_connection` for several n8n instances: a short report on each, or a full one on one of them. */
import * as z from "zod";
import type { Tool, ToolResult } from "../../mcp/define-tool.ts";
import { counted } from "../../platform/counted.ts";
import { orElse } from "../../platform/errors.ts";
import { forOneOrAllInstances, type Instances, type InstancesContext, progressOfAll } from "../instances.ts";
import type { ToolContext } from "../tool-context.ts";
import {
  checkConnection,
  checkN8n,
  checkSettings,
  checkTools,
  HISTORY_CHECK,
  isReady,
  reasonsOf,
} from "./check-connection.ts";
import { type Check, check, toFailure, warning } from "./check-line.ts";

const TOKENS_OF_ANOTHER = 400;

const instanceReport = z.looseObject({
  instance: z.string(),
  ready: z.boolean(),
  passed: z.number(),
  checks: z.array(check),
});
type InstanceReport = z.infer<typeof instanceReport>;

export function checkInstances(instances: Instances): Tool<InstancesContext> {
  const { names } = instances;
  return forOneOrAllInstances(checkConnection, instances, {
    about: "One n8n with each check; without it all in short",
    maxTokens: checkConnection.maxTokens + (names.length - 1) * TOKENS_OF_ANOTHER,
    output: z.looseObject({
      ready: z.boolean(),
      checks: z.array(check),
      // Present in the full report on one instance.
      instance: z.string().optional(),
      instances: z.array(instanceReport).optional(),
    }),
    run: async (_args, context) => await checkAll(context, instances),
  });
}

async function checkAll(context: InstancesContext, { names }: Instances): Promise<ToolResult<unknown>> {
  const progress = progressOfAll(names, context.progress);
  const reports = await Promise.all(
    names.map(async (name) => await reportOf(name, { ...context.of(name), progress: progress(name) })),
  );
  const { settingProblems, toolNames } = context.of(names[0] ?? "");
  const common = [...checkSettings({ settingProblems }), ...checkKeys(context), checkTools(toolNames)];
  const ready = isReady(common) && reports.every((report) => report.ready);
  const unready = reports.filter((report) => !report.ready);
  const failed = common.filter(({ status }) => status === "fail").map((line) => line.check);
  const reasons = [...failed, ...unready.map(toReason)].join("; ");
  const next = ready ? "All are ready." : `Not ready: ${reasons}.`;
  return {
    message: `${reports.length - unready.length} of ${counted(reports.length, "n8n instance")} ready. ${next}`,
    data: { ready, checks: common, instances: reports },
  };
}

const toReason = ({ instance, checks }: InstanceReport): string => `${instance} (${reasonsOf(checks)})`;

async function reportOf(instance: string, context: ToolContext): Promise<InstanceReport> {
  const checks = await linesOf(context);
  return {
    instance,
    ready: isReady(checks),
    passed: checks.filter(({ status }) => status === "pass").length,
    checks: grouped(checks.filter(({ check: name, status }) => status !== "pass" || name === HISTORY_CHECK)),
  };
}

/** When one cause fails several checks, it is reported once, with all their names. */
function grouped(checks: readonly Check[]): Check[] {
  const causes = Map.groupBy(checks, ({ status, detail, solution }) =>
    JSON.stringify([status, detail, solution]),
  );
  return [...causes.values()].flatMap((same) =>
    same.slice(0, 1).map((line) => ({ ...line, check: same.map(({ check: name }) => name).join(", ") })),
  );
}

/** A rate limit on one instance does not hide the others. */
const linesOf = async (context: ToolContext): Promise<readonly Check[]> =>
  await orElse<readonly Check[], readonly Check[]>(
    async () => (await checkN8n(context)).checks,
    (error) => [{ check: "n8n asked", ...toFailure(error) }],
  );

/** n8n itself refuses swapped keys, but only this check notices a key that was set twice. */
function checkKeys({ instancesSharingKey }: InstancesContext): Check[] {
  return instancesSharingKey().map((names) => ({
    check: "a key for each n8n",
    ...warning(
      `${names.join(" and ")} have the same key.`,
      "A key belongs to one n8n. Unless one of them is a copy of the other's database, create a key in each, and set it as its apiKey in N8N_INSTANCES.",
    ),
  }));
}
