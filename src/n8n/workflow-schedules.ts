/**
 * When a workflow is meant to start by itself: what its Schedule Trigger says, or the Cron and Interval nodes of older
 * workflows. Seconds that n8n draws at random are 0. What cannot be read, such as an expression, is left out. Pure.
 */
import * as z from "zod";

/** A pattern of cron, which may hold for each second, third, … of these units only; or an interval alone. */
export type ScheduleRule =
  | { readonly kind: "cron"; readonly pattern: string; readonly every: Every | null }
  | { readonly kind: "interval"; readonly everyMs: number };

export interface Every {
  readonly count: number;
  readonly unit: "days" | "weeks" | "months";
}

const number = (usual: number) => z.coerce.number().int().nonnegative().default(usual);
const count = (usual: number) => z.coerce.number().int().positive().default(usual);
const list = (usual: readonly unknown[]) => z.array(z.unknown()).default([...usual]);

/** A rule of a Schedule Trigger. n8n stores no value that is the node's own default. */
const rule = z.object({
  field: z.string().default("days"),
  ...{ secondsInterval: count(30), minutesInterval: count(5), hoursInterval: count(1) },
  ...{ daysInterval: count(1), weeksInterval: count(1), monthsInterval: count(1) },
  ...{ triggerAtHour: number(0), triggerAtMinute: number(0), triggerAtDayOfMonth: count(1) },
  triggerAtDay: z.array(z.coerce.number()).default([0]),
  expression: z.string().default(""),
});
/** A time of a Cron node. */
const time = z.object({
  mode: z.string().default("everyDay"),
  ...{ hour: number(14), minute: number(0), dayOfMonth: count(1), weekday: z.coerce.string().default("1") },
  ...{ value: count(2), unit: z.string().default("hours") },
  cronExpression: z.string().default("* * * * * *"),
});
const ofTrigger = z.object({ rule: z.object({ interval: list([{}]) }).default({ interval: [{}] }) });
const ofCron = z.object({ triggerTimes: z.object({ item: list([]) }) });
const ofInterval = z.object({ interval: count(1), unit: z.string().default("seconds") });

const SECOND_MS = 1_000;
const UNITS = new Map([
  ["minutes", 60],
  ["hours", 3_600],
]);
const cron = (pattern: string, every: Every | null = null): ScheduleRule => ({
  kind: "cron",
  pattern,
  every,
});
const interval = (many: number, unit: string): ScheduleRule => ({
  kind: "interval",
  everyMs: many * (UNITS.get(unit) ?? 1) * SECOND_MS,
});
const unlessOne = (many: number, unit: Every["unit"]) => (many === 1 ? null : { count: many, unit });

/** As `toCronExpression` of n8n's node; what it does not divide evenly is an interval. */
function ofRule({ triggerAtMinute, triggerAtHour, triggerAtDayOfMonth, ...given }: z.infer<typeof rule>) {
  const { minutesInterval: minutes, hoursInterval: hours, monthsInterval: months } = given;
  const at = `${triggerAtMinute} ${triggerAtHour}`;
  const isEven = 12 % months === 0;
  const rules: Readonly<Record<string, ScheduleRule>> = {
    cronExpression: cron(given.expression.trim()),
    seconds: interval(given.secondsInterval, "seconds"),
    minutes: 60 % minutes === 0 ? cron(`*/${minutes} * * * *`) : interval(minutes, "minutes"),
    hours: 24 % hours === 0 ? cron(`${triggerAtMinute} */${hours} * * *`) : interval(hours, "hours"),
    weeks: cron(`${at} * * ${given.triggerAtDay.join(",") || "*"}`, unlessOne(given.weeksInterval, "weeks")),
    months: isEven
      ? cron(`${at} ${triggerAtDayOfMonth} */${months} *`)
      : cron(`${at} ${triggerAtDayOfMonth} * *`, unlessOne(months, "months")),
  };
  return rules[given.field] ?? cron(`${at} * * *`, unlessOne(given.daysInterval, "days"));
}

function ofTime({ mode, hour, minute, ...given }: z.infer<typeof time>): ScheduleRule {
  const rules: Readonly<Record<string, ScheduleRule>> = {
    everyMinute: cron("* * * * *"),
    everyHour: cron(`${minute} * * * *`),
    everyX: interval(given.value, given.unit),
    everyWeek: cron(`${minute} ${hour} * * ${given.weekday}`),
    everyMonth: cron(`${minute} ${hour} ${given.dayOfMonth} * *`),
    custom: cron(given.cronExpression.trim()),
  };
  return rules[mode] ?? cron(`${minute} ${hour} * * *`);
}

/** What node says it, its type with the rules of its parameters. */
const node = z.discriminatedUnion("type", [
  z
    .object({ type: z.literal("n8n-nodes-base.scheduleTrigger"), parameters: ofTrigger })
    .transform((read) =>
      read.parameters.rule.interval.map((one) => rule.transform(ofRule).safeParse(one).data),
    ),
  z
    .object({ type: z.literal("n8n-nodes-base.cron"), parameters: ofCron })
    .transform((read) =>
      read.parameters.triggerTimes.item.map((one) => time.transform(ofTime).safeParse(one).data),
    ),
  z
    .object({ type: z.literal("n8n-nodes-base.interval"), parameters: ofInterval })
    .transform(({ parameters }) => [interval(parameters.interval, parameters.unit)]),
]);
const isOff = z.object({ disabled: z.literal(true) });

/** @param nodes as n8n sends them */
export const scheduleRules = (nodes: readonly unknown[]): ScheduleRule[] =>
  nodes
    .filter((one) => !isOff.safeParse(one).success)
    .flatMap((one) => node.safeParse(one).data ?? [])
    .filter((found) => found !== undefined);
