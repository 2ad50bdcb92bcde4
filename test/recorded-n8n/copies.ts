/**
 * Turns one recorded value into JSON text for any copy of the recording.
 * A template is the value's JSON, split at the places that differ between copies: execution ids, times and the
 * request's own id. Rendering only joins strings, so ten thousand executions cost no more memory than the
 * recorded ones. Pure.
 *
 * Copy 0 is the recording itself. In copy k every request id becomes `<id>-copy-<k>`, execution ids are shifted by a
 * constant, and times are k steps further in the past. A numeric request id becomes a string in copies.
 */

/** What differs in one copy. */
export interface Copy {
  /** 0 for the recording itself. */
  number: number;
  /** Added to each execution id. */
  idOffset: number;
  /** Added to each time, in milliseconds; negative is the past. */
  timeOffset: number;
}

/** Writes a value as JSON for a copy. */
export type Template = (copy: Copy) => string;

export function copyRequestId(requestId: string, copyNumber: number): string {
  return copyNumber === 0 ? requestId : `${requestId}-copy-${copyNumber}`;
}

export function moveId(id: string, copy: Copy): string {
  return /^\d+$/.test(id) ? String(Number(id) + copy.idOffset) : id;
}

export function moveTime(time: string, copy: Copy): string {
  return new Date(Date.parse(time) + copy.timeOffset).toISOString();
}

/** Keys whose string value is the id of an execution, in n8n's data. */
const idKeys = new Set(["executionId", "parentExecutionId", "retryOf", "retrySuccessId"]);
/** Keys whose value is a time: ISO 8601 when a string, milliseconds since 1970 when a number. */
const timeKeys = new Set(["createdAt", "startedAt", "stoppedAt", "startTime", "establishedAt", "timestamp"]);

/** A place that differs between copies: a marker in the value before it becomes JSON, found again in the text. */
interface Slot {
  kind: (typeof slotKinds)[number];
  value: string;
}

const slotKinds = ["id", "time", "milliseconds", "request", "number"] as const;
/** Kinds that replace a whole JSON value, not a part of a string. */
const wholeKinds = ["milliseconds", "number"];

const open = "\u0001";
const close = "\u0002";
/** A slot in JSON text, with its quotes, which are dropped where the slot is a number. */
const slotPattern = /"?\\u0001([a-z]+):(.*?)\\u0002"?/g;

/** @param key that of the value @param requestIds those of the request that the value belongs to */
export function createTemplate(value: unknown, key: string, requestIds: string[]): Template {
  const text = JSON.stringify(mark(value, key, requestIds));
  const parts: string[] = [];
  const slots: Slot[] = [];
  let end = 0;
  for (const match of text.matchAll(slotPattern)) {
    const { start, length, slot } = readSlot(match);
    parts.push(text.slice(end, start));
    slots.push(slot);
    end = start + length;
  }
  parts.push(text.slice(end));
  return (copy) => parts.map((part, index) => part + writeSlot(slots[index], copy)).join("");
}

function readSlot(match: RegExpExecArray): { start: number; length: number; slot: Slot } {
  const [whole, name, escaped = ""] = match;
  const kind = slotKinds.find((each) => each === name);
  if (kind === undefined) throw new Error(`The recording holds the mark of an unknown slot: ${whole}`);
  const slot = { kind, value: JSON.parse(`"${escaped}"`) };
  if (wholeKinds.includes(kind)) return { start: match.index, length: whole.length, slot };
  const before = whole.startsWith('"') ? 1 : 0;
  const after = whole.endsWith('"') ? 1 : 0;
  return { start: match.index + before, length: whole.length - before - after, slot };
}

function writeSlot(slot: Slot | undefined, copy: Copy): string {
  if (slot === undefined) return "";
  const { kind, value } = slot;
  if (kind === "id") return moveId(value, copy);
  if (kind === "time") return moveTime(value, copy);
  if (kind === "milliseconds") return String(Number(value) + copy.timeOffset);
  if (kind === "number" && copy.number === 0) return value;
  const text = JSON.stringify(copyRequestId(value, copy.number));
  return kind === "number" ? text : text.slice(1, -1);
}

/** Replaces the places that differ by slots, recursively. */
function mark(value: unknown, key: string, requestIds: string[]): unknown {
  if (typeof value === "number") return markNumber(value, key, requestIds);
  if (typeof value === "string") return markString(value, key, requestIds);
  if (Array.isArray(value)) return value.map((each) => mark(each, key, requestIds));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  // The item of an error trigger: `execution: { id, url, … }`.
  const isExecution = key === "execution";
  return Object.fromEntries(
    entries.map(([name, each]) => {
      if (isExecution && name === "id") return [name, mark(each, "executionId", requestIds)];
      if (isExecution && name === "url") return [name, markUrl(String(each))];
      return [name, mark(each, name, requestIds)];
    }),
  );
}

function markNumber(value: number, key: string, requestIds: string[]): unknown {
  if (timeKeys.has(key)) return write({ kind: "milliseconds", value: String(value) });
  if (requestIds.includes(String(value))) return write({ kind: "number", value: String(value) });
  return value;
}

function markString(value: string, key: string, requestIds: string[]): string {
  if (idKeys.has(key)) return write({ kind: "id", value });
  if (timeKeys.has(key) && isExactTime(value)) return write({ kind: "time", value });
  return requestIds.reduce(
    (text, requestId) => text.replaceAll(requestId, write({ kind: "request", value: requestId })),
    value,
  );
}

function isExactTime(value: string): boolean {
  const milliseconds = Date.parse(value);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === value;
}

function markUrl(url: string): string {
  return url.replace(/\d+$/, (id) => write({ kind: "id", value: id }));
}

function write({ kind, value }: Slot): string {
  return `${open}${kind}:${value}${close}`;
}
