/**
 * Walks over executions as n8n sends them, a page of them or one alone, of any size: their facts, their
 * links, and the values of their payload that someone wants. Holds one execution's facts; of its payload one
 * item at most, as far as its reader has room for it.
 *
 * Promises: each execution ends in one call, `execution` or `unreadable`; a malformed one costs only itself.
 */
import { JsonReadError } from "../json/errors.ts";
import { type Guide, JsonWalker, type Scalar, type Visitor } from "../json/json-walker.ts";
import { type ExecutionListItem, executionListItem, executionReference, idOfExecution } from "./schemas.ts";

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
  unlooked(): void;
  /** The execution whose values were reported is at its end. */
  execution(walked: WalkedExecution): void;
  /** The execution whose values were reported cannot be read. */
  unreadable(id: string | null, reason: string): void;
}

const membersOf = (members: Record<string, Guide>): ReadonlyMap<string, Guide> =>
  new Map(Object.entries(members));

const facts = (place: string): Guide => ({ place, scalars: "all" });

function payload(place: string): Guide {
  const inside: { -readonly [Key in keyof Guide]: Guide[Key] } = { place, scalars: "wanted" };
  inside.otherMembers = inside;
  inside.items = inside;
  return { ...inside, isGathered: true };
}

/** An item's `json`, of which the Error Trigger's `execution.id` is a fact, too. */
function payloadOfRun(): Guide {
  const inside = payload("payload");
  const execution: Guide = { ...inside, place: "execution in payload", scalars: "all", isGathered: false };
  return { ...inside, members: membersOf({ execution }) };
}

/** Connection type → output → items → `json`. */
function connections(place: string, json = payload(place)): Guide {
  const item: Guide = { place: "item", members: membersOf({ json }) };
  const outputs: Guide = { place: "outputs", items: { place: "items", items: item } };
  return { place: "connections", otherMembers: outputs };
}

const RUN: Guide = {
  place: "run",
  isReported: true,
  scalars: "all",
  members: membersOf({
    data: connections("payload", payloadOfRun()),
    inputOverride: connections("payload"),
    metadata: {
      place: "metadata",
      members: membersOf({
        subExecution: facts("subExecution"),
        // n8n 1.x has it here alone, on the first run.
        parentExecution: facts("runParent"),
      }),
    },
    error: { place: "error", scalars: "all" },
  }),
};

/** A running execution often has no runs yet: what it was given stands here. */
const PENDING_NODE: Guide = {
  place: "pending",
  isReported: true,
  members: membersOf({ node: facts("pendingNode"), data: connections("pendingPayload") }),
};

const DATA: Guide = {
  place: "data",
  members: membersOf({
    parentExecution: facts("parentExecution"),
    redactionInfo: facts("redactionInfo"),
    resultData: {
      place: "resultData",
      members: membersOf({
        error: facts("resultError"),
        runData: { place: "runData", otherMembers: { place: "runs", items: RUN } },
      }),
    },
    executionData: {
      place: "executionData",
      members: membersOf({ nodeExecutionStack: { place: "stack", items: PENDING_NODE } }),
    },
  }),
};

/** n8n keeps its values short, and any of them may be what someone holds: all of them pass by. */
const CUSTOM_DATA: Guide = { ...payload("customData"), scalars: "all" };

const EXECUTION: Guide = {
  place: "execution",
  isReported: true,
  isIsolated: true,
  scalars: "all",
  members: membersOf({ data: DATA, workflowData: facts("workflowData"), customData: CUSTOM_DATA }),
};

const LIST: Guide = {
  place: "list",
  members: membersOf({
    data: { place: "elements", isReported: true, scalars: "all", items: EXECUTION },
  }),
};

/** How deep things lie below the execution, whose own members have depth 0. */
const DEPTH = { node: 3, run: 4, part: 5, connectionType: 6, output: 7, item: 8, payload: 10 };
const PENDING_DEPTH = { entry: 3, connectionType: 5, output: 6, item: 7, payload: 9 };

const PAYLOAD_PLACES: ReadonlySet<string> = new Set([
  ...["payload", "execution in payload", "pendingPayload", "customData"],
]);

const UNORDERED = Number.NEGATIVE_INFINITY;

interface Link {
  readonly executionId: string;
  readonly run: WalkedRun;
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
  /** A failed call names the called execution on its error alone. */
  failedCall: Record<string, Scalar>;
  /** As an Error Trigger's item names it. */
  handledId: Scalar | undefined;
  /** `name` and `message` of what the whole execution failed with. */
  readonly resultError: Record<string, Scalar>;
  readonly links: Link[];
  isWithheld: boolean;
}

const begin = (): Passing => ({
  facts: {},
  parent: {},
  runParent: {},
  workflowName: null,
  run: null,
  subExecution: {},
  failedCall: {},
  handledId: undefined,
  resultError: {},
  links: [],
  isWithheld: false,
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
function withStatusOfData(
  item: ExecutionListItem,
  { name, message }: Record<string, Scalar>,
): ExecutionListItem {
  if (item.isStatusInferred !== true || item.status !== "error") return item;
  const hasFailed = name !== undefined || message !== undefined;
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

  open(place: string, walker: JsonWalker): void {
    this.hasBegun = true;
    if (place === "elements") return;
    if (place === "execution") {
      this.#passing = begin();
      this.#base = walker.depth;
    } else if (place === "run") {
      const nodeName = String(walker.segmentAt(this.#base + DEPTH.node));
      const index = Number(walker.segmentAt(this.#base + DEPTH.run));
      this.#passing.run = { nodeName, index, order: UNORDERED };
      this.#passing.subExecution = {};
      this.#passing.failedCall = {};
    } else {
      const index = Number(walker.segmentAt(this.#base + PENDING_DEPTH.entry));
      this.#passing.run = { nodeName: "", index, order: Number.POSITIVE_INFINITY };
    }
  }

  close(place: string): void {
    if (place === "run") this.#endRun();
    else if (place === "execution") this.#endExecution();
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
        if (walker.key === "name" && typeof value === "string") this.#passing.workflowName = value;
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
        if (walker.key === "name" && this.#passing.run !== null) this.#passing.run.nodeName = String(value);
        break;
      case "resultError":
        this.#passing.resultError[walker.key] = value;
        break;
      case "execution in payload":
        this.#noteHandled(value, walker);
        break;
      case "error":
        if (walker.key === "executionId") this.#passing.failedCall[walker.key] = value;
        if (walker.key === "message") this.#report(value, this.#placeOfPayload(place, walker));
        break;
      default:
        this.#report(value, this.#placeOfPayload(place, walker));
    }
  }

  roomFor(): number {
    return this.#reader.roomForContainer();
  }

  gathered(place: string, bytes: Uint8Array | null, walker: JsonWalker): void {
    this.#reader.container(bytes, this.#placeOfPayload(place, walker));
  }

  /** Facts are not what is looked for. */
  unlooked(place: string, walker: JsonWalker): void {
    if (PAYLOAD_PLACES.has(place) || (place === "error" && walker.key === "message")) this.#reader.unlooked();
  }

  broken(): void {
    this.#reader.unreadable(idOf(this.#passing.facts), "it is broken JSON");
  }

  #report(value: Scalar, place: PayloadPlace): void {
    if (typeof value === "string" || typeof value === "number") this.#reader.value(value, place);
  }

  /** It is payload like what stands around it. */
  #noteHandled(value: Scalar, walker: JsonWalker): void {
    if (walker.key === "id") this.#passing.handledId ??= value;
    const isWanted =
      this.#reader.wantsKey(walker.key) || (typeof value === "string" && /^\s*[[{]/.test(value));
    if (isWanted) this.#report(value, this.#placeOfItem(walker));
  }

  #placeOfPayload(place: string, walker: JsonWalker): PayloadPlace {
    const { run } = this.#passing;
    switch (place) {
      case "customData":
        return { run: null, item: null, path: walker.path(this.#base) };
      case "error":
        return { run, item: null, path: walker.path(this.#base + DEPTH.part) };
      case "payload":
      case "execution in payload":
        return this.#placeOfItem(walker);
      default:
        return this.#placeOfPendingItem(walker);
    }
  }

  /** Older n8n has no `executionIndex`; its start in epoch ms sorts as well. */
  #noteRun(key: string, value: Scalar): void {
    const { run } = this.#passing;
    if (run === null || typeof value !== "number") return;
    if (key === "executionIndex" || (key === "startTime" && run.order === UNORDERED)) run.order = value;
  }

  #endRun(): void {
    const { run, subExecution, failedCall, links } = this.#passing;
    const executionId = linkIn(subExecution) ?? linkIn(failedCall);
    if (run !== null && executionId !== null) links.push({ executionId, run });
  }

  #endExecution(): void {
    const { facts: read, workflowName, links, isWithheld } = this.#passing;
    const item = executionListItem.safeParse(read);
    if (!item.success) {
      this.#reader.unreadable(idOf(read), "its shape is unknown");
      return;
    }
    const { id } = item.data;
    const called = links.filter(({ executionId }) => executionId !== id);
    const inOrder = called.toSorted((a, b) => a.run.order - b.run.order);
    const distinct = new Map(inOrder.map(({ executionId, run }) => [executionId, run.nodeName]));
    this.#reader.execution({
      item: withStatusOfData(item.data, this.#passing.resultError),
      workflowName,
      ...this.#parentOf(item.data),
      subExecutions: [...distinct].map(([executionId, nodeName]) => ({ executionId, nodeName })),
      isWithheld,
      isTooLarge: read.dataTooLargeToDisplay === true,
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
