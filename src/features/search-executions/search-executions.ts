import * as z from "zod";
import type { SearchedFor } from "../../history/payload/search-target.ts";
import type { HistorySearch } from "../../history/search/search-query.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { counted } from "../../platform/counted.ts";
import { ObserverError } from "../../platform/errors.ts";
import { coverage, guidance, isoDate, scanLimit, timeBudgetMs, workflowId, workflowName } from "../params.ts";
import { toScanError } from "../scan-error.ts";
import type { ToolContext } from "../tool-context.ts";
import { windowOf } from "../trace-window.ts";

const MAX_HITS = 50;
const DEFAULT_HITS = 20;
const MAX_TEXT = 500;

const place = z.looseObject({
  nodeName: z.string().nullable(),
  run: z.number().nullable(),
  output: z.number().nullable(),
  item: z.number().nullable(),
  path: z.string(),
  excerpt: z.string(),
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

interface Wanted {
  readonly words?: string | undefined;
  readonly text?: string | undefined;
  readonly path?: string | undefined;
  readonly value?: string | undefined;
}

/** One of words, a text, and a path with its value. */
function toQuery({ words, text, path, value }: Wanted): SearchedFor {
  const given = [words, text, path ?? value].filter((one) => one !== undefined);
  if (given.length === 1) {
    if (words !== undefined) return { words };
    if (text !== undefined) return { text };
    if (path !== undefined && value !== undefined) return { path, value };
  }
  const isHalf = given.length === 1;
  throw new ObserverError("VALIDATION_ERROR", "Give words, or text, or path together with value.", {
    field: isHalf ? (path === undefined ? "path" : "value") : "words",
    expected: "one of words, text, and path with value",
    solution:
      'For example {"words":"C-20417"} or {"path":"customer.email","value":"ada@example.com"}. With searchId, the same again.',
  });
}

/** The query with its values left out, for an example: they may be personal. */
function inOutline({ words, text, path }: Wanted): Wanted {
  if (words !== undefined) return { words: "…" };
  return text === undefined ? { path, value: "…" } : { text: "…" };
}

function sentence({ hits, coverage: reach, unanswerable, sameNumber }: HistorySearch): string {
  const found = hits.length === 0 ? "Nothing was found" : `Found in ${counted(hits.length, "execution")}`;
  const window = reach.from === null ? "" : ` from ${reach.from} to ${reach.to}`;
  const end =
    reach.stoppedBy === "complete"
      ? "the whole window was read"
      : "the window was not read to its end; call again with the searchId to go on";
  const looked = `Looked at ${counted(reach.scannedExecutions, "execution")}${window}`;
  const how =
    unanswerable === null
      ? `, of which ${reach.readNow} had to be read now by what the index knows`
      : `, each by reading it: ${unanswerable}`;
  const other =
    sameNumber === null ? "" : ` Execution ${sameNumber} is something else: get_execution asks for it.`;
  return `${found}. ${looked}${how}; ${end}.${other}`;
}

/** The query once more, as the next call needs it. */
function nextMove({ hits, coverage: reach, searchId }: HistorySearch, query: SearchedFor): Guidance {
  if (reach.stoppedBy !== "complete") {
    return {
      message: "Look further back, with the same query.",
      example: `search_executions(${JSON.stringify({ ...inOutline(query), searchId })})`,
    };
  }
  const [first] = hits;
  const [firstPlace] = first?.places ?? [];
  if (first === undefined) {
    return {
      message: "Look for another spelling, or see what ran.",
      example: 'get_workflow_executions({"limit":20})',
    };
  }
  return firstPlace?.nodeName === null || firstPlace === undefined
    ? { message: "See a summary of the newest hit.", example: `get_execution({"id":"${first.executionId}"})` }
    : {
        message: "See the data of the node of the newest hit; its name is in places.",
        example: `get_execution_by_node({"id":"${first.executionId}","nodeName":"…"})`,
      };
}

interface ShownHits {
  readonly hits: readonly z.infer<typeof hit>[];
}

/** The searchId goes on behind what was left out: begin anew there, with no more at a time than fits. */
function rest<Input extends Wanted>(input: Input, shown: ShownHits, whole: ShownHits): Guidance {
  const { searchId: _searchId, words, text, path, ...others } = { searchId: "", ...input };
  const ids = new Set(shown.hits.map(({ executionId }) => executionId));
  const startedBefore = whole.hits.find(({ executionId }) => !ids.has(executionId))?.startedAt ?? undefined;
  const args = {
    ...others,
    ...inOutline({ words, text, path }),
    ...(startedBefore === undefined ? {} : { startedBefore }),
    limit: Math.max(1, ids.size),
  };
  return {
    message:
      "The same search from the newest hit that is not shown, in steps that fit; go on with its searchId.",
    example: `search_executions(${JSON.stringify(args)})`,
  };
}

export const searchExecutions = defineTool({
  name: "search_executions",
  title: "Search in execution data",
  description:
    "Finds executions whose data holds words, or a value at a path (a customer number, an e-mail address): where each hit is, with an excerpt. Use it when there is no request id. Both read only executions that may hold them. text, which may be a part of a word, reads every execution of the window, newest first: narrow it. Redacted values are never hits.",
  scope: "n8n:data",
  maxTokens: 10_000,
  audited: { workflowId: "workflowId", searchId: "searchId" },
  input: z.strictObject({
    words: z
      .string()
      .min(2, "must be at least 2 characters")
      .max(MAX_TEXT, `must be at most ${MAX_TEXT} characters`)
      .optional()
      .describe("Whole words that a value holds, next to each other: C-20417; upper and lower case matter"),
    text: z
      .string()
      .min(2, "must be at least 2 characters")
      .max(MAX_TEXT, `must be at most ${MAX_TEXT} characters`)
      .optional()
      .describe("Text that a value holds, also within a word; upper and lower case matter"),
    path: z
      .string()
      .regex(/^[^.[\]\s]+(\.[^.[\]\s]+)*$/, "must be a dotted path without positions, such as customer.email")
      .max(256, "must be at most 256 characters")
      .optional()
      .describe("Dotted path, or its end, without positions in lists: customer.email"),
    value: z
      .string()
      .min(1, "must not be empty")
      .max(MAX_TEXT, `must be at most ${MAX_TEXT} characters`)
      .optional()
      .describe("The whole value at the path; a number as its digits"),
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    startedAfter: isoDate.optional(),
    startedBefore: isoDate.optional().describe("ISO 8601"),
    limit: scanLimit,
    maxHits: z
      .number()
      .int("must be a whole number")
      .min(1, "must be at least 1")
      .max(MAX_HITS, `must be at most ${MAX_HITS}`)
      .default(DEFAULT_HITS)
      .describe(`Pauses once this many executions with hits are found`),
    searchId: z
      .string()
      .regex(/^search_[A-Za-z0-9-]{8,64}$/, "must be a searchId of an earlier answer")
      .optional()
      .describe("searchId of an earlier answer, with the same query, to go on where it stopped"),
    timeBudgetMs,
  }),
  output: z.looseObject({
    hits: z.array(hit),
    coverage,
    searchId: z.string(),
    _guidance: guidance,
  }),
  async run(input, context: ToolContext) {
    const query = toQuery(input);
    const urls = context.n8nUrls();
    const window = await windowOf(input, context);
    const answer = await context.history().search(
      {
        query,
        window,
        limit: input.limit,
        maxHits: input.maxHits,
        searchId: input.searchId,
        timeBudgetMs: input.timeBudgetMs,
      },
      context.progress,
      async (value) => context.redact(value),
    );
    const scanError = answer.stop.reason === "n8n" ? answer.stop.error : null;
    return {
      message: sentence(answer),
      data: {
        hits: answer.hits.map((each) => ({
          ...each,
          url: urls.execution(each.workflowId, each.executionId),
        })),
        coverage: {
          ...answer.coverage,
          ...(scanError === null ? {} : { error: toScanError(scanError) }),
        },
        searchId: answer.searchId,
        _guidance: nextMove(answer, query),
      },
    };
  },
  rest,
});
