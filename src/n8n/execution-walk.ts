/**
 * Walks over executions as n8n sends them, either a page or a single one, of any size, and reports their facts, their
 * links, and the wanted values of their payload. Holds one execution's facts, and at most one item of its payload if
 * the reader has room for it.
 *
 * Promises: each execution ends in one call, `execution` or `unreadable`; a malformed one does not affect the others.
 */
import { JsonReadError } from "../json/errors.ts";
import type { Gathered } from "../json/gathered-bytes.ts";
import { JsonWalker } from "../json/json-walker.ts";
import { ALL, type Scalar, type Visitor, type WalkPosition } from "../json/walk-visitor.ts";
import { DEPTH, EXECUTION, LIST, PAYLOAD_PLACES, PENDING_DEPTH } from "./execution-guides.ts";
import { Facts, OutcomeCollector, type WalkedOutcome } from "./execution-outcome.ts";
import { earlierStart, isInherited, runOrderOf } from "./run-order.ts";
import {
  type ExecutionListItem,
  executionListItem,
  executionReference,
  idOfExecution,
  UNKNOWN_FORM,
  UNKNOWN_SHAPE,
} from "./schemas.ts";
import { callsWorkflow } from "./workflow-callers.ts";

export interface ByteSink {
  /** The chunk must not be changed afterwards. @throws JsonReadError */
  write(chunk: Uint8Array): void;
  /** @throws JsonReadError when the answer ended early */
  end(): void;
}

export interface WalkedExecution {
  readonly item: ExecutionListItem;
  readonly workflowName: string | null;
  /** ISO 8601 when n8n accepted it, if it has not begun to run, or if n8n has set a new start as it was resumed. */
  readonly acceptedAt: string | undefined;
  readonly parentId: string | null;
  /** The workflow of a parent whose id n8n did not know (`__UNKNOWN__`): an MCP server that called this as a tool. */
  readonly unknownParentWorkflowId: string | null;
  /** In the order of execution, each once. */
  readonly subExecutions: readonly { readonly executionId: string; readonly nodeName: string }[];
  /** n8n has removed its data (`data.redactionInfo`), which may have contained the searched value. */
  readonly isWithheld: boolean;
  /** It is above n8n's display limit (`dataTooLargeToDisplay`): n8n sends none of its data. */
  readonly isTooLarge: boolean;
  /** Whether n8n stores its data after each node, as its workflow was set when it began; null for n8n's default. */
  readonly savesProgress: boolean | null;
  readonly outcome: WalkedOutcome;
}

/** One run of a node, or a node that has yet to run. Complete once its execution ends. */
export interface WalkedRun {
  nodeName: string;
  /** Counts from 0, for the node. */
  readonly index: number;
  /** Runs sort by it in the order of execution. */
  order: number;
}

export interface PayloadPlace {
  /** Null for the execution's custom data. */
  readonly run: WalkedRun | null;
  /** The item in a run's output or input; null for custom data and errors. */
  readonly item: {
    readonly connectionType: string;
    readonly output: number;
    readonly index: number;
    readonly direction: "output" | "input";
  } | null;
  /** Relative to the item's `json`; without an item, it begins with `customData` or `error`. */
  readonly path: readonly (string | number)[];
}

export interface ExecutionReader {
  /** True when all values under this key are wanted. */
  wantsKey(key: string): boolean;
  /** A value under a wanted key or in custom data, a string that looks like JSON, or a text of a failed run's error. */
  value(value: string | number, place: PayloadPlace): void;
  /** How many bytes of the item or custom data that begins here may be held, to be reported as a whole. */
  roomForContainer(): number;
  /**
   * That item or custom data as JSON; null when it has more bytes than there was room for.
   * @param placeOf makes the place, which most containers do not need; valid during the call
   */
  container(bytes: Uint8Array | null, placeOf: () => PayloadPlace): void;
  /** A part of the payload could not be examined. */
  onSkipped(): void;
  /** The execution whose values were reported has ended. */
  execution(walked: WalkedExecution): void;
  /** The execution whose values were reported cannot be read. */
  unreadable(id: string | null, reason: string): void;
}

/** An HTTP error's message is n8n's; its description is what the service answered. */
const ERROR_TEXTS = new Set(["message", "description"]);

const UNORDERED = Number.NEGATIVE_INFINITY;

interface Link {
  readonly executionId: string;
  readonly run: WalkedRun;
  /** Only an error names this execution, so the link counts only if the node is one that calls workflows. */
  readonly isOfError: boolean;
}

/** Limit for one run: one more than are stored of an execution. */
const MAX_ITEM_CALLS = 10_001;

class ExecutionState {
  readonly facts = new Facts();
  readonly outcome = new OutcomeCollector();
  readonly links: Link[] = [];
  /** Its parent, taken from the first run that names it. */
  runParent: Readonly<Record<string, Scalar>> = {};
  firstRun: WalkedRun | null = null;
  /** Epoch ms. */
  firstStart: Scalar | undefined;
  /** `execution.id` in the first run's output. In an Error Trigger's item, n8n wrote it: the execution that failed. */
  handledId: Scalar | undefined;
  hasSeenData = false;
}

/** The id of a link, or null. No link is the usual case and is checked first, since zod's errors are slow. */
function linkIn(reference: Readonly<Record<string, Scalar>>): string | null {
  if (reference.executionId === undefined) return null;
  return executionReference.safeParse(reference).data?.executionId ?? null;
}

/** Anything other than an id is text from the payload and is dropped. */
const idIn = (facts: Facts): string | null => idOfExecution.safeParse(facts.at("execution").id).data ?? null;

/** Data of another version, or in a string, may contain the searched value where the walk does not look. */
function isOfKnownForm(facts: Facts): boolean {
  const { version } = facts.at("data");
  return facts.at("execution").data == null && (version == null || version === 0 || version === 1);
}

/** The id with which n8n refers to a calling execution that is not stored yet. */
const UNKNOWN_EXECUTION = "__UNKNOWN__";

/** If n8n did not report the status, the execution's error tells it more exactly than the list. */
function withStatusOfData(item: ExecutionListItem, facts: Facts): ExecutionListItem {
  if (item.isStatusInferred !== true || item.status !== "error") return item;
  const { name, message } = facts.at("resultError");
  // A stopped execution has no error, or one whose name says so.
  const isCanceled = (name === undefined && message === undefined) || /Cancell?ed/.test(String(name));
  return isCanceled ? { ...item, status: "canceled" } : item;
}

const acceptedAt = (item: ExecutionListItem, firstStart: Scalar | undefined): string | undefined =>
  item.status === "new" ? item.createdAt : earlierStart(item, firstStart);

class ExecutionVisitor implements Visitor {
  readonly #reader: ExecutionReader;
  #state = new ExecutionState();
  /** Facts of the current run, or else of the execution. */
  #facts = this.#state.facts;
  #node: Record<string, Scalar> = {};
  #run: WalkedRun | null = null;
  /** Calls that the current run names at its items. n8n counts caught ones; any item keeps what an earlier node named. */
  #itemCalls: { readonly executionId: string; readonly isCounted: boolean }[] = [];
  #base = 0;
  /** True once a container known from n8n's answers has appeared. */
  hasBegun = false;

  constructor(reader: ExecutionReader) {
    this.#reader = reader;
  }

  wantsKey(key: string): boolean {
    return this.#reader.wantsKey(key);
  }

  /** The workflow's nodes are needed if something failed, or if that is not known yet. */
  enters(): number {
    const { hasSeenData, outcome, facts } = this.#state;
    return !hasSeenData || outcome.needsNodes || facts.has("resultError") ? ALL : 0;
  }

  open(place: string, position: WalkPosition): void {
    this.hasBegun = true;
    switch (place) {
      case "elements":
      case "data":
      case "items":
        break;
      case "execution":
        this.#state = new ExecutionState();
        this.#facts = this.#state.facts;
        this.#base = position.depth;
        break;
      case "run":
        this.#beginRun(position);
        break;
      case "pending": {
        const index = Number(position.segmentAt(this.#base + PENDING_DEPTH.entry));
        this.#run = { nodeName: "", index, order: Number.POSITIVE_INFINITY };
        break;
      }
      case "node":
        this.#node = {};
        break;
      case "mcp call":
        this.#state.outcome.noteCall(this.#run?.nodeName ?? "");
        break;
      default:
        this.#facts.begin(place);
    }
  }

  close(place: string, _position: WalkPosition, length: number): void {
    switch (place) {
      case "run":
        this.#endRun();
        this.#facts = this.#state.facts;
        break;
      case "node":
        this.#state.outcome.endNode(this.#node);
        break;
      case "items":
        this.#state.outcome.addItems(length);
        break;
      case "item metadata":
        this.#noteItemCall();
        break;
      case "data":
        this.#state.hasSeenData = true;
        break;
      case "execution":
        this.#endExecution();
    }
  }

  scalar(place: string, value: Scalar, position: WalkPosition): void {
    const { key } = position;
    switch (place) {
      case "elements":
        this.#reader.unreadable(null, UNKNOWN_SHAPE);
        break;
      case "node":
        this.#node[key] = value;
        break;
      case "pendingNode":
        if (this.#run !== null) this.#run.nodeName = String(value);
        break;
      case "waitingChild":
        this.#noteWaitingChild(value);
        break;
      case "execution in payload":
        if (key === "id" && this.#facts.at(place).id == null) this.#facts.note(place, key, value);
        this.#reportIfWanted(value, position);
        break;
      case "sent json":
        this.#state.outcome.noteSent(this.#facts, key, value);
        this.#reportIfWanted(value, position);
        break;
      case "tokens":
      case "estimatedTokens":
        this.#state.outcome.addTokens(place, key, value);
        this.#reportIfWanted(value, position);
        break;
      case "model options":
        this.#facts.note(place, key, value);
        this.#reportIfWanted(value, position);
        break;
      case "error":
        if (ERROR_TEXTS.has(key)) this.#report(value, this.#placeOfPayload(place, position));
        this.#facts.note(place, key, value);
        break;
      default:
        if (PAYLOAD_PLACES.has(place)) this.#report(value, this.#placeOfPayload(place, position));
        else this.#facts.note(place, key, value);
    }
  }

  roomFor(): number {
    return this.#reader.roomForContainer();
  }

  gathered(place: string, gathered: Gathered, position: WalkPosition): void {
    const bytes = gathered.isWhole ? gathered.bytes : null;
    this.#reader.container(bytes, () => this.#placeOfPayload(place, position));
  }

  /** Only payload is searched, so a fact that was skipped is no loss. */
  onSkipped(place: string, position: WalkPosition): void {
    if (place === "execution" && position.key === "data") this.#state.facts.note(place, "data", "");
    if (PAYLOAD_PLACES.has(place) || (place === "error" && ERROR_TEXTS.has(position.key)))
      this.#reader.onSkipped();
  }

  broken(): void {
    this.#reader.unreadable(idIn(this.#state.facts), "it is broken JSON");
  }

  #report(value: Scalar, place: PayloadPlace): void {
    if (typeof value === "string" || typeof value === "number") this.#reader.value(value, place);
  }

  /** A fact inside an item is payload as well. */
  #reportIfWanted(value: Scalar, position: WalkPosition): void {
    const isWanted = position.isKeyWanted || (typeof value === "string" && /^\s*[[{]/.test(value));
    if (isWanted) this.#report(value, this.#placeOfItem(position, DEPTH));
  }

  #placeOfPayload(place: string, position: WalkPosition): PayloadPlace {
    if (place === "customData") return { run: null, item: null, path: position.path(this.#base) };
    if (place === "metadata")
      return { run: null, item: null, path: ["customData", ...position.path(this.#base + DEPTH.metadata)] };
    if (place === "error")
      return { run: this.#run, item: null, path: position.path(this.#base + DEPTH.part) };
    return this.#placeOfItem(position, place === "pendingPayload" ? PENDING_DEPTH : DEPTH);
  }

  #beginRun(position: WalkPosition): void {
    const nodeName = String(position.segmentAt(this.#base + DEPTH.node));
    const index = Number(position.segmentAt(this.#base + DEPTH.run));
    this.#run = { nodeName, index, order: UNORDERED };
    this.#facts = new Facts();
    this.#itemCalls = [];
  }

  #noteItemCall(): void {
    const executionId = linkIn(this.#facts.at("item call"));
    const { subExecutionsCount } = this.#facts.at("item metadata");
    if (executionId !== null && this.#itemCalls.length < MAX_ITEM_CALLS)
      this.#itemCalls.push({ executionId, isCounted: subExecutionsCount !== undefined });
    this.#facts.begin("item call");
  }

  #endRun(): void {
    const [run, facts, state] = [this.#run, this.#facts, this.#state];
    if (run === null) return;
    const { executionIndex, startTime } = facts.at("run");
    run.order = runOrderOf(startTime, executionIndex) ?? UNORDERED;
    state.outcome.endRun(run, facts, isInherited(state.facts.at("execution"), startTime));
    if (facts.has("runParent")) state.runParent = { ...facts.at("runParent"), ...state.runParent };
    const { firstRun } = state;
    if (firstRun === null || run.order < firstRun.order) {
      state.firstRun = run;
      state.firstStart = startTime;
      state.handledId = facts.at("execution in payload").id;
    }
    // A failed call names the called execution only on its error, which code that throws can also forge.
    const called = linkIn(facts.at("subExecution"));
    const executionId = called ?? linkIn(facts.at("error"));
    if (executionId !== null) state.links.push({ executionId, run, isOfError: called === null });
    if (called !== null) return;
    const isOfEach = facts.at("run metadata").subExecutionsCount !== undefined;
    for (const { executionId, isCounted } of this.#itemCalls)
      if (isOfEach || isCounted) state.links.push({ executionId, run, isOfError: !isOfEach });
  }

  #noteWaitingChild(value: Scalar): void {
    const executionId = idOfExecution.safeParse(value).data;
    if (executionId === undefined || this.#run === null) return;
    this.#state.links.push({ executionId, run: this.#run, isOfError: false });
  }

  #endExecution(): void {
    const { facts, outcome, links } = this.#state;
    if (!isOfKnownForm(facts)) {
      this.#reader.unreadable(idIn(facts), UNKNOWN_FORM);
      return;
    }
    const item = executionListItem.safeParse(facts.at("execution"));
    if (!item.success) {
      this.#reader.unreadable(idIn(facts), UNKNOWN_SHAPE);
      return;
    }
    const { name } = facts.at("workflowData");
    const { isRedacted = false } = facts.at("redactionInfo");
    const { saveExecutionProgress } = facts.at("workflowSettings");
    const walked = outcome.outcome(facts);
    const called = links.filter(
      ({ executionId, isOfError, run }) =>
        executionId !== item.data.id && (!isOfError || callsWorkflow(walked.nodeTypes.get(run.nodeName))),
    );
    const inOrder = called.toSorted((a, b) => a.run.order - b.run.order);
    const distinct = new Map(inOrder.map(({ executionId, run }) => [executionId, run.nodeName]));
    this.#reader.execution({
      item: withStatusOfData(item.data, facts),
      workflowName: typeof name === "string" ? name : null,
      acceptedAt: acceptedAt(item.data, this.#state.firstStart),
      ...this.#parentOf(item.data),
      subExecutions: [...distinct].map(([executionId, nodeName]) => ({ executionId, nodeName })),
      isWithheld: isRedacted !== false,
      isTooLarge: facts.at("execution").dataTooLargeToDisplay === true,
      savesProgress: typeof saveExecutionProgress === "boolean" ? saveExecutionProgress : null,
      outcome: walked,
    });
  }

  #parentOf({ mode }: ExecutionListItem): Pick<WalkedExecution, "parentId" | "unknownParentWorkflowId"> {
    const { facts, runParent, handledId } = this.#state;
    const parent = facts.at("parentExecution");
    const handled = mode === "error" && handledId !== undefined ? { executionId: handledId } : {};
    const parentId = linkIn(parent) ?? linkIn(runParent) ?? linkIn(handled);
    const { executionId, workflowId } = parent.executionId === undefined ? runParent : parent;
    const isUnknown = executionId === UNKNOWN_EXECUTION && typeof workflowId === "string";
    return { parentId, unknownParentWorkflowId: parentId === null && isUnknown ? workflowId : null };
  }

  #placeOfItem(position: WalkPosition, depths: typeof DEPTH | typeof PENDING_DEPTH): PayloadPlace {
    const at = (depth: number): string | number => position.segmentAt(this.#base + depth);
    const isSent = "part" in depths && at(depths.part) === "data";
    return {
      run: this.#run,
      item: {
        connectionType: String(at(depths.connectionType)),
        output: Number(at(depths.output)),
        index: Number(at(depths.item)),
        direction: isSent ? "output" : "input",
      },
      path: position.path(this.#base + depths.payload),
    };
  }
}

export class ExecutionWalk implements ByteSink {
  readonly #visitor: ExecutionVisitor;
  readonly #walker: JsonWalker;
  byteLength = 0;

  /** @param form a page of executions (`GET /executions`), or a single one (`GET /executions/{id}`) */
  constructor(form: "list" | "one", reader: ExecutionReader) {
    this.#visitor = new ExecutionVisitor(reader);
    this.#walker = new JsonWalker(form === "list" ? LIST : EXECUTION, this.#visitor);
  }

  write(chunk: Uint8Array): void {
    this.byteLength += chunk.length;
    this.#walker.write(chunk);
  }

  end(): void {
    this.#walker.end();
    // Something else answered in n8n's place: an empty page would mean that executions were deleted.
    if (!this.#visitor.hasBegun) throw new JsonReadError("This is no answer about executions.");
  }
}
