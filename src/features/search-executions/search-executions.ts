import * as z from "zod";
import type { SearchedFor } from "../../history/payload/search-target.ts";
import type { HistorySearch, HitPlace } from "../../history/search/search-query.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { counted } from "../../platform/counted.ts";
import { ObserverError } from "../../platform/errors.ts";
import { MARKS } from "../../redaction/marks.ts";
import {
  coverage,
  scanLimit,
  storedNumberSentence,
  timeBudgetMs,
  toScanError,
  windowArguments,
  windowOf,
} from "../history-scan.ts";
import { guidance, nextCall, seeWhatRan, text, wholeNumber } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";

const MAX_HITS = 50;
const DEFAULT_HITS = 20;
const MAX_PATH = 256;
const MAX_TEXT = 500;

const place = z.looseObject({
  output: z.array(z.string()).optional(),
  input: z.array(z.string()).optional(),
  path: z.string(),
  excerpt: z.string().optional(),
});

const hit = z.looseObject({
  executionId: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  status: z.string(),
  startedAt: z.string().nullable(),
  places: z.array(place),
  url: z.string(),
});

interface SearchTarget {
  readonly words?: string | undefined;
  readonly text?: string | undefined;
  readonly path?: string | undefined;
  readonly value?: string | undefined;
}

/** @throws ObserverError `VALIDATION_ERROR` unless exactly one of words, text, or path with value is given */
function toQuery({ words, text: part, path, value }: SearchTarget): SearchedFor {
  const isOne = [words, part, path ?? value].filter((given) => given !== undefined).length === 1;
  if (isOne && words !== undefined) return { words };
  if (isOne && part !== undefined) return { text: part };
  if (isOne && path !== undefined && value !== undefined) return { path, value };
  throw new ObserverError("VALIDATION_ERROR", "Give words, or text, or path together with value.", {
    field: isOne ? (path === undefined ? "path" : "value") : "words",
    expected: "one of words, text, and path with value",
    solution:
      'For example {"words":"C-20417"} or {"path":"customer.email","value":"ada@example.com"}. With searchId, the same again.',
  });
}

/** Omits values from an example, because they may be personal. */
function withoutValues({ words, text: part, path }: SearchTarget): SearchTarget {
  if (words !== undefined) return { words: "…" };
  return part === undefined ? { path, value: "…" } : { text: "…" };
}

const NOT_SEARCHED =
  " Files, names of files and fields, and what an error holds beside its message and description are not searched.";

function sentence({ hits, coverage: reach, unanswerable, sameNumber }: HistorySearch, query: SearchTarget) {
  if (reach.stoppedBy === "time" && reach.scannedExecutions === 0)
    return "Nothing was searched yet: n8n answers too slowly for the time of this call. Call again with the searchId.";
  const found = hits.length === 0 ? "Nothing was found" : `Found in ${counted(hits.length, "execution")}`;
  // Without hits, the window is what the answer is about; with hits, coverage is enough.
  const window = reach.from === null || hits.length > 0 ? "" : ` from ${reach.from} to ${reach.to}`;
  const looked = `Looked at ${counted(reach.scannedExecutions, "execution")}${window}`;
  const how =
    unanswerable === null
      ? `, of which ${reach.readNow} had to be read now, according to the index`
      : `, each by reading it: ${unanswerable}`;
  const other = sameNumber === null ? "" : ` Execution ${sameNumber} is something else.`;
  const number = storedNumberSentence(query.words ?? query.text ?? query.value ?? "");
  const nothing = hits.length > 0 ? "" : `${NOT_SEARCHED}${number}`;
  return `${found}. ${looked}${how}; ${endOf(reach)}.${nothing}${other}`;
}

function endOf({ stoppedBy, skipped }: HistorySearch["coverage"]): string {
  if (stoppedBy === "queue") return "all that began was read, but not yet all that waits in n8n's queue";
  if (stoppedBy === "running") return "all that ended was read, but not yet all that runs";
  if (stoppedBy !== "complete") return "the rest of the window was not read yet";
  return skipped.length === 0
    ? "the whole window was read"
    : "the window was read to its end, but not everything could be searched";
}

/**
 * Merges places with the same path and excerpt, because nodes pass values on: each names the nodes that sent the value,
 * received it, or failed with it. An excerpt equal to the first place's is left out. Run, output and item are those of
 * the first node, and left out if zero.
 */
function showPlaces(places: readonly HitPlace[]) {
  const alike = Map.groupBy(places, ({ path, excerpt }) => JSON.stringify([path, excerpt]));
  return [...alike.values()].flatMap((same, index) => {
    const [first] = same;
    if (first === undefined) return [];
    const { path, excerpt, run, output, item } = first;
    const nodes = (direction: HitPlace["direction"]): string[] => [
      ...new Set(same.flatMap((each) => (each.direction === direction ? (each.nodeName ?? []) : []))),
    ];
    const names = { output: nodes("output"), input: nodes("input"), error: nodes(null) };
    const at = { run, outputIndex: output, item };
    return {
      path,
      ...(index > 0 && excerpt === places[0]?.excerpt ? {} : { excerpt }),
      ...Object.fromEntries(Object.entries(names).filter(([, nodeNames]) => nodeNames.length > 0)),
      ...Object.fromEntries(Object.entries(at).filter(([, number]) => number !== null && number > 0)),
    };
  });
}

function suggestNextCall({ hits, coverage: reach, searchId }: HistorySearch, query: SearchedFor): Guidance {
  if (reach.stoppedBy !== "complete")
    return nextCall("Look further back, with the same query.", "search_executions", {
      ...withoutValues(query),
      searchId,
    });
  const failed = hits.find(({ status }) => status === "error" || status === "crashed");
  const explained = failed ?? hits[0];
  if (explained === undefined) return seeWhatRan("Look for another spelling, or see what ran.");
  const { executionId } = explained;
  const which = failed === undefined ? "newest hit" : "newest hit that failed";
  return nextCall(`Explain the ${which}.`, "explain_failure", { executionId });
}

/** Times of hits are shown to the second. */
const FRACTION = /\.\d+Z$/;

type Hits = readonly z.infer<typeof hit>[];

/** The searchId would skip the hits that were left out, so this starts a new search there, with a limit that fits. */
function rest(input: SearchTarget & { readonly searchId?: unknown }, shown: Hits, whole: Hits): Guidance {
  const { searchId: _searchId, words, text: part, path, ...others } = input;
  const ids = new Set(shown.map(({ executionId }) => executionId));
  const startedBefore = whole.find(({ executionId }) => !ids.has(executionId))?.startedAt;
  const message =
    "The same search from the newest hit that is not shown, in steps that fit; continue with its searchId.";
  return nextCall(message, "search_executions", {
    ...others,
    ...withoutValues({ words, text: part, path }),
    ...(startedBefore ? { startedBefore: startedBefore.replace("Z", ".999Z") } : {}),
    limit: Math.max(1, ids.size),
  });
}

export const searchExecutions = defineTool({
  name: "search_executions",
  title: "Search in execution data",
  description:
    "Finds executions whose data holds words, or a value at a path (a customer number, an e-mail address): where each hit is (input or output of which node), with an excerpt. Use it when there is no request id. Words and paths read only executions that may hold them; text, also within a word, reads every execution of the window, newest first: narrow it. Redacted values are never hits.",
  scope: "n8n:data",
  maxTokens: 10_000,
  audited: { workflowId: "workflowId", searchId: "searchId" },
  input: z.strictObject({
    words: text(2, MAX_TEXT)
      .optional()
      .describe("Whole words that a value holds, next to each other: C-20417; upper and lower case matter"),
    text: text(2, MAX_TEXT)
      .optional()
      .describe("Text that a value holds, also within a word; upper and lower case matter"),
    path: text(1, MAX_PATH)
      .refine(
        (path) => !path.includes("…") && path.search(MARKS) === -1,
        "must be a whole path: “…” stands for what an answer left out, and a mark for a secret",
      )
      .optional()
      .describe("Dotted path, or its end, without positions in lists: customer.email"),
    value: text(1, MAX_TEXT).optional().describe("The whole value at the path; a number as its digits"),
    ...windowArguments,
    limit: scanLimit,
    maxHits: wholeNumber(1, MAX_HITS)
      .default(DEFAULT_HITS)
      .describe("Pauses once this many executions with hits are found"),
    searchId: z
      .string()
      .regex(/^search_[A-Za-z0-9-]{8,64}$/, "must be a searchId of an earlier answer")
      .optional()
      .describe("searchId of an earlier answer, with the same query, to continue where it stopped"),
    timeBudgetMs,
  }),
  output: z.looseObject({
    hits: z.array(hit),
    coverage,
    searchId: z.string(),
    _guidance: guidance,
  }),
  async run(input, context: ToolContext) {
    const { limit, maxHits, searchId, timeBudgetMs: time } = input;
    const query = toQuery(input);
    const urls = context.n8nUrls();
    const window = await windowOf(input, context);
    const answer = await context
      .history()
      .search(
        { query, window, limit, maxHits, searchId, timeBudgetMs: time },
        context.progress,
        async (value) => context.redact(value),
      );
    const { hits, stop } = answer;
    return {
      message: sentence(answer, input),
      data: {
        hits: hits.map((each) => ({
          ...each,
          startedAt: each.startedAt === null ? null : each.startedAt.replace(FRACTION, "Z"),
          places: showPlaces(each.places),
          url: urls.execution(each.workflowId, each.executionId),
        })),
        coverage: { ...answer.coverage, error: toScanError(stop) },
        searchId: answer.searchId,
        _guidance: suggestNextCall(answer, query),
      },
    };
  },
  rest: (input, shown, whole) => rest(input, shown.hits, whole.hits),
});
