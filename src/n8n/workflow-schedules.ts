/**
 * When a workflow is meant to start by itself: the rules of its Schedule Trigger, or of the Cron and Interval nodes of
 * older workflows. Seconds that n8n draws at random are 0. Unreadable rules, such as expressions, are left out. Pure.
 */
import * as z from "zod";

/** A cron pattern, or an interval in milliseconds, counted from the previous run. */
export type ScheduleRule = { readonly pattern: string } | { readonly everyMs: number };

const number = (usual: number) => z.coerce.number().int().nonnegative().default(usual);
const count = (usual: number) => z.coerce.number().int().positive().default(usual);
const list = (usual: readonly unknown[]) => z.array(z.unknown()).default([...usual]);

/** A rule of a Schedule Trigger. n8n stores no value that is the node's own default. */
const rule = z.object({
  field: z.string().default("days"),
  secondsInterval: count(30),
  minutesInterval: count(5),
  hoursInterval: count(1),
  daysInterval: count(1),
  weeksInterval: count(1),
  monthsInterval: count(1),
  triggerAtHour: number(0),
  triggerAtMinute: number(0),
  triggerAtDayOfMonth: count(1),
  triggerAtDay: z.array(z.coerce.number()).default([0]),
  expression: z.string().regex(/^[^=]/).default("* * * * *"),
});
/** A time of a Cron node. */
const time = z.object({
  mode: z.string().default("everyDay"),
  hour: number(14),
  minute: number(0),
  dayOfMonth: count(1),
  weekday: z.coerce.string().default("1"),
  value: count(2),
  unit: z.string().default("hours"),
  cronExpression: z.string().default("* * * * * *"),
});

const SECOND_MS = 1_000;
const UNITS: Readonly<Record<string, number>> = {
  minutes: 60,
  hours: 3_600,
  days: 86_400,
  weeks: 7 * 86_400,
  months: 31 * 86_400,
};
/** Seconds: n8n counts days and weeks itself, and then starts at the time of day, which is within a day. */
const UP_TO_A_DAY = 86_400;
const cron = (pattern: string): ScheduleRule => ({ pattern });
const interval = (many: number, unit: string, later = 0): ScheduleRule => ({
  everyMs: (many * (UNITS[unit] ?? 1) + later) * SECOND_MS,
});

/** As `toCronExpression` of n8n's node. Where cron cannot express a rule, n8n counts by itself: an interval. */
function toRule({ triggerAtMinute: minute, triggerAtHour, field, ...given }: z.infer<typeof rule>) {
  const { minutesInterval: minutes, hoursInterval: hours, monthsInterval: months } = given;
  const at = `${minute} ${triggerAtHour}`;
  const counted = (count: number, unit: string, pattern: string): ScheduleRule =>
    count === 1 ? cron(pattern) : interval(count, unit, UP_TO_A_DAY);
  const rules: Readonly<Record<string, ScheduleRule>> = {
    cronExpression: cron(given.expression.trim()),
    seconds: interval(given.secondsInterval, "seconds"),
    minutes: 60 % minutes === 0 ? cron(`*/${minutes} * * * *`) : interval(minutes, "minutes"),
    hours: 24 % hours === 0 ? cron(`${minute} */${hours} * * *`) : interval(hours, "hours"),
    weeks: counted(given.weeksInterval, "weeks", `${at} * * ${given.triggerAtDay.join(",") || "*"}`),
    months:
      12 % months === 0
        ? cron(`${at} ${given.triggerAtDayOfMonth} */${months} *`)
        : interval(months, "months", UP_TO_A_DAY),
  };
  return rules[field] ?? counted(given.daysInterval, "days", `${at} * * *`);
}

function toRuleOfTime({ mode, hour, minute, ...given }: z.infer<typeof time>): ScheduleRule {
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

const triggerParameters = z
  .object({ rule: z.object({ interval: list([{}]) }).default({ interval: [{}] }) })
  .transform((read) => read.rule.interval.map((one) => rule.transform(toRule).safeParse(one).data));
const cronParameters = z
  .object({ triggerTimes: z.object({ item: list([]) }) })
  .transform((read) => read.triggerTimes.item.map((one) => time.transform(toRuleOfTime).safeParse(one).data));
const intervalParameters = z
  .object({ interval: count(1), unit: z.string().default("seconds") })
  .transform((read) => [interval(read.interval, read.unit)]);

/** A node with a schedule, by its type; its parameters become rules. */
const node = z.discriminatedUnion("type", [
  z.object({ type: z.literal("n8n-nodes-base.scheduleTrigger"), parameters: triggerParameters }),
  z.object({ type: z.literal("n8n-nodes-base.cron"), parameters: cronParameters }),
  z.object({ type: z.literal("n8n-nodes-base.interval"), parameters: intervalParameters }),
]);
const disabledNode = z.object({ disabled: z.literal(true) });

/** @param nodes as n8n sends them */
export const scheduleRules = (nodes: readonly unknown[]): ScheduleRule[] =>
  nodes
    .filter((one) => !disabledNode.safeParse(one).success)
    .flatMap((one) => node.safeParse(one).data?.parameters ?? [])
    .filter((found) => found !== undefined);
