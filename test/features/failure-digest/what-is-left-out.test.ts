/** Incomplete counts say so, in `summarize_failures` and in `query_executions`. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { View } from "../../../src/n8n/view.ts";
import { failure } from "../../support/fake-n8n.ts";
import {
  at,
  crashed,
  digestIn,
  executionsOf,
  failed,
  HOUR,
  iso,
  knownN8n,
  NOW,
  run,
  times,
  workflowOf,
  workflowsOf,
} from "./known-n8n.ts";

const UNKNOWN_FORM = "Executions in a form that this server does not know are not counted.";
const OUTDATED = "Some executions were not looked at again and count as they were before: call again.";

/** Fails at each page except the first, so that older executions cannot be read. */
function failsBelowFirstPage(url: URL): Response | undefined {
  const isBelow = (url.searchParams.get("cursor") ?? "") !== "";
  return isBelow ? failure(500) : workflowsOf()(url);
}

describe.each(["query_executions", "summarize_failures"])("%s says that counts are incomplete", (tool) => {
  test("where executions are listed in an unknown form", async () => {
    const runs = [run("old", 100), ...[5, 4, 3, 2].map((hours) => failed("orders", hours))];
    const odd = executionsOf(runs).map((one) =>
      ["2", "3", "4"].includes(one.id) ? { ...one, mode: { name: "webhook" } } : one,
    );
    const answer = await knownN8n(odd).ask(tool, { hours: 24 });
    expect(answer.status).toBe("success");
    expect(answer.message).toContain(UNKNOWN_FORM);
    // They may belong to a hidden workflow.
    const view = View.from({ seen: ["orders"], data: ["orders"] });
    const toWhoSeesOne = await knownN8n(odd, { view }).ask(tool, { hours: 24 });
    expect(toWhoSeesOne.message).not.toContain(UNKNOWN_FORM);
    const usual = await knownN8n(executionsOf(runs)).ask(tool, { hours: 24 });
    expect(usual.message).not.toContain(UNKNOWN_FORM);
  });

  test.each([
    [250, false],
    [600, true],
  ])("if more ended at once than a call looks at (%i: %s)", async (count, isOutdated) => {
    const runs = [
      run("orders", 100),
      ...times(count, (index) => at(101 + index, run("slow", 3 - index / 1_000, { status: "running" }))),
      ...times(300, (index) => at(701 + index, run("orders", 2.5 - index / 200))),
    ];
    const { n8n, clock, learn, ask } = knownN8n(executionsOf(runs));
    await learn();
    clock.time += HOUR;
    const newer = times(30, (index) => at(1_001 + index, run("orders", -0.1 - index / 100)));
    n8n.executions = executionsOf([
      ...runs.map((one) => (one.status === "running" ? crashed(one) : one)),
      ...newer,
    ]);
    const asked = n8n.requests.length;
    const answer = await ask(tool, { hours: 24 });
    expect(answer.message?.includes(OUTDATED)).toBe(isOutdated);
    expect(n8n.requests.length - asked).toBeLessThan(450);
    expect(answer).toMatchObject({ data: { totals: { failures: isOutdated ? 400 : count } } });
  });
});

describe("a single group", () => {
  test("is not reported as missing where its failures were not read", async () => {
    const runs = [
      run("old", 200),
      ...times(20, (index) =>
        failed("tax", 15 + index / 50, {
          error: { node: "Other", name: "TypeError", message: "is not a function" },
        }),
      ),
      ...times(150, (index) => failed("orders", 0.1 + index / 50)),
    ];
    const whole = digestIn(await knownN8n(executionsOf(runs)).digest({ hours: 24 }));
    const asked = { hours: 24, group: whole.groups.find(({ workflowId }) => workflowId === "tax")?.group };
    const { n8n, digest } = knownN8n(executionsOf(runs));
    n8n.intercept = failsBelowFirstPage;
    expect(await digest(asked)).toMatchObject({ status: "error", data: { code: "N8N_UNREACHABLE" } });
    n8n.intercept = workflowsOf();
    expect(await digest(asked)).toMatchObject({
      status: "success",
      data: { groups: [{ workflowId: "tax", count: 20 }] },
    });
  });

  test("is not reported as missing where the window was not read in time", async () => {
    const runs = [run("old", 200), ...times(150, (index) => failed("orders", 0.1 + index / 50))];
    const { n8n, clock, digest } = knownN8n(executionsOf(runs));
    n8n.intercept = (url) => {
      clock.time += url.pathname.includes("/executions") ? 2_000 : 0;
      return workflowsOf()(url);
    };
    expect(await digest({ hours: 24, group: "f-0123456789", timeBudgetMs: 3_000 })).toMatchObject({
      status: "error",
      data: { code: "N8N_TIMEOUT", details: { solution: "Call again to continue." } },
    });
  });

  test("is reported with the time of its knowledge where n8n cannot be asked", async () => {
    const runs = [run("old", 200), ...[5, 4, 3].map((hours) => failed("orders", hours))];
    const { n8n, clock, learn, digest } = knownN8n(executionsOf(runs));
    await learn();
    const [first] = digestIn(await digest({ hours: 24 })).groups;
    n8n.intercept = (url) => (url.pathname.includes("/executions") ? failure(500) : workflowsOf()(url));
    clock.time += 2 * HOUR;
    const one = await digest({ hours: 24, group: first?.group });
    expect(one.message).toContain(`This is what was known at ${iso(NOW)}: n8n could not be asked`);
  });

  test("that n8n has deleted has no explanation as the next step", async () => {
    const { n8n, learn, digest } = knownN8n(
      executionsOf([run("old", 100), failed("tax", 3), run("orders", 2)]),
    );
    await learn();
    n8n.executions = n8n.executions.filter(({ workflowId }) => workflowId !== "tax");
    const answer = await digest({ hours: 24 });
    expect(digestIn(answer).groups).toMatchObject([{ workflowId: "tax", count: 1 }]);
    expect(JSON.stringify(answer)).not.toContain("explain_failure");
  });
});

test("more groups than are read are all counted, and those not shown are mentioned", async () => {
  const runs = [run("old", 200), ...times(520, (index) => failed(`w${index}`, 1 + index / 100))];
  const { digest } = knownN8n(executionsOf(runs), { scopes: ["n8n:read"] });
  const answer = await digest({ hours: 24 });
  const { groups, notShown } = digestIn(answer);
  expect(groups.length + notShown.groups).toBe(520);
  expect(answer.message).toContain("520 kinds of failure in 520 workflows (520 executions;");
});

describe("groups with names too long for one answer", () => {
  const name = "Обработка заказов и возвратов по всем складам и магазинам за отчётный период";
  const letters = "абвгдежзиклмнопрстуфхцчшщыэюя";
  const runs = times(40, (index) =>
    failed("orders", 20 - index / 4, {
      error: {
        ...{
          node: `Запросить данные ${index} о состоянии заказа в системе учёта склада`,
          name: "NodeApiError",
        },
        ...{ message: `Отказ ${letters.slice(index % 9, 9 + (index % 20))} ${letters.slice(0, index / 2)}` },
      },
    }),
  );
  const named = executionsOf([run("orders", 300), ...runs]).map((one) => ({
    ...one,
    workflowData: { name, nodes: [] },
  }));
  const left = z.looseObject({
    leftOut: z.looseObject({ _guidance: z.looseObject({ example: z.string() }) }),
  });
  const argumentsIn = (example: string) =>
    z.record(z.string(), z.unknown()).parse(JSON.parse(example.slice(example.indexOf("(") + 1, -1)));

  test("all come in the calls that the answers name", async () => {
    const { n8n, digest } = knownN8n(named);
    n8n.intercept = workflowsOf([workflowOf("orders", { name })]);
    const seen: string[] = [];
    let asked: Record<string, unknown> = { hours: 24, workflowName: name };
    let total = 0;
    for (let calls = 0; calls < 10; calls += 1) {
      const answer = await digest(asked);
      const { groups, nextOffset } = digestIn(answer);
      total = Number(answer.message?.match(/(\d+) kinds of failure/)?.[1] ?? total);
      seen.push(...groups.map(({ group }) => group));
      const cut = left.safeParse(answer.meta).data;
      if (cut !== undefined && groups.length < 20) asked = argumentsIn(cut.leftOut._guidance.example);
      else if (typeof nextOffset === "number") asked = { ...asked, offset: nextOffset };
      else break;
    }
    expect(total).toBeGreaterThan(20);
    expect(new Set(seen).size).toBe(total);
    expect(seen).toHaveLength(total);
  });
});

test("a group is explained next by an execution of its own", async () => {
  const other = { node: "Store", name: "TypeError", message: "not a function" };
  const { digest } = knownN8n(
    executionsOf([run("old", 200), failed("tax", 3), failed("tax", 2), failed("tax", 1, { error: other })]),
  );
  const { groups } = digestIn(await digest({ hours: 24 }));
  const second = await digest({ hours: 24, group: groups[1]?.group });
  expect(second.data).toMatchObject({ _guidance: { example: 'explain_failure({"executionId":"4"})' } });
});

test("a workflow has the name that n8n lists, also where it ran with another", async () => {
  const { n8n, digest } = knownN8n(executionsOf([run("old", 200), failed("orders", 3)]));
  n8n.intercept = workflowsOf([workflowOf("orders", { name: "Orders of today" }), workflowOf("old")]);
  expect(digestIn(await digest({ hours: 24 })).groups).toMatchObject([{ workflowName: "Orders of today" }]);
});
