/**
 * Finds the standard output: the answer itself, or a member of it (`output`, `result`, …), an item of a list, or
 * JSON in a text, because agents, HTTP nodes and MCP clients wrap what they hand on. Pure.
 */
import * as z from "zod";
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { looksStandard } from "./standard-output.ts";

/** Members that commonly hold an answer. No others are looked into: their names could be payload. */
const WRAPPERS = ["output", "response", "result", "data", "body", "json", "text", "message", "content"];
/** n8n's MCP client nests this deep: `response[0].text`, and in that text a list. */
const MAX_DEPTH = 5;
const JSON_TEXT = /^\s*[[{]/;

const json = z.custom<ReadValue>((value) => value !== undefined);

/** The answer itself, or what is within it; undefined when nothing looks like the standard output. */
export function standardOutputIn(answer: ReadValue | undefined): ReadValue | undefined {
  return search(answer, 0);
}

function search(value: ReadValue | undefined, depth: number): ReadValue | undefined {
  if (looksStandard(value)) return value;
  if (value === undefined || depth >= MAX_DEPTH) return undefined;
  if (typeof value === "string") return search(jsonIn(value), depth + 1);
  if (Array.isArray(value)) return search(value[0], depth + 1);
  if (!isReadObject(value)) return undefined;
  for (const name of WRAPPERS) {
    const found = Object.hasOwn(value, name) ? search(value[name], depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function jsonIn(text: string): ReadValue | undefined {
  if (!JSON_TEXT.test(text)) return undefined;
  try {
    return json.parse(JSON.parse(text));
  } catch {
    // A text that only looks like JSON, or was too long to be read whole.
    return undefined;
  }
}
