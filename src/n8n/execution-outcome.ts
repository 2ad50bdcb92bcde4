/**
 * Collects an execution's outcome as it streams by: its error, caught errors, how much ran, and calls of models and
 * tools. Of its payload, only the text of one or two errors is held, until the execution ends.
 *
 * Promises: memory is bounded whatever the execution contains; the order of its members does not matter, unless runs of an
 * earlier execution are in it: these do not count for what was used if `mode` and `startedAt` come first, as in n8n.
 */
import type { Scalar } from "../json/walk-visitor.ts";
import { MINUTE_MS } from "../platform/durations.ts";
import { type NodeError, nodeError, redactedError } from "./schemas.ts";
import { isErrorForAgent } from "./tool-error-words.ts";
import { MCP_TRIGGER } from "./workflow-callers.ts";

export interface TokenCount {
  readonly prompt: number;
  readonly completion: number;
}

/** The calls of one model; tokens as in `WalkedOutcome`. */
export interface ModelUse {
  readonly model: string;
  readonly llmCalls: number;
  readonly tokens: TokenCount;
  readonly estimatedTokens: TokenCount;
}

export interface WalkedOutcome {
  readonly nodes: number;
  readonly runs: number;
  /** Items that its own runs sent, over all outputs; like the calls of models and tools, and tokens. */
  readonly items: number;
  readonly failedRuns: number;
  /** Runs that succeeded though they sent an error, because their node continues after one (`onError`). */
  readonly caughtRuns: number;
  readonly llmCalls: number;
  readonly toolCalls: number;
  /** Counted by the models' providers. */
  readonly tokens: TokenCount;
  /** Estimated by n8n if the provider counted none. */
  readonly estimatedTokens: TokenCount;
  /** By the model's name in the call; a value that does not look like a name counts as `other`. */
  readonly models: readonly ModelUse[];
  readonly error: NodeError | undefined;
  readonly redactedError: NodeError | undefined;
  readonly lastNodeExecuted: string | undefined;
  /** The last failed run, in the order of execution; with its error if the execution itself has none. */
  readonly lastFailedRun: { readonly nodeName: string; readonly error: NodeError | undefined } | undefined;
  /** Node name → its type. Empty unless something failed, was caught, or looks like an MCP server's call. */
  readonly nodeTypes: ReadonlyMap<string, string>;
  /** The MCP trigger that ran: the execution is a call of its server. */
  readonly mcpTrigger: string | null;
  /** Id of the version of the workflow that ran; older n8n keeps it with the workflow. */
  readonly versionId: string | null;
  /** n8n 1.x stores no reason for a canceled execution. True if its duration fits no time limit, so a person may have stopped it. */
  readonly mayBeStopped: boolean;
}

/** The facts known of a run when it ends. */
interface EndedRun {
  readonly nodeName: string;
  /** Runs sort by it in the order of execution. */
  readonly order: number;
}

type Members = Readonly<Record<string, Scalar>>;

const NO_MEMBERS: Members = {};

/** The scalars of an execution or of a run, by place and key. */
export class Facts {
  readonly #places = new Map<string, Record<string, Scalar>>();
  /** The place noted last; members of one container arrive one after another. */
  #place = "";
  #members: Record<string, Scalar> = {};

  /** A container at this place begins; if there are several, the last one counts. */
  begin(place: string): void {
    this.#place = place;
    this.#members = {};
    this.#places.set(place, this.#members);
  }

  note(place: string, key: string, value: Scalar): void {
    const members = place === this.#place ? this.#members : this.#places.get(place);
    if (members === undefined) this.begin(place);
    else this.#members = members;
    this.#place = place;
    this.#members[key] = value;
  }

  has(place: string): boolean {
    return this.#places.has(place);
  }

  at(place: string): Members {
    return this.#places.get(place) ?? NO_MEMBERS;
  }
}

/** @returns undefined if there is none, or if its form is unknown */
function errorAt(facts: Facts, place: "error" | "resultError"): NodeError | undefined {
  if (!facts.has(place)) return undefined;
  const parts = ["context", "failure", "node"].flatMap((part) =>
    facts.has(`${place} ${part}`) ? [[part, facts.at(`${place} ${part}`)] as const] : [],
  );
  const read = { ...facts.at(place), ...Object.fromEntries(parts) };
  const request = `${place} request`;
  const context = facts.has(request) ? { ...facts.at(`${place} context`), request: facts.at(request) } : null;
  return nodeError.safeParse(context === null ? read : { ...read, context }).data;
}

function redactedErrorIn(facts: Facts): NodeError | undefined {
  const { data } = redactedError.safeParse(facts.at("redactedError"));
  return data && { name: data.type, httpCode: data.httpCode ?? null };
}

function versionIn(facts: Facts): string | null {
  const versionId = facts.at("execution").workflowVersionId ?? facts.at("workflowData").versionId;
  return typeof versionId === "string" && VERSION.test(versionId) ? versionId : null;
}

/** n8n 1.x keeps with an execution whether its workflow was active. */
function mayBeStopped(facts: Facts): boolean {
  const { startedAt, stoppedAt } = facts.at("execution");
  const { executionTimeout } = facts.at("workflowSettings");
  const ms = Date.parse(String(stoppedAt)) - Date.parse(String(startedAt));
  const limitMs = Number(executionTimeout) * 1_000;
  // The instance's own limits, EXECUTIONS_TIMEOUT and EXECUTIONS_TIMEOUT_MAX, are in no answer, but whole minutes.
  const isOver = (limitMs > 0 && ms >= limitMs - 500) || (ms >= MINUTE_MS && ms % MINUTE_MS < 1_500);
  return facts.at("workflowData").active !== undefined && !isOver;
}

/** n8n makes UUIDs. */
const VERSION = /^[\dA-Za-z-]{8,64}$/;
/** More nodes than in any workflow that a person could have drawn. */
const MAX_NODES = 5_000;
/** Nobody types a longer name. */
const MAX_NAME = 512;

const FAILED: ReadonlySet<Scalar | undefined> = new Set(["error", "crashed"]);
const CONTINUES_ON_ERROR: ReadonlySet<Scalar | undefined> = new Set([
  "continueRegularOutput",
  "continueErrorOutput",
]);

/** Providers' names and paths of models; anything else could be text of a payload. */
const MODEL_NAME = /^[A-Za-z0-9][\w.:/@-]{0,63}$/;
const OTHER_MODEL = "other";
/** Calls of further models count as `other`. */
const MAX_MODELS = 8;

/** A payload may contain any number, but the stored sum must be an integer. */
const safeSum = (one: number, other: number): number => Math.min(one + other, Number.MAX_SAFE_INTEGER);

const sum = (one: TokenCount, other: TokenCount): TokenCount => ({
  prompt: safeSum(one.prompt, other.prompt),
  completion: safeSum(one.completion, other.completion),
});

type Tokens = Record<"tokens" | "estimatedTokens", TokenCount>;

const addTo = (one: Tokens, other: Tokens): Tokens => ({
  tokens: sum(one.tokens, other.tokens),
  estimatedTokens: sum(one.estimatedTokens, other.estimatedTokens),
});

const NO_TOKENS: TokenCount = { prompt: 0, completion: 0 };
const newTokens = (): Tokens => ({ tokens: NO_TOKENS, estimatedTokens: NO_TOKENS });

export class OutcomeCollector {
  #nodes = 0;
  #runs = 0;
  #items = 0;
  #runItems = 0;
  #failedRuns = 0;
  #llmCalls = 0;
  #toolCalls = 0;
  /** Runs in which a tool reported to its agent that it failed. */
  #toolErrors = 0;
  #tokens = newTokens();
  #runTokens = newTokens();
  readonly #models = new Map<string, Omit<ModelUse, "model">>();
  /** Node name → number of its runs that sent an error. The node's settings show whether they caught it. */
  readonly #runsWithError = new Map<string, number>();
  /** Nodes whose output looks like an MCP server call. Their type shows whether it is one. */
  readonly #nodesWithCall = new Set<string>();
  readonly #knownNodes = new Map<string, { readonly type: string; readonly continuesOnError: boolean }>();
  #lastFailedRun: (EndedRun & { readonly facts: Facts }) | undefined;

  /** Whether the runs seen so far can only be judged with the workflow's nodes. */
  get needsNodes(): boolean {
    return this.#failedRuns > 0 || this.#runsWithError.size > 0 || this.#nodesWithCall.size > 0;
  }

  addItems(count: number): void {
    this.#runItems += count;
  }

  addTokens(place: "tokens" | "estimatedTokens", key: string, value: Scalar): void {
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return;
    const prompt = key === "promptTokens" ? value : 0;
    const completion = key === "completionTokens" ? value : 0;
    this.#runTokens[place] = sum(this.#runTokens[place], { prompt, completion });
  }

  /** The node's output looks like an MCP server call. */
  noteCall(nodeName: string): void {
    if (this.#nodesWithCall.size < MAX_NODES) this.#nodesWithCall.add(nodeName);
  }

  noteSent(run: Facts, key: string, value: Scalar): void {
    if (typeof value !== "string") return;
    if (key === "error" && value !== "") run.begin("caught");
    if (isErrorForAgent(value)) run.begin("error for agent");
  }

  endRun(ended: EndedRun & { readonly index: number }, facts: Facts, isInherited = false): void {
    const isOfTool = facts.has("tool outputs");
    if (ended.index === 0) this.#nodes += 1;
    this.#runs += 1;
    if (!isInherited) this.#addUse(facts, isOfTool);
    this.#runItems = 0;
    this.#runTokens = newTokens();
    if (FAILED.has(facts.at("run").executionStatus) || facts.has("error")) this.#endFailedRun(ended, facts);
    else if (isOfTool) this.#toolErrors += facts.has("error for agent") ? 1 : 0;
    else if (facts.has("caught")) this.#noteRunWithError(ended.nodeName);
  }

  endNode({ name, type, onError, continueOnFail }: Members): void {
    if (typeof name !== "string" || typeof type !== "string" || this.#knownNodes.size >= MAX_NODES) return;
    if (name.length > MAX_NAME || type.length > MAX_NAME) return;
    this.#knownNodes.set(name, {
      type,
      continuesOnError: CONTINUES_ON_ERROR.has(onError) || continueOnFail === true,
    });
  }

  outcome(facts: Facts): WalkedOutcome {
    const last = this.#lastFailedRun;
    const error = errorAt(facts, "resultError");
    const { lastNodeExecuted } = facts.at("resultData");
    const typeOf = (name: string): string | undefined => this.#knownNodes.get(name)?.type;
    return {
      nodes: this.#nodes,
      runs: this.#runs,
      items: this.#items,
      failedRuns: this.#failedRuns,
      caughtRuns: this.#caughtRuns(),
      llmCalls: this.#llmCalls,
      toolCalls: this.#toolCalls,
      ...this.#tokens,
      models: [...this.#models].map(([model, used]) => ({ model, ...used })),
      error,
      redactedError: redactedErrorIn(facts),
      lastNodeExecuted: typeof lastNodeExecuted === "string" ? lastNodeExecuted : undefined,
      lastFailedRun: last && {
        nodeName: last.nodeName,
        error: error === undefined ? errorAt(last.facts, "error") : undefined,
      },
      nodeTypes: new Map([...this.#knownNodes].map(([name, { type }]) => [name, type])),
      versionId: versionIn(facts),
      mayBeStopped: mayBeStopped(facts),
      mcpTrigger: [...this.#nodesWithCall].find((name) => typeOf(name) === MCP_TRIGGER) ?? null,
    };
  }

  #addUse(facts: Facts, isOfTool: boolean): void {
    this.#items += this.#runItems;
    this.#tokens = addTo(this.#tokens, this.#runTokens);
    if (isOfTool) this.#toolCalls += 1;
    if (facts.has("model outputs")) this.#endModelRun(facts.at("model options"));
  }

  #endModelRun({ model, modelName = model }: Members): void {
    this.#llmCalls += 1;
    const isName = typeof modelName === "string" && MODEL_NAME.test(modelName);
    const isKept = isName && (this.#models.size < MAX_MODELS || this.#models.has(modelName));
    const name = isKept ? modelName : OTHER_MODEL;
    const used = this.#models.get(name) ?? { llmCalls: 0, ...newTokens() };
    this.#models.set(name, { llmCalls: used.llmCalls + 1, ...addTo(used, this.#runTokens) });
  }

  #endFailedRun({ nodeName, order }: EndedRun, facts: Facts): void {
    this.#failedRuns += 1;
    const last = this.#lastFailedRun;
    if (last === undefined || order >= last.order) this.#lastFailedRun = { nodeName, order, facts };
  }

  #noteRunWithError(nodeName: string): void {
    const runs = this.#runsWithError.get(nodeName) ?? 0;
    if (runs === 0 && (this.#runsWithError.size >= MAX_NODES || nodeName.length > MAX_NAME)) return;
    this.#runsWithError.set(nodeName, runs + 1);
  }

  #caughtRuns(): number {
    const ofNodes = [...this.#runsWithError].filter(
      ([name]) => this.#knownNodes.get(name)?.continuesOnError === true,
    );
    return ofNodes.reduce((sum, [, runs]) => sum + runs, this.#toolErrors);
  }
}
