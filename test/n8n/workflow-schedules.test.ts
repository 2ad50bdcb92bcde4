/** The rules of n8n's three schedule nodes, with defaults that n8n does not store. */
import { expect, test } from "vitest";
import { scheduleRules } from "../../src/n8n/workflow-schedules.ts";

const node = (type: string, parameters: unknown, more: object = {}) => ({
  ...{ type: `n8n-nodes-base.${type}`, name: "Clock", parameters },
  ...more,
});
const trigger = (...interval: unknown[]) => node("scheduleTrigger", { rule: { interval } });
const cron = (pattern: string) => ({ pattern });
const interval = (everyMs: number) => ({ everyMs });
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test.each([
  [{}, cron("0 0 * * *")],
  [{ field: "seconds", secondsInterval: 20 }, interval(20_000)],
  [{ field: "minutes" }, cron("*/5 * * * *")],
  [{ field: "minutes", minutesInterval: 50 }, interval(50 * MINUTE)],
  [{ field: "hours", hoursInterval: 6, triggerAtMinute: 7 }, cron("7 */6 * * *")],
  [{ field: "hours", hoursInterval: 18 }, interval(18 * 60 * MINUTE)],
  [{ field: "days", triggerAtHour: 9, triggerAtMinute: 30 }, cron("30 9 * * *")],
  [{ field: "days", daysInterval: 3 }, interval(4 * DAY)],
  [{ field: "weeks", triggerAtDay: [1, 5], triggerAtHour: 9 }, cron("0 9 * * 1,5")],
  [{ field: "weeks", weeksInterval: 2 }, interval(15 * DAY)],
  [{ field: "weeks", triggerAtDay: [] }, cron("0 0 * * *")],
  [{ field: "months", triggerAtDayOfMonth: 28 }, cron("0 0 28 */1 *")],
  [{ field: "months", monthsInterval: 5 }, interval(156 * DAY)],
  [{ field: "cronExpression", expression: " 0 0 6 * * 1-5 " }, cron("0 0 6 * * 1-5")],
])("Schedule Trigger %j", (given, rule) => {
  expect(scheduleRules([trigger(given)])).toEqual([rule]);
});

test.each([
  [{ item: [{ mode: "everyX", value: 10, unit: "minutes" }] }, interval(10 * MINUTE)],
  [{ item: [{ mode: "everyWeek", weekday: "3", hour: 8 }] }, cron("0 8 * * 3")],
  [{ item: [{ mode: "everyMonth", dayOfMonth: 15 }] }, cron("0 14 15 * *")],
  [{ item: [{ mode: "everyHour", minute: 12 }] }, cron("12 * * * *")],
  [{ item: [{ mode: "everyMinute" }] }, cron("* * * * *")],
  [{ item: [{ mode: "custom", cronExpression: "5 4 * * *" }] }, cron("5 4 * * *")],
  [{ item: [{}] }, cron("0 14 * * *")],
])("Cron node %j", (triggerTimes, rule) => {
  expect(scheduleRules([node("cron", { triggerTimes })])).toEqual([rule]);
});

test("the Interval node, several rules and several nodes are read", () => {
  const nodes = [
    node("interval", { interval: 2, unit: "hours" }),
    trigger({ field: "minutes" }, { field: "hours" }),
    node("httpRequest", {}),
  ];
  expect(scheduleRules(nodes)).toEqual([interval(120 * MINUTE), cron("*/5 * * * *"), cron("0 */1 * * *")]);
});

test("disabled nodes, expressions and unknown forms are skipped", () => {
  const nodes = [
    node("scheduleTrigger", {}, { disabled: true }),
    trigger({ field: "minutes", minutesInterval: "={{ $vars.often }}" }, null, 7),
    trigger({ field: "cronExpression", expression: "={{ $vars.when }}" }),
    node("cron", { triggerTimes: "often" }),
    ...[null, "text", { type: 1 }],
  ];
  expect(scheduleRules(nodes)).toEqual([]);
  expect(scheduleRules([node("scheduleTrigger", {})])).toEqual([cron("0 0 * * *")]);
});
