/**
 * Random histories under random rules: each answer equals that of an n8n that has only the workflows that the caller
 * may see, except for "another workflow", and contains nothing of the others.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { View } from "../../src/n8n/view.ts";
import { createCaller } from "../support/call-recorded.ts";
import type { FakeN8n } from "../support/fake-n8n.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { modelParameters, patient, sayingAtOnce } from "../support/model-runs.ts";
import { histories, nameOf, type Planned, ruledN8n, seenWorkflows, WORKFLOWS } from "../support/ruled-n8n.ts";

const NOW = Date.UTC(2026, 2, 30);

type Arguments = Readonly<Record<string, unknown>>;
type Call = readonly [tool: string, args: Arguments];

/** Facts of an execution that belongs to no other. */
const ALONE = { requestId: "", status: "success", parent: null, isHandler: false } as const;

function callsOn(history: readonly Planned[]): Call[] {
  const ids = history.map(({ id }) => String(id));
  const requests = [...new Set(history.map(({ requestId }) => requestId))].filter((id) => id !== "");
  const window = { startedAfter: "2026-03-01T00:00:00.000Z", startedBefore: "2026-03-30T00:00:00.000Z" };
  return [
    ...[...requests, "req-never-sent-0001"].map((requestId): Call => ["trace_request", { requestId }]),
    ...ids.map((id): Call => ["trace_request", { requestId: id }]),
    ...requests.map((requestId): Call => ["explain_failure", { requestId }]),
    ...ids.flatMap((id): Call[] => [
      ["get_execution", { id }],
      ["explain_failure", { executionId: id }],
      ["get_execution_by_node", { id, nodeName: "Webhook" }],
      ["get_execution_details", { executionId: id }],
      ["compare_executions", { id }],
      ["explain_agent_run", { executionId: id }],
    ]),
    ...WORKFLOWS.flatMap((workflowId): Call[] => [
      ["get_workflow", { workflowId }],
      ["get_workflow_executions", { workflowId }],
      ["get_workflow_executions", { workflowName: nameOf(workflowId) }],
      ["search_executions", { words: `word-of-${workflowId}` }],
      ["search_executions", { text: `ord-of-${workflowId.slice(0, 5)}` }],
      ["summarize_failures", { workflowId, ...window }],
    ]),
    ["get_workflow_executions", { limit: 3 }],
    ["get_workflow_executions", { limit: 100, status: "error" }],
    ["list_workflows", { limit: 2 }],
    ["list_workflows", {}],
    ["summarize_failures", window],
    ["query_executions", { groupBy: ["workflow", "status"], ...window }],
  ];
}

const callerOn = (n8n: FakeN8n, view = View.everything) => {
  return createCaller({ fetch: n8n.fetch, now: () => NOW, view });
};

/**
 * Removes what an n8n with fewer workflows could not know: that there is another one, gaps between ids, our own random
 * ids, and how far back the index knows n8n, which readings for anybody extend.
 */
function comparable(answer: unknown): unknown {
  const text = JSON.stringify(answer)
    .replace(/ It (?:comes from|leads into|went to) another workflow[^"]*?, which is not shown\./g, "")
    // A caller who may not see all is told that relations may be incomplete.
    .replace(/ \d+ ids? in between (?:is a gap|are gaps): [^."]*\./g, "")
    // Of a failed execution not even the workflow may be known, so such a caller is not told how many failed.
    .replace(
      /n8n failed to return \d+ executions?: each further call requests some again/g,
      "some executions whose workflow is not known could not be read",
    )
    .replace(/ that was read| Not all workflows of the instance were read\./g, "")
    .replace(/ Whether an execution from before \S+ hangs is not known yet\./g, "")
    .replace(/(?:trace|search)_[A-Za-z0-9-]{8,}/g, "ours");
  return JSON.parse(text, (key, value: unknown) => {
    if (isOfWorkflows(key, value)) return undefined;
    if (
      key === "otherWorkflows" ||
      key === "gaps" ||
      key === "timestamp" ||
      key === "oldestId" ||
      key === "evidenceInAll"
    )
      return undefined;
    if (Array.isArray(value)) return value.filter((one) => one !== ELSEWHERE);
    if (!leadsElsewhere(value)) return value;
    if (key === "subExecution") return undefined;
    return key === "parent" ? null : ELSEWHERE;
  });
}

/** Where n8n fails at a hidden execution, its page is halved, which changes the call that reads the rest of the page. */
const withoutReadNow = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(comparable(answer)).replace(/ of which \d+ had to be read now/g, ""),
    (key, value: unknown) => (key === "readNow" ? undefined : value),
  );

/** Words that no answer may contain to a caller who sees only these workflows. */
const namesOfHidden = (history: readonly Planned[], seen: readonly string[]): string[] => [
  ...history.filter(({ workflowId }) => !seen.includes(workflowId)).map(({ id }) => String(id)),
  ...WORKFLOWS.filter((id) => !seen.includes(id)).flatMap((id) => [id, nameOf(id)]),
];

const begunSearch = z.looseObject({ data: z.looseObject({ searchId: z.string() }) });

/** The argument that continues a search. @throws ZodError where the search failed */
const searchOf = (answer: unknown): { readonly searchId: string } => ({
  searchId: begunSearch.parse(answer).data.searchId,
});

const isOfWorkflows = (key: string, value: unknown): boolean =>
  key === "coverage" && typeof value === "object" && value !== null && "readWorkflows" in value;

const ELSEWHERE = "leads elsewhere";
const leadsElsewhere = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Reflect.get(value, "executionId") === "another workflow" ||
    String(Reflect.get(value, "sentence")).includes("another workflow, which is not shown"));

test("each answer equals that of an n8n without the hidden workflows", {
  timeout: 600_000,
  ...inBothLanes,
  ...patient,
}, async () => {
  const parameters = modelParameters(runs(120));
  await fc.assert(
    fc.asyncProperty(
      histories,
      seenWorkflows,
      // n8n fails to return every n-th execution, or none.
      fc.option(fc.integer({ min: 2, max: 9 })),
      sayingAtOnce(parameters, async (history, seen, failsEach) => {
        const ids: readonly string[] = seen;
        const view = View.from({ seen: ids, data: ids });
        const broken = history.filter((_one, index) => failsEach !== null && index % failsEach === 0);
        const failing = (n8n: FakeN8n): FakeN8n => {
          for (const { id } of broken) n8n.broken.add(String(id));
          return n8n;
        };
        const under = callerOn(failing(ruledN8n(history)), view);
        const alone = callerOn(failing(ruledN8n(history, (id) => ids.includes(id))));
        const compared = failsEach === null ? comparable : withoutReadNow;
        const expectAlike = async (tool: string, args: Arguments, argsAlone = args) => {
          const answer = await under.call(tool, args);
          const expected = await alone.call(tool, argsAlone);
          expect({ tool, args, answer: compared(answer) }).toEqual({
            tool,
            args,
            answer: compared(expected),
          });
          const hidden = namesOfHidden(history, ids).filter((word) => !JSON.stringify(args).includes(word));
          // The answer may repeat what was asked for.
          for (const word of hidden)
            expect(JSON.stringify(answer), `${tool} ${JSON.stringify(args)}`).not.toContain(word);
          return { answer, expected };
        };
        for (const [tool, args] of callsOn(history)) {
          const { answer, expected } = await expectAlike(tool, args);
          if (tool !== "search_executions") continue;
          const further = { ...args, ...searchOf(answer) };
          const continued = await expectAlike(tool, further, { ...args, ...searchOf(expected) });
          expect(JSON.stringify(continued.answer)).not.toContain("VALIDATION_ERROR");
        }
      }),
    ),
    parameters,
  );
});

test("the first search to read a hidden execution finds nothing in it", async () => {
  const history = WORKFLOWS.map(
    (workflowId, place): Planned => ({ ...ALONE, id: 7_301_000 + place, workflowId }),
  );
  for (const args of [{ words: "word-of-wfAlpha" }, { text: "ord-of-wfA" }]) {
    const ask = async (view?: View) =>
      JSON.stringify(await callerOn(ruledN8n(history), view).call("search_executions", args));
    expect(await ask()).toContain("7301000");
    expect(await ask(View.from({ seen: ["wfBeta"], data: ["wfBeta"] }))).not.toContain("7301000");
    // A caller who may see what happened, but not the payload, must not search it.
    expect(await ask(View.from({ seen: null, data: ["wfBeta"] }))).not.toContain("7301000");
  }
});

test("a search is complete for a caller although n8n fails to return a hidden execution", async () => {
  const n8n = ruledN8n([
    { ...ALONE, id: 7_301_000, workflowId: "wfAlpha" },
    { ...ALONE, id: 7_301_007, workflowId: "wfBeta" },
  ]);
  n8n.broken.add("7301000");
  const query = { words: "word-of-wfBeta" };
  const whole = { status: "success", data: { coverage: { complete: true, skipped: [] } } };
  const under = callerOn(n8n, View.from({ seen: ["wfBeta"], data: ["wfBeta"] }));
  const first = await under.call("search_executions", query);
  expect(first).toMatchObject(whole);
  expect(await under.call("search_executions", { ...query, ...searchOf(first) })).toMatchObject(whole);
  // A caller who may see that execution is told.
  const all = callerOn(n8n);
  const search = searchOf(await all.call("search_executions", query));
  expect(await all.call("search_executions", { ...query, ...search })).toMatchObject({
    data: { coverage: { complete: false } },
  });
});

test("a hidden id costs n8n the same as an unknown one, and gets the same words", async () => {
  const hidden: Planned = {
    ...ALONE,
    id: 7_301_000,
    workflowId: "wfAlpha",
    requestId: "req-hidden-0000-0001",
    status: "error",
  };
  const other: Planned = { ...hidden, id: 7_301_007, workflowId: "wfBeta", requestId: "req-seen-0000-0001" };
  const view = View.from({ seen: ["wfBeta"], data: ["wfBeta"] });
  const n8n = ruledN8n([hidden, other]);
  const under = callerOn(n8n, view);
  await under.call("trace_request", { requestId: "req-warm-up-0000" });
  const ask = async (tool: string, args: Record<string, string>) => {
    n8n.requests.length = 0;
    const answer = JSON.stringify(comparable(await under.call(tool, args)));
    const name = Object.values(args)[0] ?? "";
    return {
      answer: answer.replaceAll(name, "asked"),
      requests: n8n.requests.map((one) => one.replaceAll(name, "asked")),
    };
  };
  const pairs: [string, Record<string, string>, Record<string, string>][] = [
    ["trace_request", { requestId: "req-hidden-0000-0001" }, { requestId: "req-nobody-0000-0001" }],
    ["explain_failure", { requestId: "req-hidden-0000-0001" }, { requestId: "req-nobody-0000-0001" }],
    ["trace_request", { requestId: "7301000" }, { requestId: "7300999" }],
    ["get_execution", { id: "7301000" }, { id: "7300999" }],
    ["get_execution_by_node", { id: "7301000" }, { id: "7300999" }],
    ["explain_failure", { executionId: "7301000" }, { executionId: "7300999" }],
    ["get_workflow", { workflowId: "wfAlpha" }, { workflowId: "wfNobody" }],
    ["get_workflow_executions", { workflowId: "wfAlpha" }, { workflowId: "wfNobody" }],
    ["search_executions", { words: "word-of-wfAlpha" }, { words: "word-of-wfNobod" }],
    ["search_executions", { text: "ord-of-wfAlp" }, { text: "ord-of-wfNob" }],
  ];
  for (const [tool, args, never] of pairs) {
    const more: Record<string, string> = tool === "get_execution_by_node" ? { nodeName: "Webhook" } : {};
    const there = await ask(tool, { ...args, ...more });
    const nowhere = await ask(tool, { ...never, ...more });
    expect(there, tool).toEqual(nowhere);
    expect(there.answer, tool).not.toContain("VALIDATION_ERROR");
    // Its data would take longer to arrive than a rejection.
    expect(
      there.requests.filter((one) => /\/asked.*includeData/.test(one)),
      tool,
    ).toEqual([]);
  }
});
