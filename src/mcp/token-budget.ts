/**
 * The one place that makes an answer fit. It degrades in a fixed order: stacks go, strings are
 * shortened, lists keep fewer items (those that tell of an error last), wide objects keep fewer members;
 * each step harder than the one before. It never cuts inside JSON, and says what was left out. Pure.
 */
import type { JsonValue } from "../redaction/redact.ts";
import { estimateTokens } from "./token-estimate.ts";

interface Step {
  readonly dropStacks: boolean;
  /** Longest string, in characters. */
  readonly maxString: number;
  readonly maxItems: number;
  readonly maxMembers: number;
}

const STEPS: readonly Step[] = [
  {
    dropStacks: true,
    maxString: Number.POSITIVE_INFINITY,
    maxItems: Number.POSITIVE_INFINITY,
    maxMembers: Number.POSITIVE_INFINITY,
  },
  { dropStacks: true, maxString: 2_000, maxItems: 500, maxMembers: 500 },
  { dropStacks: true, maxString: 1_000, maxItems: 200, maxMembers: 300 },
  { dropStacks: true, maxString: 500, maxItems: 100, maxMembers: 200 },
  { dropStacks: true, maxString: 300, maxItems: 50, maxMembers: 100 },
  { dropStacks: true, maxString: 200, maxItems: 25, maxMembers: 60 },
  { dropStacks: true, maxString: 150, maxItems: 12, maxMembers: 40 },
  { dropStacks: true, maxString: 100, maxItems: 8, maxMembers: 30 },
  { dropStacks: true, maxString: 80, maxItems: 5, maxMembers: 30 },
  { dropStacks: true, maxString: 60, maxItems: 3, maxMembers: 30 },
  { dropStacks: true, maxString: 40, maxItems: 1, maxMembers: 30 },
];

/** What was left out to make the answer fit. */
export interface LeftOut {
  stacks: number;
  shortenedStrings: number;
  items: number;
  members: number;
}

export interface Fitted {
  readonly value: JsonValue;
  /** Undefined when nothing was left out. */
  readonly leftOut: LeftOut | undefined;
}

const isStack = (key: string): boolean => key === "stack" || key === "stackTrace";

function tellsOfError(value: JsonValue): boolean {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return (
    value.status === "error" || value.status === "fail" || (value.error !== undefined && value.error !== null)
  );
}

/** The first items, but those that tell of an error before all others; in their own order. */
function chooseItems(items: readonly JsonValue[], count: number): JsonValue[] {
  const indexed = items.map((value, index) => ({ index, rank: tellsOfError(value) ? 0 : 1 }));
  indexed.sort((a, b) => a.rank - b.rank || a.index - b.index);
  const chosen = new Set(indexed.slice(0, count).map(({ index }) => index));
  return items.filter((_item, index) => chosen.has(index));
}

function shortenString(text: string, maximum: number, leftOut: LeftOut): string {
  if (text.length <= maximum) return text;
  leftOut.shortenedStrings += 1;
  const last = text.charCodeAt(maximum - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? maximum - 1 : maximum;
  return `${text.slice(0, end)}… [${text.length - end} more characters]`;
}

function degrade(value: JsonValue, step: Step, leftOut: LeftOut): JsonValue {
  if (typeof value === "string") return shortenString(value, step.maxString, leftOut);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    leftOut.items += Math.max(0, value.length - step.maxItems);
    const kept = value.length > step.maxItems ? chooseItems(value, step.maxItems) : value;
    return kept.map((item) => degrade(item, step, leftOut));
  }
  const members = Object.entries(value).filter(([key]) => !(step.dropStacks && isStack(key)));
  leftOut.stacks += Object.keys(value).length - members.length;
  leftOut.members += Math.max(0, members.length - step.maxMembers);
  return Object.fromEntries(
    members.slice(0, step.maxMembers).map(([key, member]) => [key, degrade(member, step, leftOut)]),
  );
}

/**
 * The value, made to fit.
 * @throws RangeError when even the last step leaves it too large
 */
export function fitIntoBudget(value: JsonValue, maxTokens: number): Fitted {
  if (estimateTokens(JSON.stringify(value)) <= maxTokens) return { value, leftOut: undefined };
  for (const step of STEPS) {
    const leftOut: LeftOut = { stacks: 0, shortenedStrings: 0, items: 0, members: 0 };
    const degraded = degrade(value, step, leftOut);
    if (estimateTokens(JSON.stringify(degraded)) <= maxTokens) return { value: degraded, leftOut };
  }
  throw new RangeError("The answer cannot be made to fit into its token budget.");
}
