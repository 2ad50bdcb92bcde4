/**
 * What is read of an execution to compare it with another: which nodes ran and how, of the first items of each output
 * fields, types and short texts, and what the nodes were set to. Everything is bounded by counts of its own, however
 * large the execution is: what payload uses up is never lacking where names and parameters stand.
 */
import type { Part, ReadBounds, Selection } from "../json/bounded-reader.ts";
import {
  ITEMS_LENGTH,
  isNodeSetting,
  MAX_VALUES,
  type Path,
  RUN_DATA_DEPTH,
  selectFrame,
} from "./read-plans.ts";

/** Of the first run of a node; of each later one, the first item. */
const FIRST_ITEMS = 3;
/** Loops: what a run does in its hundredth turn it did before. */
const RUNS_WITH_ITEMS = 20;
const MAX_RUNS_OF_NODE = 200;
const MAX_RUNS = 5_000;
const MAX_NODES = 2_000;
const MAX_OUTPUTS = 50;

/** Objects and lists in items: of one item, and of all. */
const MAX_CONTAINERS_OF_ITEM = 150;
const MAX_CONTAINERS = 5_000;
/** So many of them keep what their texts say, too. */
const MAX_CONTAINERS_WITH_TEXT = 1_000;
const MAX_MEMBERS = 100;
const MAX_LIST_ITEMS = 5;
/** Levels below an item's `json`. */
const MAX_JSON_DEPTH = 9;
const MAX_TEXT_BYTES = 100;
/** Enough for the code of a node. */
const MAX_SETTING_BYTES = 16_000;
/** Kept of all texts together: no more than payload can take, and parameters besides. */
const MAX_KEPT_BYTES = 12 * 1024 * 1024;

const keepAll = (maxStringBytes: number): Part => ({ from: 0, to: 5_000, maxMembers: 5_000, maxStringBytes });

/** Counts what it has let through, so it serves one execution. */
class ShapesOfOne {
  #runs = 0;
  #containers = 0;
  #ofItem = 0;

  select(path: Path): Selection {
    if (isNodeSetting(path)) return keepAll(MAX_SETTING_BYTES);
    if (path[1] === "executionData") return "count";
    if (path[2] === "runData") {
      if (path.length === RUN_DATA_DEPTH) return { from: 0, to: 0, maxMembers: MAX_NODES };
      if (path.length === RUN_DATA_DEPTH + 1) return { from: 0, to: MAX_RUNS_OF_NODE };
      if (path.length === RUN_DATA_DEPTH + 2) return this.#selectRun();
      if (path[RUN_DATA_DEPTH + 2] === "inputOverride") return "count";
      if (path.length === ITEMS_LENGTH - 1) return { from: 0, to: MAX_OUTPUTS };
    }
    return selectFrame(path, (place) => this.#selectItems(place));
  }

  #selectRun(): Selection {
    this.#runs += 1;
    return this.#runs > MAX_RUNS ? "count" : "keep";
  }

  #selectItems(path: Path): Selection {
    if (path.length === ITEMS_LENGTH) return { from: 0, to: itemsOfRun(Number(path[RUN_DATA_DEPTH + 1])) };
    if (path.length === ITEMS_LENGTH + 1) {
      this.#ofItem = 0;
      return "keep";
    }
    const part = path[ITEMS_LENGTH + 1];
    const depth = path.length - ITEMS_LENGTH - 2;
    // Of a binary its name alone.
    if (part === "binary") return depth === 0 ? this.#selectPayload() : "count";
    return part === "json" && depth < MAX_JSON_DEPTH ? this.#selectPayload() : "count";
  }

  #selectPayload(): Selection {
    this.#containers += 1;
    this.#ofItem += 1;
    if (this.#containers > MAX_CONTAINERS || this.#ofItem > MAX_CONTAINERS_OF_ITEM) return "count";
    const maxStringBytes = this.#containers > MAX_CONTAINERS_WITH_TEXT ? 0 : MAX_TEXT_BYTES;
    return { from: 0, to: MAX_LIST_ITEMS, maxMembers: MAX_MEMBERS, maxStringBytes };
  }
}

function itemsOfRun(run: number): number {
  if (run === 0) return FIRST_ITEMS;
  return run < RUNS_WITH_ITEMS ? 1 : 0;
}

const boundsOf = (executions: number, select: (path: Path) => Selection): ReadBounds => ({
  maxStringBytes: 2_000,
  maxKeptBytes: executions * MAX_KEPT_BYTES,
  maxArrayItems: 2_000,
  maxDepth: 64,
  maxValues: executions * MAX_VALUES_OF_ONE,
  select,
});

/** All that its own counts let through, and the structure around. */
const MAX_VALUES_OF_ONE = MAX_CONTAINERS * MAX_MEMBERS + MAX_VALUES;

/** For one execution. It counts what it lets through: made anew for each reading. */
export function shapes(): ReadBounds {
  const one = new ShapesOfOne();
  return boundsOf(1, (path) => one.select(path));
}

/** For a list of so many executions, each within the bounds of one. Made anew for each reading. */
export function shapesOfList(executions: number): ReadBounds {
  let one = new ShapesOfOne();
  return boundsOf(executions, (path) => {
    if (path[0] !== "data" || path.length === 1) return { from: 0, to: executions };
    if (path.length === 2) one = new ShapesOfOne();
    return one.select(path.slice(2));
  });
}
