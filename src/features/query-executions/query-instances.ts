/** `query_executions` without `instance`: each n8n counts its own at the same time, and each group names its instance. */
import * as z from "zod";
import type { Tool, ToolResult } from "../../mcp/define-tool.ts";
import { counted } from "../../platform/counted.ts";
import { ObserverError, orElse } from "../../platform/errors.ts";
import { sumOf } from "../../platform/sum-of.ts";
import { forOneInstance, forOneOrAllInstances, type Instances, type InstancesContext } from "../instances.ts";
import { queryExecutions } from "./query-executions.ts";

const TOKENS_OF_ANOTHER = 150;

const row = z.looseObject({ count: z.number(), failures: z.number() });
const answer = z.looseObject({
  instance: z.string(),
  totals: row,
  groups: z.array(row),
  others: z.array(row).default([]),
});

export function queryInstances(instances: Instances): Tool<InstancesContext> {
  const { names } = instances;
  const { prepare } = forOneInstance(queryExecutions, instances);
  return forOneOrAllInstances(queryExecutions, instances, {
    about: "Which n8n; all without it",
    maxTokens: queryExecutions.maxTokens + (names.length - 1) * TOKENS_OF_ANOTHER,
    output: queryExecutions.output,
    async run(args, context) {
      const asked = names.map(async (instance) => {
        const own = prepare({ ...args, instance });
        if (!own.success) throw own.error;
        return await orElse(
          async () => await own.run(context),
          (error) => error,
        );
      });
      return mergeAnswers(await Promise.all(asked), names);
    },
  });
}

/**
 * @param names of the instances, in the order of the answers
 * @throws ObserverError the first error, if all instances failed
 */
function mergeAnswers(answers: readonly (ToolResult<unknown> | ObserverError)[], names: readonly string[]) {
  const answered = answers.filter((each) => "data" in each);
  const all = answered.map(({ data }) => answer.parse(data));
  const [first] = all.toSorted((a, b) => b.totals.failures - a.totals.failures);
  if (first === undefined) throw answers.find((each) => each instanceof ObserverError);
  const named = (rows: (one: (typeof all)[number]) => readonly object[]) =>
    all.flatMap((one) => rows(one).map((each) => ({ instance: one.instance, ...each })));
  const failed = answers.flatMap((each, index) =>
    each instanceof ObserverError
      ? [{ instance: names[index], error: { code: each.code, message: each.message } }]
      : [],
  );
  const count = sumOf(all, ({ totals }) => totals.count);
  const failures = sumOf(all, ({ totals }) => totals.failures);
  const said = `${counted(count, "execution")} in ${counted(all.length, "n8n instance")}, ${failures} failed.`;
  return {
    message: [said, ...answers.map(({ message }) => message)].join(" "),
    data: {
      // The window and the next call are those of the instance with most failures; its sentence states its coverage.
      ...first,
      instance: undefined,
      sparkline: undefined,
      coverage: undefined,
      totals: { count, failures },
      groups: named(({ groups, totals }) => (totals.groups === undefined ? [totals] : groups)),
      others: named(({ others }) => others),
      instances: failed.length === 0 ? undefined : failed,
    },
  };
}
