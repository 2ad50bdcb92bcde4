/**
 * Walks over executions as n8n sends them, a page of them or one alone, of any size: their facts, their
 * links, and the values of their payload that someone wants. Holds one execution's facts; of its payload one
 * item at most, as far as its reader has room for it.
 *
 * Promises: each execution ends in one call, `execution` or `unreadable`; a malformed one costs only itself.
 */
import { JsonReadError } from "../json/errors.ts";
import { ALL, type Gathered, JsonWalker, type Scalar, type Visitor } from "../json/json-walker.ts";
import { DEPTH, EXECUTION, LIST, PAYLOAD_PLACES, PENDING_DEPTH } from "./execution-guides.ts";
import { OutcomeCollector, type WalkedOutcome } from "./execution-outcome.ts";
import { type ExecutionListItem, executionListItem, executionReference, idOfExecution } from "./schemas.ts";
import { callsWorkflow } from "./workflow-callers.ts";

/** What takes an answer as it streams in. */
export interface ByteSink {
  /** The chunk must not be changed afterwards. @throws JsonReadError */
  write(chunk: Uint8Array): void;
  /** @throws JsonReadError when the answer broke off */
  end(): void;
}

export interface WalkedExecution {
  readonly item: ExecutionListItem;
  readonly workflowName: string | null;
  readonly parentId: string | null;
  /** The workflow of a parent that n8n did not know by its id (`__UNKNOWN__`): an MCP server's, whose tool it is. */
  readonly unknownParentWorkflowId: string | null;
  /** In the order of execution, each once. */
  readonly subExecutions: readonly { readonly executionId: string; readonly nodeName: string }[];
  /** n8n has taken its data out (`data.redactionInfo`): what was sought may have been there. */
  readonly isWithheld: boolean;
  /** It is above n8n's display limit (`dataTooLargeToDisplay`): n8n sends none of its data. */
  readonly isTooLarge: boolean;
  readonly outcome: WalkedOutcome;
}

/** One run of a node, or what a node that has yet to run was given. Complete once its execution ends. */
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
  /** Where it was sent or given; null for custom data and errors. */
  readonly item: {
    /** `main`, `ai_tool`, … */
    readonly connectionType: string;
    readonly output: number;
    readonly index: number;
    /** `output`: the node sent it; `input`: it was given it. */
    readonly direction: "output" | "input";
  } | null;
  /** Inside the item's `json`; else it begins with `customData` or `error`. */
  readonly path: readonly (string | number)[];
}

export interface ExecutionReader {
  /** True when values under this key are wanted, whatever they are. */
  wantsKey(key: string): boolean;
  /** A value under a wanted key or of custom data, a string that looks like JSON, or the message of a failed run. */
  value(value: string | number, place: PayloadPlace): void;
  /** How many bytes of the item or custom data that begins may be held, to be reported as a whole. */
  roomForContainer(): number;
  /** Such a one, as JSON; null when it has more bytes than there was room for. */
  container(bytes: Uint8Array | null, place: PayloadPlace): void;
  /** A part of the payload could not be looked at. */
  onSkipped(): void;
  /** The execution whose values were reported is at its end. */
  execution(walked: WalkedExecution): void;
  /** The execution whose values were reported cannot be read. */
  unreadable(id: string | null, reason: string): void;
}

const UNORDERED = Number.NEGATIVE_INFINITY;

interface Link {
  readonly executionId: string;
  readonly run: WalkedRun;
  /** It stands on an error alone: it counts where the node is one that calls workflows. */
  readonly isOfError: boolean;
}

/** What is known of the execution that is passing by. */
interface Passing {
  readonly facts: Record<string, Scalar>;
  readonly parent: Record<string, Scalar>;
  /** As a run names it. */
  readonly runParent: Record<string, Scalar>;
  workflowName: string | null;
  run: WalkedRun | null;
  subExecution: Record<string, Scalar>;
  /** A failed call names the called execution on its error alone. Whoever throws one in code may write it, too. */
  failedCall: Record<string, Scalar>;
  /** What the present run, and the first one, have sent as `execution.id`: that of an Error Trigger's item is n8n's. */
  sentId: Scalar | undefined;
  handledId: Scalar | undefined;
  firstRun: WalkedRun | null;
  readonly links: Link[];
  isWithheld: boolean;
  readonly outcome: OutcomeCollector;
}

const begin = (): Passing => ({
  facts: {},
  parent: {},
  runParent: {},
  workflowName: null,
  run: null,
  subExecution: {},
  failedCall: {},
  sentId: undefined,
  handledId: undefined,
  firstRun: null,
  links: [],
  isWithheld: false,
  outcome: new OutcomeCollector(),
});

/** The id of a link; null when there is none, which most have: making zod's error for each takes its time. */
function linkIn(reference: Record<string, Scalar>): string | null {
  if (reference.executionId === undefined) return null;
  return executionReference.safeParse(reference).data?.executionId ?? null;
}

/** What is no id is someone's text, and goes no further. */
const idOf = ({ id }: Passing["facts"]): string | null => idOfExecution.safeParse(id).data ?? null;

/** The id that n8n gives to a caller which is not stored yet. */
const UNKNOWN_EXECUTION = "__UNKNOWN__";

/** Where n8n did not report the status, what the execution failed with says more than its list does. */
function withStatusOfData(item: ExecutionListItem, outcome: OutcomeCollector): ExecutionListItem {
  if (item.isStatusInferred !== true || item.status !== "error") return item;
  const name = outcome.resultError("name");
  const hasFailed = name !== undefined || outcome.resultError("message") !== undefined;
  // One that was stopped has no error, or one that is named for it.
  const isCanceled = !hasFailed || /Cancell?ed/.test(String(name));
  return isCanceled ? { ...item, status: "canceled" } : item;
}

class ExecutionVisitor implements Visitor {
  readonly #reader: ExecutionReader;
  #passing = begin();
  /** Depth of the execution's own members. */
  #base = 0;
  /** False as long as nothing was there that n8n would answer. */
  hasBegun = false;

  constructor(reader: ExecutionReader) {
    this.#reader = reader;
  }

  wantsKey(key: string): boolean {
    return this.#reader.wantsKey(key);
  }

  enters(): number {
    return this.#passing.outcome.needsNodes ? ALL : 0;
  }

  open(place: string, walker: JsonWalker): void {
    this.hasBegun = true;
    switch (place) {
      case "elements":
        break;
      case "execution":
        this.#passing = begin();
        this.#base = walker.depth;
        break;
      case "run":
        this.#beginRun(walker);
        break;
      case "pending": {
        const index = Number(walker.segmentAt(this.#base + PENDING_DEPTH.entry));
        this.#passing.run = { nodeName: "", index, order: Number.POSITIVE_INFINITY };
        break;
      }
      case "mcp call":
        this.#passing.outcome.noteCall(this.#passing.run?.nodeName ?? "");
        break;
      default:
        this.#passing.outcome.open(place);
    }
  }

  close(place: string, _walker: JsonWalker, length: number): void {
    if (place === "run") this.#endRun();
    else if (place === "execution") this.#endExecution();
    else this.#passing.outcome.close(place, length);
  }

  scalar(place: string, value: Scalar, walker: JsonWalker): void {
    switch (place) {
      case "elements":
        this.#reader.unreadable(null, "its shape is unknown");
        break;
      case "execution":
        this.#passing.facts[walker.key] = value;
        break;
      case "workflowData":
        if (typeof value === "string") this.#passing.workflowName = value;
        break;
      case "parentExecution":
        this.#passing.parent[walker.key] = value;
        break;
      case "redactionInfo":
        if (walker.key === "isRedacted") this.#passing.isWithheld = value !== false;
        break;
      case "subExecution":
        this.#passing.subExecution[walker.key] = value;
        break;
      case "runParent":
        this.#passing.runParent[walker.key] ??= value;
        break;
      case "run":
        this.#noteRun(walker.key, value);
        break;
      case "pendingNode":
        if (this.#passing.run !== null) this.#passing.run.nodeName = String(value);
        break;
      case "execution in payload":
        if (walker.key === "id") this.#passing.sentId ??= value;
        this.#reportIfWanted(value, walker);
        break;
      case "sent json":
        this.#passing.outcome.noteSent(walker.key, value);
        this.#reportIfWanted(value, walker);
        break;
      case "tokens":
      case "estimated tokens":
        this.#passing.outcome.note(place, walker.key, value);
        this.#reportIfWanted(value, walker);
        break;
      case "error":
        if (walker.key === "executionId") this.#passing.failedCall[walker.key] = value;
        if (walker.key === "message") this.#report(value, this.#placeOfPayload(place, walker));
        this.#passing.outcome.note(place, walker.key, value);
        break;
      default:
        if (PAYLOAD_PLACES.has(place)) this.#report(value, this.#placeOfPayload(place, walker));
        else this.#passing.outcome.note(place, walker.key, value);
    }
  }

  roomFor(): number {
    return this.#reader.roomForContainer();
  }

  gathered(place: string, gathered: Gathered, walker: JsonWalker): void {
    const bytes = gathered.isWhole ? gathered.bytes : null;
    this.#reader.container(bytes, this.#placeOfPayload(place, walker));
  }

  /** Facts are not what is looked for. */
  onSkipped(place: string, walker: JsonWalker): void {
    if (PAYLOAD_PLACES.has(place) || (place === "error" && walker.key === "message"))
      this.#reader.onSkipped();
  }

  broken(): void {
    this.#reader.unreadable(idOf(this.#passing.facts), "it is broken JSON");
  }

  #report(value: Scalar, place: PayloadPlace): void {
    if (typeof value === "string" || typeof value === "number") this.#reader.value(value, place);
  }

  /** A fact is payload, too, like what stands around it. */
  #reportIfWanted(value: Scalar, walker: JsonWalker): void {
    const isWanted = walker.isKeyWanted || (typeof value === "string" && /^\s*[[{]/.test(value));
    if (isWanted) this.#report(value, this.#placeOfItem(walker));
  }

  #placeOfPayload(place: string, walker: JsonWalker): PayloadPlace {
    const { run } = this.#passing;
    switch (place) {
      case "customData":
        return { run: null, item: null, path: walker.path(this.#base) };
      case "error":
        return { run, item: null, path: walker.path(this.#base + DEPTH.part) };
      case "pendingPayload":
        return this.#placeOfPendingItem(walker);
      default:
        return this.#placeOfItem(walker);
    }
  }

  #beginRun(walker: JsonWalker): void {
    const nodeName = String(walker.segmentAt(this.#base + DEPTH.node));
    const index = Number(walker.segmentAt(this.#base + DEPTH.run));
    this.#passing.run = { nodeName, index, order: UNORDERED };
    this.#passing.subExecution = {};
    this.#passing.failedCall = {};
    this.#passing.sentId = undefined;
    this.#passing.outcome.beginRun(index);
  }

  /** Older n8n has no `executionIndex`; its start in epoch ms sorts as well. */
  #noteRun(key: string, value: Scalar): void {
    const { run, outcome } = this.#passing;
    outcome.note("run", key, value);
    if (run === null || typeof value !== "number") return;
    if (key === "executionIndex" || (key === "startTime" && run.order === UNORDERED)) run.order = value;
  }

  #endRun(): void {
    const { run, firstRun, subExecution, failedCall, sentId, links } = this.#passing;
    if (run === null) return;
    this.#passing.outcome.endRun(run);
    if (firstRun === null || run.order < firstRun.order)
      Object.assign(this.#passing, { firstRun: run, handledId: sentId });
    const called = linkIn(subExecution);
    const failed = called === null ? linkIn(failedCall) : null;
    if (called !== null) links.push({ executionId: called, run, isOfError: false });
    if (failed !== null) links.push({ executionId: failed, run, isOfError: true });
  }

  #endExecution(): void {
    const { facts: read, workflowName, links, isWithheld } = this.#passing;
    const item = executionListItem.safeParse(read);
    if (!item.success) {
      this.#reader.unreadable(idOf(read), "its shape is unknown");
      return;
    }
    const { id } = item.data;
    const outcome = this.#passing.outcome.outcome();
    const called = links.filter(
      ({ executionId, isOfError, run }) =>
        executionId !== id && (!isOfError || callsWorkflow(outcome.nodeTypes.get(run.nodeName))),
    );
    const inOrder = called.toSorted((a, b) => a.run.order - b.run.order);
    const distinct = new Map(inOrder.map(({ executionId, run }) => [executionId, run.nodeName]));
    this.#reader.execution({
      item: withStatusOfData(item.data, this.#passing.outcome),
      workflowName,
      ...this.#parentOf(item.data),
      subExecutions: [...distinct].map(([executionId, nodeName]) => ({ executionId, nodeName })),
      isWithheld,
      isTooLarge: read.dataTooLargeToDisplay === true,
      outcome,
    });
  }

  #parentOf({ mode }: ExecutionListItem): Pick<WalkedExecution, "parentId" | "unknownParentWorkflowId"> {
    const { parent, runParent, handledId } = this.#passing;
    const handled = mode === "error" && handledId !== undefined ? { executionId: handledId } : {};
    const parentId = linkIn(parent) ?? linkIn(runParent) ?? linkIn(handled);
    const { executionId, workflowId } = parent.executionId === undefined ? runParent : parent;
    const isUnknown = executionId === UNKNOWN_EXECUTION && typeof workflowId === "string";
    return { parentId, unknownParentWorkflowId: parentId === null && isUnknown ? workflowId : null };
  }

  #placeOfItem(walker: JsonWalker): PayloadPlace {
    const at = (depth: number): string | number => walker.segmentAt(this.#base + depth);
    return {
      run: this.#passing.run,
      item: {
        connectionType: String(at(DEPTH.connectionType)),
        output: Number(at(DEPTH.output)),
        index: Number(at(DEPTH.item)),
        direction: at(DEPTH.part) === "data" ? "output" : "input",
      },
      path: walker.path(this.#base + DEPTH.payload),
    };
  }

  #placeOfPendingItem(walker: JsonWalker): PayloadPlace {
    const at = (depth: number): string | number => walker.segmentAt(this.#base + depth);
    return {
      run: this.#passing.run,
      item: {
        connectionType: String(at(PENDING_DEPTH.connectionType)),
        output: Number(at(PENDING_DEPTH.output)),
        index: Number(at(PENDING_DEPTH.item)),
        direction: "input",
      },
      path: walker.path(this.#base + PENDING_DEPTH.payload),
    };
  }
}

export class ExecutionWalk implements ByteSink {
  readonly #visitor: ExecutionVisitor;
  readonly #walker: JsonWalker;
  /** How many bytes have passed. */
  byteLength = 0;

  /** @param form a page of executions (`GET /executions`), or one alone (`GET /executions/{id}`) */
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
    // Whatever else answers in n8n's place: an empty page would mean that executions were deleted.
    if (!this.#visitor.hasBegun) throw new JsonReadError("This is no answer about executions.");
  }
}
