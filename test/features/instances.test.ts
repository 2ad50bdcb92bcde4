/** The tools with several n8n instances: which one is asked and named, and that none hides another's data. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { TOOLS, toolsForInstances } from "../../src/features/index.ts";
import type { ErrorCode } from "../../src/platform/errors.ts";
import { type Caller, createCaller } from "../support/call-recorded.ts";
import { dataOf, errorOf } from "../support/envelopes.ts";
import {
  type FakeExecution,
  failure,
  fakeExecution,
  fakeHistory,
  jsonAnswer,
  webhookData,
} from "../support/fake-n8n.ts";
import { addressOf, createNamedN8ns, keyOf, type NamedN8ns } from "../support/named-n8ns.ts";
import { countTokens } from "../support/token-counts.ts";

const failed = (id: number, requestId: string): FakeExecution =>
  fakeExecution(id, requestId, { status: "error" });

/** The same ids in every instance, but never the same execution. */
const HISTORIES = {
  prod: [fakeExecution(1, "both"), fakeExecution(2, "only-prod"), fakeExecution(3, "x")],
  staging: [failed(1, "only-staging"), failed(2, "both"), fakeExecution(3, "y")],
  dev: [fakeExecution(1, "z")],
};

interface Setup {
  readonly n8ns: NamedN8ns;
  readonly caller: Caller;
}

function setUp(histories: Record<string, readonly FakeExecution[]> = HISTORIES): Setup {
  const n8ns = createNamedN8ns(histories);
  return { n8ns, caller: createCaller({ settings: n8ns.settings, fetch: n8ns.fetch }) };
}

const entry = z.looseObject({
  instance: z.string(),
  outcome: z.string().optional(),
  error: z.looseObject({ code: z.string(), message: z.string(), solution: z.string() }).optional(),
});
const trace = z.looseObject({
  instance: z.string().nullable(),
  found: z.boolean(),
  outcome: z.string(),
  executionUrl: z.string().optional(),
  executions: z.array(z.looseObject({ id: z.string(), workflowId: z.string() })),
  coverage: z.looseObject({ complete: z.boolean(), scannedExecutions: z.number() }),
  instances: z.array(entry).optional(),
  traceId: z.string(),
  _guidance: z.object({ message: z.string(), example: z.string() }),
});

async function traceOf(caller: Caller, args: object): Promise<z.infer<typeof trace> & { message: string }> {
  const envelope = await caller.call("trace_request", args);
  return { ...dataOf(envelope, trace), message: envelope.message ?? "" };
}

const outcomes = ({ instances = [] }: z.infer<typeof trace>) =>
  instances.map(({ instance, outcome, error }) => `${instance}: ${outcome ?? error?.code}`);

/** Tools that ask about one execution or workflow, with arguments that work. */
const OF_ONE: readonly [string, object][] = [
  ["search_executions", { text: "nothing" }],
  ["get_execution", { id: "1" }],
  ["explain_failure", { executionId: "1" }],
  ["summarize_failures", {}],
  ["explain_agent_run", { executionId: "1" }],
  ["get_execution_by_node", { id: "1", nodeName: "Webhook" }],
  ["get_execution_details", { executionId: "1" }],
  ["compare_executions", { id: "1" }],
  ["get_workflow_executions", {}],
  ["list_workflows", {}],
  ["map_mcp_server", {}],
  ["audit_workflow", {}],
  ["check_tool_contract", { workflowId: "w1" }],
  ["get_workflow", { workflowId: "w1" }],
  ["diff_workflow", { workflowId: "w1" }],
];

describe("a tool about one execution or workflow", () => {
  test("is every tool except those that ask all instances, and the one that asks none", () => {
    const otherTools = ["trace_request", "query_executions", "check_connection", "validate_atdf"];
    expect([...OF_ONE.map(([name]) => name), ...otherTools].sort()).toEqual(
      TOOLS.map(({ name }) => name).sort(),
    );
  });

  test.each(OF_ONE)("%s requires an instance, and lists them", async (name, args) => {
    const { n8ns, caller } = setUp();
    const { message, details } = errorOf(await caller.call(name, args), "VALIDATION_ERROR");
    expect(message).toContain(`${name} needs instance`);
    expect(details.field).toBe("instance");
    expect(details.solution).toContain("prod, staging, dev");
    expect([...n8ns.n8ns.values()].flatMap(({ requests }) => requests)).toEqual([]);
  });

  test.each(OF_ONE)("%s rejects an unknown instance, and lists the known ones", async (name, args) => {
    const { caller } = setUp();
    const answer = await caller.call(name, { ...args, instance: "stagin" });
    const { details } = errorOf(answer, "INSTANCE_NOT_FOUND");
    expect(details.candidates).toContain("staging");
    expect(details.solution).toContain("prod, staging, dev");
    expect(JSON.stringify(answer)).not.toContain('stagin"');
  });

  test.each(["prod", "staging"])("asks only %s, with its key, and names it with its URL", async (name) => {
    const { n8ns, caller } = setUp();
    const answer = await caller.call("get_execution", { id: "2", instance: name });
    const shape = z.looseObject({
      instance: z.string(),
      status: z.string(),
      url: z.string(),
      _guidance: z.object({ message: z.string(), example: z.string() }),
    });
    const data = dataOf(answer, shape);
    expect(data).toMatchObject({
      instance: name,
      status: name === "prod" ? "success" : "error",
      url: `${addressOf(name)}/workflow/w1/executions/2`,
    });
    expect(answer.message).toMatch(new RegExp(`^In ${name}: Execution 2`));
    expect(data._guidance.example).toMatch(
      name === "prod"
        ? /^get_execution_by_node\(\{"instance":"prod","id":"2"/
        : /^explain_failure\(\{"instance":"staging","executionId":"2"\}\)$/,
    );
    const asked = [...n8ns.n8ns].filter(([, { requests }]) => requests.length > 0).map(([each]) => each);
    expect(asked).toEqual([name]);
    expect(n8ns.crossed).toEqual([]);
  });

  test("names the instance of an error, and its setting", async () => {
    const { n8ns, caller } = setUp();
    n8ns.named("staging").intercept = () => failure(401);
    const refused = errorOf(
      await caller.call("get_execution", { id: "2", instance: "staging" }),
      "N8N_UNAUTHORIZED",
    );
    expect(refused.message).toBe("In staging: n8n does not accept the API key.");
    expect(refused.details).toMatchObject({
      instance: "staging",
      field: "apiKey of staging in N8N_INSTANCES",
    });
    expect(refused.details.solution).toContain("set apiKey of staging in N8N_INSTANCES");
    expect(JSON.stringify(refused)).not.toContain("N8N_API_KEY");
    dataOf(await caller.call("get_execution", { id: "2", instance: "prod" }), z.looseObject({}));
  });

  test("names the instance in a suggested call", async () => {
    const { n8ns, caller } = setUp();
    n8ns.named("prod").intercept = ({ pathname }) =>
      pathname.includes("/workflows/w1/") ? failure(404) : undefined;
    const args = { workflowId: "w1", from: "v1", to: "v2", instance: "prod" };
    const { details } = errorOf(await caller.call("diff_workflow", args), "WORKFLOW_NOT_FOUND");
    expect(details.solution).toContain('diff_workflow({"instance":"prod","workflowId":"w1"})');
  });

  test("does not take a node's name for a suggested call", async () => {
    const name = 'x get_execution({"id":"1"})';
    const nodes = [{ name, type: "n8n-nodes-base.set" }];
    const data = {
      resultData: {
        runData: { [name]: [{ startTime: 1, executionTime: 1, executionStatus: "success", source: [] }] },
        lastNodeExecuted: name,
      },
    };
    const { caller } = setUp({
      ...HISTORIES,
      prod: [fakeExecution(1, "a", { status: "success", workflowData: { name: "w", nodes }, data })],
    });
    const answer = await caller.call("get_execution", { id: "1", instance: "prod" });
    const { _guidance } = dataOf(answer, z.looseObject({ _guidance: z.object({ example: z.string() }) }));
    expect(_guidance.example).toBe(
      `get_execution_by_node(${JSON.stringify({ instance: "prod", id: "1", nodeName: name })})`,
    );
  });

  test("is not validate_atdf, which accepts no instance", async () => {
    const { caller } = setUp();
    dataOf(
      await caller.call("validate_atdf", { atdf: "description: x" }),
      z.looseObject({ valid: z.boolean() }),
    );
    errorOf(await caller.call("validate_atdf", { atdf: "x", instance: "prod" }), "VALIDATION_ERROR");
  });
});

describe("a count over all instances", () => {
  const counts = z.looseObject({
    totals: z.object({ count: z.number(), failures: z.number() }),
    groups: z.array(z.looseObject({ instance: z.string(), count: z.number(), failures: z.number() })),
    _guidance: z.object({ example: z.string() }),
  });
  const WINDOW = { startedAfter: "2026-01-01", startedBefore: "2026-12-31" };

  test("is grouped by instance, and leads to the one with most failures", async () => {
    const { n8ns, caller } = setUp();
    const answer = await caller.call("query_executions", { ...WINDOW, sortBy: "failures" });
    const { totals, groups, _guidance } = dataOf(answer, counts);
    expect(totals).toEqual({ count: 7, failures: 2 });
    expect(groups.map(({ instance, count, failures }) => [instance, count, failures])).toEqual([
      ["prod", 3, 0],
      ["staging", 3, 2],
      ["dev", 1, 0],
    ]);
    expect(answer.message).toMatch(
      /^7 executions in 3 n8n instances, 2 failed\. In prod: From .* In staging: From /,
    );
    expect(_guidance.example).toMatch(/^summarize_failures\(\{"instance":"staging",/);
    expect(n8ns.crossed).toEqual([]);
  });

  test("contains the groups of each, with its instance", async () => {
    const { caller } = setUp();
    const { groups } = dataOf(
      await caller.call("query_executions", { ...WINDOW, groupBy: ["status"] }),
      counts,
    );
    expect(groups.map(({ instance, status, count }) => [instance, status, count])).toEqual([
      ["prod", "success", 3],
      ["staging", "error", 2],
      ["staging", "success", 1],
      ["dev", "success", 1],
    ]);
  });

  test("names the instances that could not be asked, and is an error if none could", async () => {
    const { n8ns, caller } = setUp();
    n8ns.named("prod").intercept = () => failure(401);
    const answer = await caller.call("query_executions", WINDOW);
    expect(dataOf(answer, counts).totals.count).toBe(4);
    expect(answer.message).toContain("In prod: n8n does not accept the API key.");
    const refused = setUp();
    for (const name of ["prod", "staging", "dev"]) refused.n8ns.named(name).intercept = () => failure(401);
    errorOf(await refused.caller.call("query_executions", WINDOW), "N8N_UNAUTHORIZED");
  });

  test("is limited to one on request", async () => {
    const { caller } = setUp();
    const answer = await caller.call("query_executions", { ...WINDOW, instance: "dev" });
    expect(dataOf(answer, z.looseObject({ instance: z.string(), totals: z.looseObject({}) }))).toMatchObject({
      instance: "dev",
      totals: { count: 1 },
    });
  });
});

describe("a trace over all instances", () => {
  test("names the one that has the request, with its URL", async () => {
    const { n8ns, caller } = setUp();
    const found = await traceOf(caller, { requestId: "only-prod" });
    expect(found).toMatchObject({ instance: "prod", found: true, outcome: "success" });
    expect(found).toMatchObject({
      executionUrl: `${addressOf("prod")}/workflow/{workflowId}/executions/{executionId}`,
      executions: [{ workflowId: "w1", id: "2" }],
    });
    expect(found.message).toBe(
      'In prod: Request "only-prod" succeeded in "orders" (execution 2) after 500 ms. Not found in staging, dev, read to the end.',
    );
    expect(outcomes(found)).toEqual(["prod: success", "staging: not_found", "dev: not_found"]);
    expect(found._guidance.example).toBe('explain_failure({"instance":"prod","executionId":"2"})');
    expect(n8ns.crossed).toEqual([]);
  });

  test("reports a request that two have for both, the failure first", async () => {
    const { caller } = setUp();
    const found = await traceOf(caller, { requestId: "both" });
    expect(found).toMatchObject({ instance: "staging", outcome: "error" });
    expect(found.message).toMatch(
      /^In staging: .* failed at node .* In prod, too: .* succeeded in .*execution 1/,
    );
    expect(found.instances?.[0]).toMatchObject({
      instance: "prod",
      outcome: "success",
      url: `${addressOf("prod")}/workflow/w1/executions/1`,
    });
    const other = await traceOf(caller, { instance: "prod", traceId: found.traceId });
    expect(other).toMatchObject({ instance: "prod", outcome: "success", executions: [{ id: "1" }] });
  });

  test("reports a request that none has after it read all to the end", async () => {
    const { caller } = setUp();
    const none = await traceOf(caller, { requestId: "nowhere" });
    expect(none).toMatchObject({
      instance: null,
      found: false,
      outcome: "not_found",
      coverage: { complete: true, scannedExecutions: 7 },
    });
    expect(none.message).toBe(
      'Request "nowhere" was not found. Not found in prod, staging, dev, read to the end.',
    );
  });

  test("names the instance that only mentions the request", async () => {
    const { caller } = setUp({
      ...HISTORIES,
      dev: [fakeExecution(1, "z", { data: webhookData({ note: "mentioned-only" }) })],
    });
    const found = await traceOf(caller, { requestId: "mentioned-only" });
    expect(found).toMatchObject({ instance: "dev", found: false, outcome: "not_found" });
    expect(found.executionUrl).toContain(addressOf("dev"));
  });

  test("shows what one instance has, even if another fails", async () => {
    const { n8ns, caller } = setUp();
    n8ns.named("staging").intercept = () => failure(401);
    const found = await traceOf(caller, { requestId: "only-prod" });
    expect(found).toMatchObject({ instance: "prod", found: true, coverage: { complete: false } });
    expect(found.message).toContain("staging could not be asked (N8N_UNAUTHORIZED).");
    expect(outcomes(found)).toEqual(["prod: success", "staging: N8N_UNAUTHORIZED", "dev: not_found"]);
  });

  test('reports "not found yet" if an instance fails, with its error and a call that continues', async () => {
    const { n8ns, caller } = setUp();
    n8ns.named("staging").intercept = () => failure(401);
    const none = await traceOf(caller, { requestId: "only-staging" });
    expect(none).toMatchObject({ found: false, outcome: "not_found_yet", coverage: { complete: false } });
    expect(none.instances?.[1]?.error?.solution).toContain("apiKey of staging in N8N_INSTANCES");
    expect(none._guidance.example).toBe(`trace_request({"traceId":"${none.traceId}"})`);
    n8ns.named("staging").intercept = () => undefined;
    const later = await traceOf(caller, { traceId: none.traceId });
    expect(later).toMatchObject({ instance: "staging", found: true, outcome: "error" });
  });

  test("continues in each by one id, if not all was read", async () => {
    const { n8ns, caller } = setUp({ prod: fakeHistory(30), staging: fakeHistory(30) });
    const begun = await traceOf(caller, { requestId: "nowhere", limit: 10, deep: true });
    expect(begun).toMatchObject({ outcome: "not_found_yet", coverage: { complete: false } });
    expect(begun.message).toContain("Not read to the end: prod, staging.");
    for (const { sent } of n8ns.n8ns.values()) sent.length = 0;
    const ended = await traceOf(caller, { traceId: begun.traceId });
    expect(ended).toMatchObject({ outcome: "not_found", traceId: begun.traceId });
    for (const { sent } of n8ns.n8ns.values()) expect(sent.length).toBeLessThan(30);
  });

  test("starts in an instance that could not be asked before", async () => {
    const { n8ns, caller } = setUp({ ...HISTORIES, prod: fakeHistory(3) });
    // Digits are looked up as an execution id first, so this fails before a trace exists.
    n8ns.named("staging").intercept = () => failure(401);
    n8ns.named("staging").executions.push(failed(77, "424242"));
    const begun = await traceOf(caller, { requestId: "424242" });
    expect(outcomes(begun)).toContain("staging: N8N_UNAUTHORIZED");
    n8ns.named("staging").intercept = () => undefined;
    const later = await traceOf(caller, { traceId: begun.traceId });
    expect(later).toMatchObject({ instance: "staging", found: true, traceId: begun.traceId });
  });

  describe("starts there with the original arguments:", () => {
    async function begunLater(executions: readonly FakeExecution[], args: object) {
      const { n8ns, caller } = setUp({ prod: fakeHistory(3), staging: executions });
      n8ns.named("staging").intercept = () => failure(401);
      const begun = await traceOf(caller, { requestId: "424242", ...args });
      expect(outcomes(begun)).toContain("staging: N8N_UNAUTHORIZED");
      n8ns.named("staging").intercept = () => undefined;
      return await traceOf(caller, { traceId: begun.traceId });
    }

    test("the window", async () => {
      const executions = [fakeExecution(1, "424242"), fakeExecution(5, "x"), fakeExecution(9, "424242")];
      const startedAfter = "2026-01-01T00:00:03.000Z";
      const startedBefore = "2026-01-01T00:00:07.000Z";
      expect(await begunLater(executions, { startedAfter, startedBefore })).toMatchObject({
        outcome: "not_found",
        coverage: { complete: true },
      });
    });

    test("deep", async () => {
      const pads = Array.from({ length: 400 }, (_one, index) => ({ pad: `word${index} `.repeat(150) }));
      const mentioning = fakeExecution(5, "x", { data: webhookData(...pads, { note: "424242" }) });
      expect(await begunLater([mentioning], { deep: true })).toMatchObject({
        executions: [{ id: "5", role: "related" }],
      });
    });
  });

  test("shares one time budget: an instance that starts later gets what is left", async () => {
    const n8ns = createNamedN8ns({ prod: fakeHistory(3), staging: fakeHistory(300) });
    let now = Date.now();
    const caller = createCaller({ settings: n8ns.settings, fetch: n8ns.fetch, now: () => now });
    n8ns.named("staging").intercept = () => failure(401);
    const begun = await traceOf(caller, { requestId: "424242" });
    const took = (seconds: number) => () => {
      now += seconds * 1_000;
      return undefined;
    };
    n8ns.named("prod").intercept = took(5);
    n8ns.named("staging").intercept = took(1);
    const later = await traceOf(caller, { traceId: begun.traceId, timeBudgetMs: 20_000 });
    expect(later.instances).toMatchObject([
      { instance: "prod", complete: true },
      { instance: "staging", stoppedBy: "time" },
    ]);
  });

  test("that was started in one continues only there", async () => {
    const { n8ns, caller } = setUp();
    const begun = await traceOf(caller, { requestId: "both", instance: "prod" });
    expect(begun).toMatchObject({ instance: "prod", outcome: "success" });
    for (const { requests } of n8ns.n8ns.values()) requests.length = 0;
    const again = await traceOf(caller, { traceId: begun.traceId });
    expect(again).toMatchObject({ instance: "prod", outcome: "success" });
    expect(outcomes(again)).toEqual(["prod: success"]);
    expect(n8ns.named("staging").requests).toEqual([]);
    const elsewhere = await caller.call("trace_request", { traceId: begun.traceId, instance: "staging" });
    errorOf(elsewhere, "TRACE_NOT_FOUND");
  });

  test.each<[string, ErrorCode, object]>([
    ["that nobody started", "TRACE_NOT_FOUND", { traceId: "trace_all-00000000-0000" }],
    ["without arguments", "VALIDATION_ERROR", {}],
    [
      "with reversed dates",
      "VALIDATION_ERROR",
      { requestId: "x", startedAfter: "2026-02-01", startedBefore: "2026-01-01" },
    ],
    ["with an unknown argument", "VALIDATION_ERROR", { requestId: "x", instances: ["prod"] }],
    ["in an unknown instance", "INSTANCE_NOT_FOUND", { requestId: "x", instance: "*" }],
  ])("%s is rejected once, not once per instance", async (_name, code, args) => {
    const { caller } = setUp();
    const { message } = errorOf(await caller.call("trace_request", args), code);
    expect(message).not.toMatch(/In (prod|staging|dev)/);
  });

  test("gives the reason of each if none can be asked", async () => {
    const { n8ns, caller } = setUp();
    for (const [name, status] of [
      ["prod", 401],
      ["staging", 403],
      ["dev", 401],
    ] as const)
      n8ns.named(name).intercept = () => failure(status);
    const { message, details } = errorOf(
      await caller.call("trace_request", { requestId: "both" }),
      "N8N_UNAUTHORIZED",
    );
    expect(message).toMatch(/In prod: .* API key\. In staging: .*scope.* In dev: /);
    expect(
      z
        .array(entry.extend({ code: z.string() }))
        .parse(details.instances)
        .map(({ code }) => code),
    ).toEqual(["N8N_UNAUTHORIZED", "N8N_FORBIDDEN", "N8N_UNAUTHORIZED"]);
  });

  test("by an execution's URL asks only its instance, and by an execution id all", async () => {
    const { n8ns, caller } = setUp();
    const address = `${addressOf("staging")}/workflow/w1/executions/2`;
    const found = await traceOf(caller, { requestId: address });
    expect(found).toMatchObject({ instance: "staging", foundAs: "executionId" });
    expect(found.message).toContain("The requested item does not exist in prod, dev.");
    expect(n8ns.named("prod").requests).toEqual([]);
    const byId = await traceOf(caller, { requestId: "execution:2" });
    expect(outcomes(byId)).toEqual(["prod: success", "staging: error", "dev: EXECUTION_NOT_FOUND"]);
    const nowhere = await caller.call("trace_request", {
      requestId: "https://other.test/workflow/w/executions/2",
    });
    expect(errorOf(nowhere, "VALIDATION_ERROR").message).toContain("not an address of this n8n");
  });

  test("of a workflow that one instance has is complete with that one", async () => {
    const { n8ns, caller } = setUp();
    n8ns.named("prod").intercept = ({ pathname }) =>
      pathname.endsWith("/workflows/w1") ? jsonAnswer({ id: "w1", name: "orders" }) : undefined;
    for (const name of ["staging", "dev"])
      n8ns.named(name).intercept = ({ pathname }) =>
        pathname.includes("/workflows/") ? failure(404) : undefined;
    const found = await traceOf(caller, { requestId: "both", workflowId: "w1" });
    expect(outcomes(found)).toEqual([
      "prod: success",
      "staging: WORKFLOW_NOT_FOUND",
      "dev: WORKFLOW_NOT_FOUND",
    ]);
    expect(found.coverage.complete).toBe(true);
  });

  test("reports the progress of all instances as one, which never goes back", async () => {
    const { caller } = setUp({ prod: fakeHistory(300), staging: fakeHistory(300) });
    await traceOf(caller, { requestId: "nowhere" });
    const done = caller.updates.map((update) => update.done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done.at(-1)).toBe(600);
    for (const message of caller.progress) expect(message).toMatch(/^(prod|staging): /);
  });

  test.each([
    ["one has", (name: string) => name === "n-3"],
    ["all have", () => true],
  ])("over twenty instances stays small when %s the request", async (_name, hasIt) => {
    const names = Array.from({ length: 20 }, (_one, index) => `n-${index}`);
    const deliveries = Array.from({ length: 40 }, (_one, index) =>
      fakeExecution(index + 1, "family", { workflowId: `workflow-${index}` }),
    );
    const history = (name: string) => (hasIt(name) ? deliveries : [fakeExecution(1, "other")]);
    const { caller } = setUp(Object.fromEntries(names.map((name) => [name, history(name)])));
    const answer = await caller.call("trace_request", { requestId: "family" });
    const { instances, executions } = dataOf(answer, trace);
    expect(executions.length).toBeGreaterThan(0);
    if (answer.meta.leftOut === undefined) expect(instances).toHaveLength(20);
    for (const name of names) expect(answer.message).toContain(name);
    expect(countTokens(JSON.stringify(answer))).toBeLessThan(2_500 + 19 * 80);
  });
});

describe("check_connection over all instances", () => {
  test("reports what the index of each knows, even if all checks pass", async () => {
    const { caller } = setUp();
    await caller.call("trace_request", { requestId: "nowhere", instance: "staging" });
    const { instances } = dataOf(
      await caller.call("check_connection"),
      z.looseObject({ instances: z.array(z.looseObject({ checks: z.array(z.looseObject({})) })) }),
    );
    expect(
      instances.map(({ checks }) => checks.filter(({ check }) => check === "history index")),
    ).toMatchObject([
      [{ status: "pass", detail: expect.stringMatching(/^It knows nothing yet/) }],
      [{ status: "pass", detail: expect.stringMatching(/^It knows 3 executions/) }],
      [{ status: "pass", detail: expect.stringMatching(/^It knows nothing yet/) }],
    ]);
  });

  test("reports what each failed, and stays small when nothing passes in twenty", async () => {
    const names = Array.from({ length: 20 }, (_one, index) => `customer-${index}`);
    const { n8ns, caller } = setUp(Object.fromEntries(names.map((name) => [name, []])));
    for (const name of names) n8ns.named(name).intercept = () => failure(401);
    const answer = await caller.call("check_connection");
    const checked = dataOf(
      answer,
      z.looseObject({
        ready: z.literal(false),
        instances: z.array(
          z.looseObject({
            instance: z.string(),
            ready: z.literal(false),
            checks: z.array(
              z.looseObject({
                check: z.string(),
                status: z.string(),
                detail: z.string(),
                solution: z.string().optional(),
              }),
            ),
          }),
        ),
      }),
    );
    expect(checked.instances.map(({ instance }) => instance)).toEqual(names);
    for (const { instance, checks } of checked.instances) {
      const key = checks.find(({ check }) => check === "key valid");
      expect(key?.detail).toBe("n8n does not accept the API key.");
      expect(key?.solution).toContain(`apiKey of ${instance} in N8N_INSTANCES`);
    }
    expect(answer.meta.leftOut).toBeUndefined();
    expect(answer.message).toMatch(/^0 of 20 n8n instances ready/);
  });
});

test("the activity log names the instance that a call asked, and * for all", async () => {
  const { caller } = setUp();
  await caller.call("get_execution", { id: "1", instance: "prod" });
  await caller.call("trace_request", { requestId: "both", instance: "dev" });
  await caller.call("trace_request", { requestId: "both" });
  await caller.call("check_connection", {});
  await caller.call("get_execution", { id: "1", instance: "a secret of somebody's" });
  const ended = caller.audit.filter(({ outcome }) => outcome !== "unfinished");
  expect(ended.map((line) => ("ids" in line ? line.ids.instance : null))).toEqual([
    "prod",
    "dev",
    "*",
    "*",
    undefined,
  ]);
  expect(JSON.stringify(caller.audit)).not.toContain("somebody");
});

test("the observer's own secrets of every instance are redacted in the answers of each", async () => {
  const payload = { body: { requestId: "leak", note: `mine ${keyOf("prod")} theirs ${keyOf("staging")}` } };
  const data = webhookData(payload);
  const { caller } = setUp({ ...HISTORIES, dev: [fakeExecution(1, "leak", { data })] });
  const answer = await caller.call("get_execution_details", { executionId: "1", instance: "dev" });
  const found = JSON.stringify(answer);
  expect(found).toContain("mine [REDACTED:own-secret] theirs [REDACTED:own-secret]");
  expect(found).not.toMatch(/api-key-of-/);
});

test("every tool that reads n8n takes an instance, and lists the names while they are few", () => {
  const few = toolsForInstances(TOOLS, ["prod", "staging"]);
  for (const { name, input } of few) {
    if (name === "validate_atdf") expect(input.shape).not.toHaveProperty("instance");
    else expect(z.toJSONSchema(input).properties?.instance).toMatchObject({ enum: ["prod", "staging"] });
  }
});

describe("a trace over several n8n instances", () => {
  test("takes digits for a request id before it takes them for another instance's execution id", async () => {
    const { caller } = setUp({
      prod: [fakeExecution(5, "12")],
      staging: [fakeExecution(12, "y", { status: "error" })],
    });
    const { data, message } = await caller.call("trace_request", { requestId: "12" });
    expect(data).toMatchObject({ outcome: "success", instance: "prod" });
    expect(message).toContain("In staging, something else: The request of execution 12 failed");
  });

  test("reports a mention that it shows", async () => {
    const mention = fakeExecution(5, "x", { data: webhookData({ body: { note: "see req-1" } }) });
    const { caller } = setUp({ prod: [fakeExecution(5, "x")], staging: [mention] });
    const { data, message } = await caller.call("trace_request", { requestId: "req-1" });
    expect(data).toMatchObject({ executions: [{ id: "5" }] });
    expect(message).toContain("It is mentioned in staging, not at a known request-id path.");
  });

  test("is not complete in an instance where an execution could not be read", async () => {
    const { n8ns, caller } = setUp({
      prod: [fakeExecution(5, "x")],
      staging: [fakeExecution(4, "y"), fakeExecution(5, "y")],
    });
    n8ns.named("staging").broken.add("4");
    expect((await caller.call("trace_request", { requestId: "req-1" })).message).toContain(
      "Not found in staging, where not everything could be read.",
    );
  });

  test("does not stop waiting because another instance has an execution of that number", async () => {
    const { n8ns } = setUp({ prod: [fakeExecution(1, "x")], staging: [fakeExecution(4711, "y")] });
    let time = Date.UTC(2026, 0, 1, 1);
    const sleep = async (milliseconds: number) => {
      time += milliseconds;
      n8ns.named("prod").executions = [fakeExecution(1, "x"), failed(2, "4711")];
    };
    const caller = createCaller({ settings: n8ns.settings, fetch: n8ns.fetch, now: () => time, sleep });
    const { data } = await caller.call("trace_request", { requestId: "4711", waitMs: 20_000 });
    expect(data).toMatchObject({ instance: "prod", outcome: "error" });
  });
});
