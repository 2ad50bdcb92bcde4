/**
 * The executions that belong to a request, given its matches and the known links. Pure.
 *
 * From each match downwards, everything it caused: sub-workflows, error-handler runs, retries. Upwards, what caused it,
 * with the handlers and retries of these, but without their other sub-workflows: a batch that started a hundred
 * requests is a parent of each, but no reason to show the others.
 */
import { lowerOf } from "../../platform/id-order.ts";
import type { TracedExecution } from "./traced-execution.ts";

/** More than anyone reads; also limits the requests to n8n. */
export const MAX_FAMILY = 300;

export interface Family {
  readonly ids: readonly string[];
  readonly missing: readonly string[];
  readonly isCut: boolean;
}

export interface LinkLookup {
  isKnown(id: string): boolean;
  childrenOf(id: string): readonly string[];
  handlersOf(id: string): readonly string[];
  retriesOf(id: string): readonly string[];
  /**
   * What caused the execution: the one it retries, else its parent. A child started by an MCP trigger's tool does not
   * know its parent (n8n writes `__UNKNOWN__` there), but the parent knows the child.
   */
  causeOf(id: string): string | null;
}

/** Looks up links among executions that are held in memory. */
export class LinkIndex implements LinkLookup {
  readonly #byParent = new Map<string, Set<string>>();
  readonly #retries = new Map<string, Set<string>>();
  /** Successful retry → the execution that names it. */
  readonly #originals = new Map<string, string>();
  /** Child → the execution whose node started it; the oldest, because a retry inherits the calls of what it retries. */
  readonly #callers = new Map<string, string>();
  readonly #executions: ReadonlyMap<string, TracedExecution>;

  constructor(executions: Iterable<TracedExecution>) {
    this.#executions = new Map([...executions].map((execution) => [execution.id, execution]));
    for (const execution of this.#executions.values()) {
      if (execution.retryOf !== null) add(this.#retries, execution.retryOf, execution.id);
      else if (execution.parentId !== null) add(this.#byParent, execution.parentId, execution.id);
      if (execution.retrySuccessId !== null) {
        add(this.#retries, execution.id, execution.retrySuccessId);
        this.#originals.set(execution.retrySuccessId, execution.id);
      }
      for (const { executionId } of execution.subExecutions) {
        add(this.#byParent, execution.id, executionId);
        this.#callers.set(executionId, lowerOf(this.#callers.get(executionId) ?? execution.id, execution.id));
      }
    }
  }

  isKnown(id: string): boolean {
    return this.#executions.has(id);
  }

  childrenOf(id: string): readonly string[] {
    return [...(this.#byParent.get(id) ?? [])];
  }

  retriesOf(id: string): readonly string[] {
    return [...(this.#retries.get(id) ?? [])];
  }

  /** The execution that names this one as its successful retry, which n8n may not have kept. */
  originalOf(id: string): string | null {
    return this.#originals.get(id) ?? null;
  }

  handlersOf(id: string): readonly string[] {
    return this.childrenOf(id).filter((child) => this.#executions.get(child)?.mode === "error");
  }

  causeOf(id: string): string | null {
    const execution = this.#executions.get(id);
    return execution?.retryOf ?? execution?.parentId ?? this.#callers.get(id) ?? null;
  }
}

function add(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key) ?? new Set();
  values.add(value);
  index.set(key, values);
}

/** @param matchIds the executions that hold the request id */
export function familyOf(matchIds: readonly string[], index: LinkLookup): Family {
  const ids = new Set<string>();
  const descended = new Set<string>();
  let isCut = false;

  const include = (id: string): boolean => {
    if (ids.has(id)) return true;
    if (ids.size >= MAX_FAMILY) {
      isCut = true;
      return false;
    }
    ids.add(id);
    return true;
  };
  const descend = (start: string): void => {
    const open = [start];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (descended.has(id) || !include(id)) continue;
      descended.add(id);
      open.push(...index.childrenOf(id), ...index.retriesOf(id));
    }
  };
  const ascend = (start: string): void => {
    const seen = new Set<string>();
    for (let id = index.causeOf(start); id !== null && !seen.has(id) && include(id); id = index.causeOf(id)) {
      seen.add(id);
      for (const handler of index.handlersOf(id)) include(handler);
      const tries = new Set([id]);
      for (const one of tries) for (const retry of index.retriesOf(one)) if (include(retry)) tries.add(retry);
    }
  };

  // What one match has caused may take at most half of the room.
  for (const id of matchIds.slice(0, MAX_FAMILY / 2)) include(id);
  for (const id of matchIds) {
    descend(id);
    ascend(id);
  }
  return { ids: [...ids], missing: [...ids].filter((id) => !index.isKnown(id)), isCut };
}
