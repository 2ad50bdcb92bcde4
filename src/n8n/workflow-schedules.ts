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

const node = z.object({
  type: z.string(),
  disabled: z.boolean().catch(false),
  parameters: z.looseObject({}).catch({}),
});

const number = (usual: number) => z.coerce.number().int().nonnegative().default(usual);
const count = (usual: number) => z.coerce.number().int().positive().default(usual);

/** n8n stores no value that is the node's own default. */
const interval = z.object({
  field: z.string().default("days"),
  secondsInterval: count(30),
  minutesInterval: count(5),
  hoursInterval: count(1),
  daysInterval: count(1),
  weeksInterval: count(1),
  monthsInterval: count(1),
  triggerAtDay: z.array(z.coerce.number()).default([0]),
  triggerAtDayOfMonth: count(1),
  triggerAtHour: number(0),
  triggerAtMinute: number(0),
  expression: z.string().default(""),
});
const scheduleTrigger = z.object({ rule: z.object({ interval: z.array(z.unknown()).default([{}]) }) });

const triggerTime = z.object({
  mode: z.string().default("everyDay"),
  hour: number(14),
  minute: number(0),
  dayOfMonth: count(1),
  weekday: z.coerce.string().default("1"),
  value: count(2),
  unit: z.string().default("hours"),
  cronExpression: z.string().default("* * * * * *"),
});
const cronNode = z.object({ triggerTimes: z.object({ item: z.array(z.unknown()).default([]) }) });
const intervalNode = z.object({ interval: count(1), unit: z.string().default("seconds") });

const SECONDS = 1_000;
const UNITS: Readonly<Record<string, number>> = {
  seconds: SECONDS,
  minutes: 60 * SECONDS,
  hours: 3_600 * SECONDS,
};

const cron = (pattern: string, every: Every | null = null): ScheduleRule => ({
  kind: "cron",
  pattern,
  every,
});
const everyUnit = (count: number, unit: string): ScheduleRule => ({
  kind: "interval",
  everyMs: count * (UNITS[unit] ?? SECONDS),
});
const unlessOne = (amount: number, unit: Every["unit"]): Every | null =>
  amount === 1 ? null : { count: amount, unit };

function ruleOf(given: z.infer<typeof interval>): ScheduleRule {
  const { minutesInterval: minutes, hoursInterval: hours, monthsInterval: months } = given;
  const time = `${given.triggerAtMinute} ${given.triggerAtHour}`;
  switch (given.field) {
    case "cronExpression":
      return cron(given.expression.trim());
    case "seconds":
      return everyUnit(given.secondsInterval, "seconds");
    case "minutes":
      return 60 % minutes === 0 ? cron(`*/${minutes} * * * *`) : everyUnit(minutes, "minutes");
    case "hours":
      return 24 % hours === 0 ? cron(`${given.triggerAtMinute} */${hours} * * *`) : everyUnit(hours, "hours");
    case "weeks": {
      const days = given.triggerAtDay.length === 0 ? "*" : given.triggerAtDay.join(",");
      return cron(`${time} * * ${days}`, unlessOne(given.weeksInterval, "weeks"));
    }
    case "months":
      return 12 % months === 0
        ? cron(`${time} ${given.triggerAtDayOfMonth} */${months} *`)
        : cron(`${time} ${given.triggerAtDayOfMonth} * *`, unlessOne(months, "months"));
    default:
      return cron(`${time} * * *`, unlessOne(given.daysInterval, "days"));
  }
}

function ruleOfTime({ mode, hour, minute, ...given }: z.infer<typeof triggerTime>): ScheduleRule {
  switch (mode) {
    case "everyMinute":
      return cron("* * * * *");
    case "everyHour":
      return cron(`${minute} * * * *`);
    case "everyX":
      return everyUnit(given.value, given.unit);
    case "everyWeek":
      return cron(`${minute} ${hour} * * ${given.weekday}`);
    case "everyMonth":
      return cron(`${minute} ${hour} ${given.dayOfMonth} * *`);
    case "custom":
      return cron(given.cronExpression.trim());
    default:
      return cron(`${minute} ${hour} * * *`);
  }
}

function readEach<Schema extends z.ZodType>(
  schema: Schema,
  all: readonly unknown[],
  rule: (one: z.infer<Schema>) => ScheduleRule,
): ScheduleRule[] {
  return all.flatMap((one) => {
    const { data } = schema.safeParse(one);
    return data === undefined ? [] : [rule(data)];
  });
}

const READERS: Readonly<Record<string, (parameters: object) => ScheduleRule[]>> = {
  "n8n-nodes-base.scheduleTrigger": (parameters) => {
    const read = scheduleTrigger.safeParse({ rule: {}, ...parameters });
    return readEach(interval, read.data?.rule.interval ?? [], ruleOf);
  },
  "n8n-nodes-base.cron": (parameters) =>
    readEach(triggerTime, cronNode.safeParse(parameters).data?.triggerTimes.item ?? [], ruleOfTime),
  "n8n-nodes-base.interval": (parameters) =>
    readEach(intervalNode, [parameters], ({ interval: many, unit }) => everyUnit(many, unit)),
};

/** @param nodes as n8n sends them */
export function scheduleRules(nodes: readonly unknown[]): ScheduleRule[] {
  return nodes.flatMap((one) => {
    const { data } = node.safeParse(one);
    return data === undefined || data.disabled ? [] : (READERS[data.type]?.(data.parameters) ?? []);
  });
}
