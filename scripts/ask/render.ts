/**
 * An answer of `trace_request` as text for a terminal: the sentence, the tree, the failure, the timeline,
 * the coverage and the next call. Pure. Whatever comes from n8n is made harmless on the way.
 */
import { counted } from "../../src/platform/counted.ts";
import { alignColumns } from "./align-columns.ts";
import {
  allExecutions,
  type Trace,
  type TraceAnswer,
  type TracedExecution,
  type TraceFound,
  type TraceRefused,
} from "./answer.ts";
import { toPlainText } from "./plain-text.ts";
import { indentByParent } from "./tree-lines.ts";

const MAXIMUM_NAME = 60;
const MAXIMUM_MESSAGE = 500;
const MAXIMUM_EVENTS = 12;
const MAXIMUM_SKIPPED = 5;

const name = (text: string): string => toPlainText(text, MAXIMUM_NAME);

export function renderAnswer(answer: TraceAnswer): string {
  return answer.status === "success" ? renderTrace(answer) : renderRefusal(answer);
}

function renderTrace({ message, data }: TraceFound): string {
  const sections = [
    toPlainText(message),
    section("Executions", executionSection(data)),
    section("In n8n", addressLines(data)),
    section("Failure", failureLines(data)),
    section("Timeline", timelineLines(data)),
    section("Coverage", coverageLines(data)),
    section("Instances", instanceLines(data)),
    section("Next", nextLines(data)),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

function renderRefusal({ data }: TraceRefused): string {
  const { candidates = [] } = data.details;
  return [
    `${toPlainText(data.code)}: ${toPlainText(data.message)}`,
    ...(candidates.length === 0 ? [] : [`  Nearest: ${candidates.map(name).join(", ")}`]),
    `  ${toPlainText(data.details.solution)}`,
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [title, ...lines.map((line) => `  ${line}`.trimEnd())].join("\n");
}

export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null) return "–";
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1_000;
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

function executionSection(data: Trace): string[] {
  const left = data.moreExecutions?.notShown ?? 0;
  return [...executionLines(allExecutions(data)), ...(left > 0 ? [`and ${left} more`] : [])];
}

function executionLines(executions: readonly TracedExecution[]): string[] {
  const rows = indentByParent(executions).map(({ indent, execution }) => [
    indent + toPlainText(execution.role),
    toPlainText(execution.status),
    name(execution.workflowName ?? execution.workflowId),
    `execution ${toPlainText(execution.id)}`,
    formatDuration(execution.durationMs),
    toPlainText(execution.evidence, MAXIMUM_NAME),
  ]);
  return alignColumns(rows);
}

function addressLines({ executions }: Trace): string[] {
  return alignColumns(
    executions.flatMap(({ id, url }) =>
      url === undefined ? [] : [[`execution ${toPlainText(id)}`, toPlainText(url)]],
    ),
  );
}

function failureLines({ failure }: Trace): string[] {
  if (failure === null) return [];
  const node = failure.nodeName === null ? "an unknown node" : `node "${name(failure.nodeName)}"`;
  const workflow = failure.workflowName === null ? "" : ` of "${name(failure.workflowName)}"`;
  return [
    `${node}${workflow}, execution ${toPlainText(failure.executionId)}`,
    toPlainText(failure.message, MAXIMUM_MESSAGE),
    ...ownTextLines(failure),
  ];
}

/** What the error says in its own words, to who may see data. */
function ownTextLines({ ownText, hasOwnText }: NonNullable<Trace["failure"]>): string[] {
  if (ownText === undefined)
    return hasOwnText === true ? ["What the error says in its own words needs n8n:data."] : [];
  const texts = [ownText.message, ownText.description ?? ""].filter((text) => text !== "");
  return texts.map((text) => `It says: ${toPlainText(text, MAXIMUM_MESSAGE)}`);
}

function timelineLines({ timeline }: Trace): string[] {
  const shown = timeline.slice(0, MAXIMUM_EVENTS);
  const offsets = shown.map(({ offsetMs }) => `+${formatDuration(offsetMs)}`);
  const width = Math.max(0, ...offsets.map((offset) => offset.length));
  const lines = shown.map(
    ({ executionId, event }, index) =>
      `${(offsets[index] ?? "").padStart(width)}  execution ${toPlainText(executionId)} ${toPlainText(event)}`,
  );
  const left = timeline.length - shown.length;
  return left === 0 ? lines : [...lines, `and ${left} more`];
}

function coverageLines({ coverage }: Trace): string[] {
  const { scannedExecutions, from, to, stoppedBy, skipped } = coverage;
  const window = from === null || to === null ? "" : `, from ${toPlainText(from)} to ${toPlainText(to)}`;
  const reach = stoppedBy === "complete" ? "that is the whole window" : "there are older ones";
  const lines = skipped
    .slice(0, MAXIMUM_SKIPPED)
    .map(
      ({ executionId, reason }) =>
        `skipped${executionId === null ? "" : ` execution ${toPlainText(executionId)}`}: ${toPlainText(reason)}`,
    );
  const left = skipped.length - lines.length;
  return [
    `${counted(scannedExecutions, "execution")} read${window}; ${reach}`,
    ...lines,
    ...(left > 0 ? [`and ${left} more skipped`] : []),
  ];
}

/** Where there are several n8ns: what each says. */
function instanceLines({ instances = [] }: Trace): string[] {
  return instances.flatMap(({ instance, outcome, error, scannedExecutions = 0, message, url }) => [
    `${toPlainText(instance)}: ${toPlainText(error?.code ?? outcome ?? "")}${error === undefined ? `, ${counted(scannedExecutions, "execution")} read` : ""}`,
    ...[error?.solution, message, url].flatMap((text) =>
      text === undefined ? [] : [`  ${toPlainText(text)}`],
    ),
  ]);
}

/** What a person would do next, and then what an agent would. */
function nextLines(data: Trace): string[] {
  const { coverage, traceId } = data;
  const goOn = coverage.stoppedBy === "complete" ? [] : [`npm run ask -- --trace ${toPlainText(traceId)}`];
  return [...goOn, ...nextCall(data)];
}

function nextCall({ failure, executions, instance }: Trace): string[] {
  const where = typeof instance === "string" ? { instance } : {};
  if (failure !== null && failure.nodeName !== null) {
    const call = { ...where, id: failure.executionId, nodeName: failure.nodeName };
    return [`an agent would call get_execution_by_node ${toPlainText(JSON.stringify(call))}`];
  }
  const lastRetry = executions.findLast(({ role }) => role === "retry");
  const id = failure?.executionId ?? (lastRetry ?? executions[0])?.id;
  return id === undefined
    ? []
    : [`an agent would call get_execution ${toPlainText(JSON.stringify({ ...where, id }))}`];
}
