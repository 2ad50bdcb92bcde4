/**
 * Collects what became of an execution while it passes by: what it failed with, errors that were caught, how much
 * ran, calls of models and tools. Of its payload only the text of one error or two is held, until it has passed.
 *
 * Promises: memory is bounded whatever the execution holds; nothing depends on the order in which its members come.
 */
import type { Scalar } from "../json/json-walker.ts";
import { type NodeError, nodeError, redactedError } from "./schemas.ts";
import { isErrorForAgent } from "./tool-error-words.ts";
import { MCP_TRIGGER } from "./workflow-callers.ts";

export interface TokenCount {
  readonly prompt: number;
  readonly completion: number;
}

export interface WalkedOutcome {
  /** Nodes that ran. */
  readonly nodes: number;
  readonly runs: number;
  /** Items that all runs sent, over all of their outputs. */
  readonly items: number;
  /** Runs that ended with an error. */
  readonly failedRuns: number;
  /** Runs that did not, though an error is in what they sent: their node goes on after one (`onError`). */
  readonly caughtRuns: number;
  /** Runs of models. */
  readonly llmCalls: number;
  /** Runs of tools. */
  readonly toolCalls: number;
  /** As the models' providers counted them. */
  readonly tokens: TokenCount;
  /** As n8n estimated them, where the provider did not. */
  readonly estimatedTokens: TokenCount;
  /** Of the whole execution. */
  readonly error: NodeError | undefined;
  /** What n8n's redaction policy leaves of it. */
  readonly redactedError: NodeError | undefined;
  readonly lastNodeExecuted: string | undefined;
  /** The last run that ended with an error, in the order of execution. With its error where the execution has none. */
  readonly lastFailedRun: { readonly nodeName: string; readonly error: NodeError | undefined } | undefined;
  /** Node name → its type. Empty when nothing failed, nothing was caught, and nothing looks like an MCP server's call. */
  readonly nodeTypes: ReadonlyMap<string, string>;
  /** The MCP trigger that ran: the execution is a call of its server. */
  readonly mcpTrigger: string | null;
}

/** A run, as far as it is known when it ends. */
export interface EndedRun {
  readonly nodeName: string;
  /** Runs sort by it in the order of execution. */
  readonly order: number;
}

/** More nodes than a workflow has that a person could have drawn. */
const MAX_NODES = 5_000;
/** No one types a longer name. */
const MAX_NAME = 512;

/** The parts of an error, as they come. */
class PassingError {
  readonly #members: Record<string, Scalar> = {};
  readonly #parts: Record<string, Record<string, Scalar>> = {};

  note(key: string, value: Scalar, part?: string): void {
    if (part === undefined) this.#members[key] = value;
    else this.#parts[part] = { ...this.#parts[part], [key]: value };
  }

  member(key: string): Scalar | undefined {
    return this.#members[key];
  }

  /** @returns undefined for one in an unknown form */
  parsed(): NodeError | undefined {
    return nodeError.safeParse({ ...this.#members, ...this.#parts }).data;
  }
}

interface PassingRun {
  error: PassingError | undefined;
  hasFailed: boolean;
  /** An item that it sent has an error. */
  hasSentError: boolean;
  hasErrorForAgent: boolean;
  isOfTool: boolean;
  isOfModel: boolean;
}

interface FailedRun extends EndedRun {
  readonly error: PassingError | undefined;
}

interface KnownNode {
  readonly type: string;
  readonly goesOn: boolean;
}

const newRun = (): PassingRun => ({
  error: undefined,
  hasFailed: false,
  hasSentError: false,
  hasErrorForAgent: false,
  isOfTool: false,
  isOfModel: false,
});

const FAILED: ReadonlySet<Scalar> = new Set(["error", "crashed"]);
const GOES_ON: ReadonlySet<Scalar | undefined> = new Set(["continueRegularOutput", "continueErrorOutput"]);

/** A payload may have any number; what is stored is an integer. */
const safeSum = (one: number, other: number): number => Math.min(one + other, Number.MAX_SAFE_INTEGER);

class Tokens {
  prompt = 0;
  completion = 0;

  note(key: string, value: Scalar): void {
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return;
    if (key === "promptTokens") this.prompt = safeSum(this.prompt, value);
    else if (key === "completionTokens") this.completion = safeSum(this.completion, value);
  }

  get count(): TokenCount {
    return { prompt: this.prompt, completion: this.completion };
  }
}

export class OutcomeCollector {
  #nodes = 0;
  #runs = 0;
  #items = 0;
  #failedRuns = 0;
  #llmCalls = 0;
  #toolCalls = 0;
  /** Runs in which a tool reported to its agent that it failed. */
  #errorsForAgents = 0;
  readonly #tokens = new Tokens();
  readonly #estimatedTokens = new Tokens();
  /** Node name → its runs with an error among what they sent. Whether they caught it, its settings say. */
  readonly #withError = new Map<string, number>();
  /** Nodes that sent what looks like the call of an MCP server. Whether it is one, their type says. */
  readonly #withCall = new Set<string>();
  readonly #knownNodes = new Map<string, KnownNode>();
  #node: Record<string, Scalar> = {};
  #run = newRun();
  #lastFailedRun: FailedRun | undefined;
  #error: PassingError | undefined;
  #redactedError: Record<string, Scalar> | undefined;
  #lastNodeExecuted: string | undefined;
  /** Nothing more comes of what ran. */
  #hasPassed = false;

  /** Whether the workflow's nodes are of interest: where something failed, or that is not known yet. */
  get needsNodes(): boolean {
    if (!this.#hasPassed) return true;
    const isOfInterest = this.#failedRuns > 0 || this.#withError.size > 0 || this.#withCall.size > 0;
    return isOfInterest || this.#error !== undefined;
  }

  /** What the whole execution failed with. */
  resultError(key: string): Scalar | undefined {
    return this.#error?.member(key);
  }

  /** @param index of the run, for its node */
  beginRun(index: number): void {
    if (index === 0) this.#nodes += 1;
    this.#run = newRun();
  }

  /** The node sent what looks like the call of an MCP server. */
  noteCall(nodeName: string): void {
    if (this.#withCall.size < MAX_NODES) this.#withCall.add(nodeName);
  }

  /** A container begins. */
  open(place: string): void {
    switch (place) {
      case "error":
        this.#run.error = new PassingError();
        break;
      case "resultError":
        this.#error = new PassingError();
        break;
      case "model outputs":
        this.#run.isOfModel = true;
        break;
      case "tool outputs":
        this.#run.isOfTool = true;
        break;
      case "caught":
        this.#run.hasSentError = true;
        break;
      case "node":
        this.#node = {};
        break;
    }
  }

  /** It ends. @param length how many items it has */
  close(place: string, length: number): void {
    if (place === "items") this.#items += length;
    else if (place === "node") this.#endNode();
    else if (place === "data") this.#hasPassed = true;
  }

  /** A scalar at one of the places of the outcome. */
  note(place: string, key: string, value: Scalar): void {
    switch (place) {
      case "run":
        if (key === "executionStatus" && FAILED.has(value)) this.#run.hasFailed = true;
        break;
      case "error":
        this.#run.error?.note(key, value);
        break;
      case "error context":
      case "error failure":
      case "error node":
        this.#run.error?.note(key, value, place.slice("error ".length));
        break;
      case "resultData":
        if (typeof value === "string") this.#lastNodeExecuted = value;
        break;
      case "resultError":
        this.#error?.note(key, value);
        break;
      case "resultError context":
      case "resultError failure":
      case "resultError node":
        this.#error?.note(key, value, place.slice("resultError ".length));
        break;
      case "redactedError":
        this.#redactedError = { ...this.#redactedError, [key]: value };
        break;
      case "tokens":
        this.#tokens.note(key, value);
        break;
      case "estimated tokens":
        this.#estimatedTokens.note(key, value);
        break;
      case "node":
        this.#node[key] = value;
        break;
    }
  }

  /** A scalar of what an item sends. */
  noteSent(key: string, value: Scalar): void {
    if (typeof value !== "string") return;
    if (key === "error" && value !== "") this.#run.hasSentError = true;
    if (isErrorForAgent(value)) this.#run.hasErrorForAgent = true;
  }

  endRun(ended: EndedRun): void {
    const { error, hasFailed, hasSentError, hasErrorForAgent, isOfModel, isOfTool } = this.#run;
    this.#runs += 1;
    if (isOfModel) this.#llmCalls += 1;
    if (isOfTool) this.#toolCalls += 1;
    if (hasFailed || error !== undefined) this.#endFailedRun({ ...ended, error });
    else if (isOfTool) this.#errorsForAgents += hasErrorForAgent ? 1 : 0;
    else if (hasSentError) this.#noteSender(ended.nodeName);
  }

  outcome(): WalkedOutcome {
    const last = this.#lastFailedRun;
    const error = this.#error?.parsed();
    return {
      nodes: this.#nodes,
      runs: this.#runs,
      items: this.#items,
      failedRuns: this.#failedRuns,
      caughtRuns: this.#caughtRuns(),
      llmCalls: this.#llmCalls,
      toolCalls: this.#toolCalls,
      tokens: this.#tokens.count,
      estimatedTokens: this.#estimatedTokens.count,
      error,
      redactedError: this.#parsedRedactedError(),
      lastNodeExecuted: this.#lastNodeExecuted,
      lastFailedRun: last && {
        nodeName: last.nodeName,
        error: error === undefined ? last.error?.parsed() : undefined,
      },
      nodeTypes: new Map([...this.#knownNodes].map(([name, { type }]) => [name, type])),
      mcpTrigger:
        [...this.#withCall].find((name) => this.#knownNodes.get(name)?.type === MCP_TRIGGER) ?? null,
    };
  }

  #endFailedRun(run: FailedRun): void {
    this.#failedRuns += 1;
    const last = this.#lastFailedRun;
    if (last === undefined || run.order >= last.order) this.#lastFailedRun = run;
  }

  #noteSender(nodeName: string): void {
    const runs = this.#withError.get(nodeName) ?? 0;
    if (runs === 0 && (this.#withError.size >= MAX_NODES || nodeName.length > MAX_NAME)) return;
    this.#withError.set(nodeName, runs + 1);
  }

  #endNode(): void {
    const { name, type, onError, continueOnFail } = this.#node;
    if (typeof name !== "string" || typeof type !== "string" || this.#knownNodes.size >= MAX_NODES) return;
    if (name.length > MAX_NAME || type.length > MAX_NAME) return;
    this.#knownNodes.set(name, { type, goesOn: GOES_ON.has(onError) || continueOnFail === true });
  }

  #caughtRuns(): number {
    const ofNodes = [...this.#withError].filter(([name]) => this.#knownNodes.get(name)?.goesOn === true);
    return ofNodes.reduce((sum, [, runs]) => sum + runs, this.#errorsForAgents);
  }

  #parsedRedactedError(): NodeError | undefined {
    if (this.#redactedError === undefined) return undefined;
    const { data } = redactedError.safeParse(this.#redactedError);
    return data && { name: data.type, httpCode: data.httpCode ?? null };
  }
}
