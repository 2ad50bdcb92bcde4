/** The guide's rules about the ATDF block in which a tool describes itself to agents. Pure. */
import { memberOf, textAt } from "../../../json/members.ts";
import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { counted } from "../../../platform/counted.ts";
import type { AtdfInput } from "../../../workflows/atdf/read-atdf.ts";
import { fromAiArguments } from "../../../workflows/from-ai.ts";
import { literalOf } from "../../../workflows/node-parameters.ts";
import type { ServerTool } from "../../../workflows/server-tools.ts";
import type { AuditRule, Verdict } from "../rule.ts";
import type { InstanceFacts } from "../subject.ts";

export const atdfRules: readonly AuditRule[] = [
  {
    id: "atdf/valid",
    severity: "error",
    appliesTo: ["server"],
    message: "The description is not a valid ATDF block.",
    fix: "validate_atdf lists all problems.",
    judge: ({ workflowTools, instance }) => workflowTools.flatMap((node) => judgeBlock(node, instance)),
  },
  {
    id: "atdf/inputs-agree",
    severity: "error",
    appliesTo: ["server"],
    message: "The block names an input that the node does not take.",
    fix: "Use the same names and types in the block, in the node's inputs and in the sub-workflow's trigger.",
    judge: ({ outline, graph, instance }) =>
      outline.tools.flatMap((tool) => {
        const node = graph.nodes.get(tool.node);
        return node === undefined || tool.calls === undefined ? [] : judgeInputs(tool, node, instance);
      }),
  },
  {
    id: "atdf/version",
    severity: "warning",
    appliesTo: ["server"],
    message: "The ATDF block names no version.",
    fix: "Add a version, for example version: 1.0.0, and raise it with each change of inputs or outputs.",
    judge: ({ outline, instance }) =>
      outline.tools
        .filter((tool) => tool.calls !== undefined && blockOf(tool, instance)?.version === null)
        .map(({ node }) => ({ node, evidence: "There is no version in the description." })),
  },
];

/** Undefined when the tool has no readable block, which `atdf/valid` reports. */
export const blockOf = ({ description }: Pick<ServerTool, "description">, { readAtdf }: InstanceFacts) =>
  description === undefined ? undefined : (readAtdf(description).block ?? undefined);

function judgeBlock(
  { name: node, parameters }: WorkflowNodeWithParameters,
  { readAtdf }: InstanceFacts,
): Verdict[] {
  const text = literalOf(textAt(parameters, "description") ?? "");
  if (text === undefined) return [{ node, reason: "Its description is an expression." }];
  const errors = readAtdf(text).findings.filter(
    ({ severity, path }) => severity === "error" && path !== "version",
  );
  const [first] = errors;
  if (first === undefined) return [];
  const evidence = `${counted(errors.length, "problem")}; line ${first.line}: ${first.message}`;
  return [{ node, evidence, fix: `${first.fix} validate_atdf lists all problems.` }];
}

function judgeInputs(tool: ServerTool, node: WorkflowNodeWithParameters, instance: InstanceFacts): Verdict[] {
  const described = blockOf(tool, instance)?.inputs;
  if (described === undefined) return [];
  const reason = "Its inputs are in a schema that only the node's first version has.";
  if (tool.hasOwnSchema) return [{ node: tool.node, reason }];
  const disagreements = [
    ...disagreementsWithNode(tool, described),
    ...disagreementsWithWorkflow(tool, node, described, instance),
  ];
  return disagreements.flatMap(([message, inputs]) =>
    inputs.map(({ name }) => ({ node: tool.node, evidence: `The input is ${name}.`, message })),
  );
}

type Disagreement = readonly [message: string, inputs: readonly { readonly name: string }[]];

/** Names that langchain and n8n use for the single text input of a tool without declared inputs. */
const FREE_TEXT_NAMES = new Set(["input", "query"]);

function disagreementsWithNode({ inputs }: ServerTool, described: readonly AtdfInput[]): Disagreement[] {
  const isFreeText = inputs.length === 1 && inputs[0]?.name === "input";
  const accepted = new Map(inputs.map((input) => [input.name, input]));
  const names = new Set(described.map(({ name }) => name));
  const isAccepted = (name: string): boolean =>
    accepted.has(name) || (isFreeText && FREE_TEXT_NAMES.has(name));
  return [
    [
      "The block names an input that the node does not take.",
      described.filter(({ name }) => !isAccepted(name)),
    ],
    [
      "The node takes an input that the block does not name.",
      inputs.filter(({ name }) => !names.has(name) && !isFreeText),
    ],
    [
      "The block gives an input another type than the node.",
      described.filter(({ name, type }) => differ(type, accepted.get(name)?.type)),
    ],
  ];
}

/** n8n's types, each with its synonyms. */
const TYPES = ["string text", "number integer int float", "boolean bool", "json object array"].map((words) =>
  words.split(" "),
);

/** Unknown types never differ. */
function differ(described: string | null, accepted = ""): boolean {
  const word = (described ?? "").trim().toLowerCase();
  const words = TYPES.find((each) => each.includes(word));
  return words !== undefined && TYPES.flat().includes(accepted) && !words.includes(accepted);
}

/** The sub-workflow receives each argument under its field's name. */
function disagreementsWithWorkflow(
  { calls }: ServerTool,
  { parameters }: WorkflowNodeWithParameters,
  described: readonly AtdfInput[],
  { workflows }: InstanceFacts,
): Disagreement[] {
  const called = calls?.kind === "id" ? (workflows.get(calls.workflowId)?.inputs ?? undefined) : undefined;
  // A sub-workflow that accepts all data declares no inputs.
  if (called === undefined || called.mode === "passthrough") return [];
  const accepted = new Set(called.inputs.map(({ name }) => name));
  const fieldOf = new Map(
    fromAiArguments(parameters).arguments.map(({ key, path }) => [key, path.slice(FIELDS.length)]),
  );
  const values = memberOf(parameters, "workflowInputs", "value");
  const given = typeof values === "object" && values !== null ? Object.keys(values) : [];
  return [
    [
      "The sub-workflow does not take an input that the block names.",
      described.filter(({ name }) => !accepted.has(name) && !accepted.has(fieldOf.get(name) ?? "")),
    ],
    [
      "The sub-workflow takes an input that the node does not give.",
      called.inputs.filter(({ name }) => given.length > 0 && !given.includes(name)),
    ],
  ];
}

/** Precedes the name of a field in the path of an argument. */
const FIELDS = "workflowInputs.value.";
