/** The rules on workflows that no editor would save, and on texts made to be slow. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RULES } from "../../../src/features/audit-workflow/rules/index.ts";
import type { ReadValue } from "../../../src/json/omitted.ts";
import { toWorkflowWithNodes, type WorkflowWithNodes } from "../../../src/n8n/workflow-schemas.ts";
import { inBothLanes, runs, sizeOf } from "../../support/lane.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";
import { type RawNode, wires, workflowOf } from "../../support/workflow-builder.ts";
import { auditAll } from "./audited-book.ts";

const BASE = "n8n-nodes-base.";
const LANGCHAIN = "@n8n/n8n-nodes-langchain.";
const TYPES = [
  ..."if switch set code function merge splitInBatches filter httpRequest executeWorkflow executeWorkflowTrigger errorTrigger webhook stopAndError respondToWebhook noOp stickyNote postgres"
    .split(" ")
    .map((type) => BASE + type),
  ..."mcpTrigger mcpClientTool mcpClient toolWorkflow toolCode agent textClassifier guardrails code chatTrigger"
    .split(" ")
    .map((type) => LANGCHAIN + type),
  "n8n-nodes-strange.thing",
  "",
  "constructor",
];
const NAMES = ["Start", "tool.get_user", "Step", "__proto__", "constructor", "", "HTTP Request1", "é\u202E"];
const IDS = ["w0", "w1", "w2", "gone", ""];

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    "={{ $json.error }}",
    "={{",
    "={{ $fromAI('a', 'b', 'number') }}",
    "return [{ json: { status: 'error', data: { code: 'x' }, meta: {} } }]",
    "return $input.all();",
    "---\nversion: 1\ndescription: d\nhow_to_use:\n  inputs: []\n---",
    "rules",
    "raw",
    "extra",
    "none",
    "expression",
  ),
);
const { value: anything } = fc.letrec<{ value: ReadValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer({ min: -3, max: 9 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("value", "values", "rules", "name", "type", "a"), tie("value"), {
      maxKeys: 3,
    }),
  ),
}));
const PARAMETERS =
  "workflowId source description name path authentication include mode options rules fallbackOutput assignments values fields jsonOutput jsCode pythonCode functionCode language workflowInputs inputSource specifyInputSchema categories content numberOutputs".split(
    " ",
  );
const parameters = fc.dictionary(fc.constantFrom(...PARAMETERS), anything, { maxKeys: 6 });
const sensible = fc.constantFrom<ReadValue>(
  { workflowId: "w0" },
  { workflowId: { __rl: true, value: "w1" } },
  { source: "parameter" },
);

const node: fc.Arbitrary<ReadValue> = fc.record(
  {
    name: fc.constantFrom<ReadValue>(...NAMES),
    type: fc.constantFrom<ReadValue>(...TYPES),
    typeVersion: fc.constantFrom<ReadValue>(1, 1.1, 2, 2.2, 3, 3.2, 3.4, -1, "2"),
    parameters: fc.oneof(parameters, sensible, anything),
    disabled: fc.constantFrom<ReadValue>(true, false, null),
    onError: fc.constantFrom<ReadValue>("continueErrorOutput", "continueRegularOutput", "x", null),
    continueOnFail: fc.boolean(),
    credentials: anything,
  },
  { requiredKeys: ["name", "type"] },
);
const target = fc.oneof(
  fc.record({
    node: fc.constantFrom<ReadValue>(...NAMES, "nobody"),
    type: fc.constantFrom<ReadValue>("main", "ai_tool"),
    index: fc.constantFrom<ReadValue>(0, 1, -1),
  }),
  fc.constant(null),
);
const connections = fc.dictionary(
  fc.constantFrom(...NAMES, "nobody"),
  fc.dictionary(
    fc.constantFrom("main", "ai_tool"),
    fc.array(fc.oneof(fc.array(target, { maxLength: 3 }), fc.constant(null)), { maxLength: 4 }),
  ),
);
const settings = fc.dictionary(
  fc.constantFrom("errorWorkflow", "callerPolicy", "callerIds", "saveDataErrorExecution"),
  fc.oneof(fc.constantFrom<ReadValue>(...IDS, "none", "workflowsFromAList", "DEFAULT"), anything),
);
const workflows = fc
  .array(
    fc.record({
      name: fc.constantFrom<ReadValue>("SWF_A", "B", ""),
      active: fc.boolean(),
      nodes: fc.array(fc.oneof({ weight: 9, arbitrary: node }, { weight: 1, arbitrary: anything }), {
        maxLength: 9,
      }),
      connections,
      settings: fc.oneof(settings, fc.constant(null)),
      tags: fc.oneof(fc.constantFrom<ReadValue>(null, [{ name: "production" }, null, {}], []), anything),
      isArchived: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((all) => all.flatMap((each, index) => readOrNone({ ...each, id: `w${index}` })));

function readOrNone(raw: ReadValue): WorkflowWithNodes[] {
  try {
    return [toWorkflowWithNodes(raw)];
  } catch {
    // Such a workflow would not have been read.
    return [];
  }
}

const known = new Set<string>(RULES.map(({ id }) => id));

/** An MCP server whose only tool is the workflow w0. */
const server = workflowOf(
  [
    { name: "Server", type: `${LANGCHAIN}mcpTrigger`, parameters: { path: "p" } },
    {
      name: "tool.get_user",
      type: `${LANGCHAIN}toolWorkflow`,
      typeVersion: 2.2,
      parameters: { workflowId: "w0" },
    },
  ],
  wires({ "tool.get_user": [["Server"]] }, "ai_tool"),
  { active: true, id: "server" },
);

test("any workflow can be audited, with findings in their form", inBothLanes, () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(workflows, (all) => {
      const { findings, unjudged } = auditAll([...all, server]);
      const names = new Set([...all, server].flatMap((each) => each.nodes.map(({ name }) => name)));
      for (const finding of findings) {
        seen.add(finding.rule);
        expect(known.has(finding.rule)).toBe(true);
        expect([finding.message, finding.evidence, finding.fix].every((part) => part.length > 0)).toBe(true);
        expect(finding.node === null || names.has(finding.node)).toBe(true);
      }
      for (const { rule, reason } of unjudged)
        expect([known.has(rule), reason.length > 0]).toEqual([true, true]);
    }),
    { numRuns: runs(1_000) },
  );
  // The workflows are strange, but still reach most of the rules.
  expect(seen.size).toBeGreaterThanOrEqual(sizeOf(20, 15));
});

/** The server, whose tool has these nodes. */
function serverWith(nodes: readonly RawNode[], connections: ReadValue): WorkflowWithNodes[] {
  const start = { name: "Start", type: `${BASE}executeWorkflowTrigger` };
  return [workflowOf([start, ...nodes], connections, { active: true, id: "w0" }), server];
}

const secondsFor = (all: readonly WorkflowWithNodes[]): number => threadSeconds(() => void auditAll(all));

describe("an audit", () => {
  test("of 1,000 nodes with ten connections each takes seconds at most", () => {
    const count = 1_000;
    const nodes = Array.from({ length: count }, (_one, index) => ({
      name: `n${index}`,
      type: BASE + ["httpRequest", "if", "code", "noOp"][index % 4],
    }));
    const links = Object.fromEntries(
      nodes.map(({ name }, index) => [
        name,
        [Array.from({ length: 10 }, (_one, step) => `n${(index + step * 7 + 1) % count}`)],
      ]),
    );
    expect(secondsFor(serverWith(nodes, wires({ Start: [["n0"]], ...links })))).toBeLessThan(5);
  });

  const LENGTH = sizeOf(1_000_000, 100_000);
  /** Ten seconds for a megabyte; a tenth of the text would take as long if the time grew with the square. */
  const MOST_SECONDS = LENGTH / 100_000;
  const SLOW = [
    "/*",
    "//",
    "{{",
    "={{ $json.",
    "console.log(",
    "`${",
    "json: a",
    "return ",
    "status: ",
    "meta:",
    '"',
    "'",
    "(",
    "{",
    "code: '",
    " ",
    "\n",
    "a",
    "if ",
    "$json",
    "$fromAI(",
    "_id",
    "message ",
    "- a: [",
    ".json[",
    "trace",
    "v1.1.",
  ];
  test.each(SLOW)("of a long text of %j takes linear time", inBothLanes, (piece) => {
    const long = piece.repeat(Math.ceil(LENGTH / piece.length));
    const nodes: RawNode[] = [
      { name: "Code", type: `${BASE}code`, parameters: { jsCode: long } },
      { name: "Python", type: `${BASE}code`, parameters: { language: "python", pythonCode: long } },
      {
        name: "Set",
        type: `${BASE}set`,
        typeVersion: 3.4,
        parameters: { mode: "raw", jsonOutput: `=${long}` },
      },
      { name: "Note", type: `${BASE}stickyNote`, parameters: { content: long } },
    ];
    const audited = serverWith(nodes, wires({ Start: [["Code", "Python", "Set"]] }));
    expect(secondsFor(audited)).toBeLessThan(MOST_SECONDS);
  });
});
