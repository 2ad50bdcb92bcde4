/**
 * From one element of a page (an execution as bytes) to what a trace notes of it. The bytes are searched
 * for the id before anything is parsed; only an element that may hold it is read with its items.
 */
import { ObserverError } from "../errors.ts";
import { outputsOf, runsByNode } from "../executions/node-runs.ts";
import { BoundedReader, type ReadBounds, readBounded, UNBOUNDED } from "../json/bounded-reader.ts";
import { ByteFinder, containsSpelling, mayContain } from "../json/byte-finder.ts";
import type { Element } from "../json/element-splitter.ts";
import { JsonReadError } from "../json/errors.ts";
import { Omitted, type ReadValue } from "../json/omitted.ts";
import type { N8nClient } from "../n8n/client.ts";
import { LINKS, MATCHING } from "../n8n/read-plans.ts";
import { type ExecutionWithData, executionWithData } from "../n8n/schemas.ts";
import { findRequestId, type Match } from "./match.ts";
import type { RequestIdPaths } from "./request-id-paths.ts";

/** What is looked for. */
export interface Wanted {
  readonly requestId: string;
  readonly paths: RequestIdPaths;
}

export type ElementReading =
  | {
      readonly kind: "read";
      readonly execution: ExecutionWithData;
      readonly match: Match | null;
      /** True when the id may stand in a part that was left out. */
      readonly isUncertain: boolean;
    }
  | { readonly kind: "skipped"; readonly executionId: string | null; readonly reason: string };

/** Only the scalars of the execution itself: its id above all. */
const HEAD_BOUNDS: ReadBounds = { ...UNBOUNDED, select: (path) => (path.length === 0 ? "keep" : "count") };

function idInHead(head: Uint8Array): string | null {
  const reader = new BoundedReader(HEAD_BOUNDS);
  try {
    reader.write(head);
  } catch (error) {
    if (!(error instanceof JsonReadError)) throw error;
    return null;
  }
  const partial = reader.partial();
  if (partial === null || typeof partial !== "object" || Array.isArray(partial) || partial instanceof Omitted)
    return null;
  return typeof partial.id === "string" || typeof partial.id === "number" ? String(partial.id) : null;
}

/** @param holdsSpelling whether the whole id was seen in the bytes; asked only when no match was found */
function toReading(
  value: ReadValue,
  mayHoldId: boolean,
  holdsSpelling: () => boolean,
  wanted: Wanted,
): ElementReading {
  const parsed = executionWithData.safeParse(value);
  if (!parsed.success) return { kind: "skipped", executionId: idOf(value), reason: "its shape is unknown" };
  return toRead(parsed.data, mayHoldId, holdsSpelling, wanted);
}

function toRead(
  execution: ExecutionWithData,
  mayHoldId: boolean,
  holdsSpelling: () => boolean,
  wanted: Wanted,
): ElementReading {
  const match = mayHoldId ? findRequestId(execution, wanted.requestId, wanted.paths) : null;
  const isUncertain = mayHoldId && match === null && hasUnreadItems(execution) && holdsSpelling();
  return { kind: "read", execution, match, isUncertain };
}

function idOf(value: ReadValue): string | null {
  if (value === null || typeof value !== "object" || Array.isArray(value) || value instanceof Omitted)
    return null;
  return typeof value.id === "string" || typeof value.id === "number" ? String(value.id) : null;
}

/** True when items were left out, or are shortened. */
function hasUnreadItems(execution: ExecutionWithData): boolean {
  const outputs = [...runsByNode(execution).values()]
    .flat()
    .flatMap((run) => [...outputsOf(run.data).values()].flat());
  return outputs.some((output) => output.length > output.items.length || output.items.some(isShortened));
}

function isShortened(value: ReadValue): boolean {
  if (typeof value === "string") return value.endsWith(" more bytes]");
  if (value === null || typeof value !== "object") return false;
  if (value instanceof Omitted) return true;
  return (Array.isArray(value) ? value : Object.values(value)).some(isShortened);
}

function readWhole(bytes: Uint8Array, wanted: Wanted): ElementReading {
  const mayHoldId = mayContain(bytes, wanted.requestId);
  try {
    const value = readBounded(bytes, mayHoldId ? MATCHING : LINKS);
    return toReading(value, mayHoldId, () => containsSpelling(bytes, wanted.requestId), wanted);
  } catch (error) {
    if (!(error instanceof JsonReadError)) throw error;
    return { kind: "skipped", executionId: idInHead(bytes), reason: "it is broken JSON" };
  }
}

/** Asks for one large execution by itself and reads it as it streams, without holding it. */
async function readLarge(
  id: string,
  client: N8nClient,
  wanted: Wanted,
  timeoutMs: number,
): Promise<ElementReading> {
  const finder = new ByteFinder(wanted.requestId);
  const spellings = new ByteFinder(wanted.requestId, "whole");
  const onChunk = (chunk: Uint8Array): void => {
    finder.write(chunk);
    spellings.write(chunk);
  };
  try {
    const execution = await client.readExecution(id, MATCHING, { timeoutMs, onChunk });
    return toRead(execution, finder.found, () => spellings.found, wanted);
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return {
      kind: "skipped",
      executionId: id,
      reason: `it is large, and reading it alone failed with ${error.code}`,
    };
  }
}

export async function readElement(
  element: Element,
  client: N8nClient,
  wanted: Wanted,
  timeoutMs: number,
): Promise<ElementReading> {
  if (element.kind === "whole") return readWhole(element.bytes, wanted);
  const id = idInHead(element.head);
  if (id === null)
    return { kind: "skipped", executionId: null, reason: "it is too large, and its head has no id" };
  return await readLarge(id, client, wanted, timeoutMs);
}
