/**
 * Random lives of an n8n and of its index, with questions in between and at the end: each count, each group and each
 * claim of knowledge is compared with a plain list of n8n's executions.
 */
import fc from "fast-check";
import { expect } from "vitest";
import * as z from "zod";
import { InstanceHistory } from "../../../src/history/instance-history.ts";
import { createComparableIds } from "../../../src/history/request-ids/comparable-ids.ts";
import { createCorrelationDigest } from "../../../src/history/request-ids/correlation-digest.ts";
import { compileRequestIdPaths } from "../../../src/history/request-ids/request-id-paths.ts";
import type { ScanSources } from "../../../src/history/scan/shared-scans.ts";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { NOTHING_KNOWN } from "../../../src/n8n/capabilities/capabilities.ts";
import { KnownCapabilities } from "../../../src/n8n/capabilities/store.ts";
import { createN8nClient } from "../../../src/n8n/client.ts";
import { View } from "../../../src/n8n/view.ts";
import { createCaller, FAKE_SETTINGS } from "../../support/call-recorded.ts";
import { failure, jsonAnswer, N8N_1_123 } from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createLocalSql, type LocalHistory } from "../../support/local-history.ts";
import { createLocalTerms } from "../../support/local-terms.ts";
import { modelParameters, modelRuns, sayingAtOnce } from "../../support/model-runs.ts";
import { checkQuery } from "./check-query.ts";
import { checkSummary } from "./check-summary.ts";
import { isIn, isOfEditor, Knowledge, type Span } from "./expected-counts.ts";
import { answerWorkflows, type Event, TAGS, ToldN8n, WORKFLOWS } from "./told-n8n.ts";

const START = Date.UTC(2026, 2, 30, 9);
const HOUR_MS = 3_600_000;

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("begin" as const),
      count: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 9 }) },
        fc.integer({ min: 1, max: 140 }),
      ),
      chance: fc.nat(),
      paceMs: fc.constantFrom(1, 2_000, 60_000, 600_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("go on" as const),
      at: fc.nat(),
      status: fc.constantFrom("success", "error", "crashed", "running", "waiting", "canceled"),
    }),
  },
  fc.record({ kind: fc.constant("retry" as const), at: fc.nat(), isSuccess: fc.boolean() }),
  fc.record({ kind: fc.constant("call" as const), at: fc.nat(), failsCaller: fc.boolean() }),
  fc.record({
    kind: fc.constant("delete" as const),
    at: fc.nat(),
    count: fc.constantFrom(1, 1, 3, 40),
  }),
  fc.record({ kind: fc.constant("rename" as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant("pass" as const),
    ms: fc.constantFrom(1, 1_000, 61_000, HOUR_MS, 30 * HOUR_MS),
  }),
);

/** What happens at one request to n8n. */
const meanwhile = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: event },
  fc.constantFrom("500" as const, "401" as const, "broken" as const, "slow" as const),
);

const GROUPINGS: readonly (readonly string[])[] = [
  ...[[], ["workflow"], ["status"], ["mode"], ["node"], ["errorClass"], ["httpStatus"], ["tag"]],
  ...[["hour"], ["day"], ["weekday"], ["hourOfDay"], ["workflow", "node"], ["tag", "status"]],
  ...[
    ["workflow", "day"],
    ["status", "errorClass"],
  ],
];

type Met = Event | "500" | "401" | "broken" | "slow" | null;

export interface Question {
  readonly tool: "query_executions" | "summarize_failures";
  readonly groupBy: readonly string[];
  readonly where: Readonly<Record<string, unknown>>;
  readonly isCompared: boolean;
  readonly limit: number;
  readonly workflowId: string | null;
  readonly window:
    | { readonly hours: number }
    | { readonly edges: readonly [number, number]; readonly later: readonly [number, number] };
  readonly seen: readonly string[] | null;
  readonly mayReadData: boolean;
  readonly mayReadAll: boolean;
  readonly timeBudgetMs: number;
  /** What happens at its requests, in order. */
  readonly meanwhile: readonly Met[];
}

const question: fc.Arbitrary<Question> = fc.record({
  tool: fc.constantFrom("query_executions" as const, "summarize_failures" as const),
  groupBy: fc.constantFrom(...GROUPINGS),
  where: fc.constantFrom<Readonly<Record<string, unknown>>>(
    ...[{}, {}, {}, { status: ["error", "running"] }, { mode: "manual" }, { node: "Call tax" }],
    ...[{ errorClass: "other" }, { tag: "money" }, { status: "waiting" }, { httpStatus: 503 }],
  ),
  isCompared: fc.boolean(),
  limit: fc.constantFrom(1, 3, 50),
  workflowId: fc.constantFrom(null, null, null, "wfAlpha", "wfDelta"),
  window: fc.oneof(
    fc.record({ hours: fc.constantFrom(0.1, 1, 24, 200) }),
    fc.record({
      /** The executions at whose starts the window begins and ends, so many milliseconds later. */
      edges: fc.tuple(fc.nat(), fc.nat()),
      later: fc.tuple(fc.constantFrom(0, 1, -1), fc.constantFrom(0, 1, -1)),
    }),
  ),
  seen: fc.option(fc.subarray([...WORKFLOWS]), { freq: 2 }),
  /** By the caller's scopes; and by the access rules, for all workflows they may see. */
  mayReadData: fc.boolean(),
  mayReadAll: fc.boolean(),
  timeBudgetMs: fc.constantFrom(1_000, 20_000),
  meanwhile: fc.oneof(fc.constant([]), fc.array(meanwhile, { maxLength: 8 })),
});

const command = fc.oneof(
  { weight: 5, arbitrary: event },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      questions: fc.array(question, { minLength: 1, maxLength: 2 }),
      /** A step of the index at the same time. */
      isBesideStep: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("step" as const),
      days: fc.constantFrom(1, 30),
      most: fc.constantFrom(1, 20, 150, 1_000_000),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  fc.record({ kind: fc.constant("restart" as const) }),
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

export const life = fc.record({
  commands: fc.array(command, { minLength: 1, maxLength: 12 }),
  last: fc.array(question, { minLength: 1, maxLength: 3 }),
  skewMs: fc.constantFrom(0, 0, -5 * HOUR_MS, 7 * HOUR_MS),
  dates: fc.constantFrom("filtered" as const, "ignored" as const, "refused" as const),
  hasOpaqueCursors: fc.boolean(),
  ways: fc.constantFrom("lists all" as const, "lists all" as const, "queues" as const, "1.123" as const),
});
export type Life = typeof life extends fc.Arbitrary<infer Value> ? Value : never;

/** A question, and the state of n8n while it was asked. */
export interface Asked {
  readonly question: Question;
  readonly window: Span;
  /** A window until now includes executions that start during the call. */
  readonly isUntilNow: boolean;
  readonly began: number;
  readonly hasFaults: boolean;
  /** Faults in this call or in an earlier one. */
  readonly hadFaults: boolean;
  readonly n8n: ToldN8n;
  readonly knowledge: Knowledge;
}

const coverageOf = z.looseObject({
  coverage: z.looseObject({ stoppedBy: z.string(), knownSince: z.string().nullable() }),
});

const MAX_OF_GROUP = 30;
const grouped = z.looseObject({
  groups: z.array(z.looseObject({ group: z.string(), count: z.number() })),
  executions: z.array(z.looseObject({ id: z.string() })).default([]),
});

/** "The last n hours" end when the call was received. */
const windowOf = z.looseObject({ window: z.looseObject({ from: z.string(), to: z.string() }) });
function windowIn({ data }: Envelope): Span | undefined {
  const { window } = windowOf.safeParse(data).data ?? {};
  return window === undefined ? undefined : { from: Date.parse(window.from), to: Date.parse(window.to) };
}

export class Living {
  readonly clock = { time: START };
  readonly n8n: ToldN8n;
  readonly knowledge: Knowledge;
  readonly history: LocalHistory;
  readonly #capabilities;
  readonly #isOld: boolean;
  /** What happens during the current call. */
  #meanwhile: Met[] = [];
  #faults = 0;
  #hadFaults = false;

  constructor({ skewMs, dates, hasOpaqueCursors, ways }: Life) {
    this.n8n = new ToldN8n(this.clock, skewMs);
    this.n8n.queues = ways === "queues";
    this.knowledge = new Knowledge(this.n8n);
    const sql = createLocalSql();
    this.history = { sql, instance: new InstanceHistory(sql) };
    this.#isOld = ways === "1.123";
    this.#capabilities = createLocalCapabilities(
      this.#isOld ? NOTHING_KNOWN : { ...N8N_2, queues: ways === "queues" },
    );
    const { fake } = this.n8n;
    Object.assign(fake, { dates, hasOpaqueCursors });
    fake.old = ways === "1.123" ? N8N_1_123 : null;
    fake.intercept = (url) => this.#meet() ?? answerWorkflows(url);
  }

  #meet(): Response | undefined {
    this.clock.time += 20;
    const met = this.#meanwhile.shift() ?? null;
    if (met === null) return undefined;
    if (typeof met !== "string") this.n8n.happen(met);
    else {
      this.#hadFaults = true;
      if (met === "slow") {
        this.clock.time += 5_000;
        return undefined;
      }
      this.#faults += 1;
      return met === "broken" ? jsonAnswer('{"data":[{"id":"1","da') : failure(Number(met));
    }
    return undefined;
  }

  async run(one: Command): Promise<void> {
    if (one.kind === "ask") await this.#askAll(one.questions, one.isBesideStep);
    else if (one.kind === "restart")
      Object.assign(this.history, { instance: new InstanceHistory(this.history.sql) });
    else if (one.kind === "step") {
      if (one.most < 1_000_000) this.knowledge.forgetAll();
      for (let times = 0; times < one.times; times += 1) await this.#step(one.days, one.most);
    } else this.n8n.happen(one);
  }

  async #step(days: number, maxExecutions: number): Promise<void> {
    await this.history.instance.step(this.#sources(), { intervalMs: 60_000, days, maxExecutions });
  }

  /** The same sources as `createCaller` uses. */
  #sources(): ScanSources {
    const { fetch } = this.n8n.fake;
    return {
      client: createN8nClient(
        { baseUrl: FAKE_SETTINGS.N8N_BASE_URL, apiKey: FAKE_SETTINGS.N8N_API_KEY, apiPath: "/api/v1" },
        { fetch },
      ),
      capabilities: new KnownCapabilities(this.#capabilities),
      digest: createCorrelationDigest("a key for tests", "an n8n"),
      paths: createComparableIds(compileRequestIdPaths(["requestId"]), (value) => ({ value, count: 0 })),
      redactLarge: async (value) => value,
      terms: createLocalTerms(),
      clock: { now: () => this.clock.time, sleep: async () => {} },
    };
  }

  async #askAll(questions: readonly Question[], isBesideStep: boolean): Promise<void> {
    this.#meanwhile = questions.flatMap((each) => [...each.meanwhile]);
    this.#faults = 0;
    const began = this.n8n.tick;
    const asked = questions.map((each) => ({ question: each, ...this.#windowOf(each) }));
    const step = isBesideStep ? this.#step(30, 1_000_000) : Promise.resolve();
    const answers = await Promise.all(asked.map((each) => this.#call(each)));
    this.#meanwhile = [];
    await step;
    const facts = {
      began,
      n8n: this.n8n,
      knowledge: this.knowledge,
      hasFaults: this.#faults > 0,
      hadFaults: this.#hadFaults,
    };
    const pairs = asked.flatMap((each, index) => {
      const answer = answers[index];
      return answer === undefined
        ? []
        : [{ of: { ...each, ...facts, window: windowIn(answer) ?? each.window }, answer }];
    });
    for (const { of, answer } of pairs) this.#check(of, answer);
    for (const { of, answer } of pairs) this.#learn(of, answer);
  }

  #windowOf({ window }: Question): Pick<Asked, "window" | "isUntilNow"> {
    const { time } = this.clock;
    if ("hours" in window)
      return { window: { from: time - window.hours * HOUR_MS, to: time }, isUntilNow: true };
    const starts = this.n8n.all.flatMap(({ startedAt }) => startedAt ?? []);
    const edge = (at: 0 | 1): number =>
      (starts[window.edges[at] % Math.max(1, starts.length)] ?? time) + window.later[at];
    const to = Math.min(time, Math.max(edge(0), edge(1)));
    return { window: { from: Math.min(edge(0), edge(1), to - 1), to }, isUntilNow: to === time };
  }

  async #call(
    { question: asked, window }: Pick<Asked, "question" | "window">,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Envelope> {
    const { seen } = asked;
    const caller = createCaller({
      history: this.history,
      fetch: this.n8n.fake.fetch,
      now: () => this.clock.time,
      capabilities: this.#capabilities,
      scopes: asked.mayReadData ? ["n8n:read", "n8n:data"] : ["n8n:read"],
      view:
        seen === null ? View.everything : View.from({ seen, data: asked.mayReadAll ? seen : seen.slice(1) }),
    });
    const dates = {
      startedAfter: new Date(window.from).toISOString(),
      startedBefore: new Date(window.to).toISOString(),
    };
    const args = {
      ...("hours" in asked.window ? asked.window : dates),
      ...(asked.workflowId === null ? {} : { workflowId: asked.workflowId }),
      timeBudgetMs: asked.timeBudgetMs,
    };
    if (asked.tool === "summarize_failures") return await caller.call(asked.tool, { ...args, ...more });
    const { groupBy, where, isCompared, limit } = asked;
    return await caller.call(asked.tool, { ...args, groupBy, where, compare: isCompared, limit });
  }

  #check(asked: Asked, answer: Envelope): void {
    if (answer.status === "error") {
      const { code } = z.looseObject({ code: z.string() }).parse(answer.data);
      // Rejected for its size, n8n failed, or the workflow does not exist or may not be seen.
      const isGone = code === "WORKFLOW_NOT_FOUND" && isUnknown(asked.question);
      const isExpected = code === "VALIDATION_ERROR" || isGone || asked.hasFaults;
      if (!isExpected) throw new Error(`Unexpected error: ${JSON.stringify(answer)}`);
      return;
    }
    try {
      if (asked.question.tool === "query_executions") checkQuery(asked, answer);
      else checkSummary(asked, answer);
    } catch (error) {
      const { question: of, window, began, isUntilNow } = asked;
      const counterexample = {
        question: of,
        from: new Date(window.from),
        to: new Date(window.to),
        ...{ isUntilNow, began, now: new Date(this.clock.time), answer },
        n8n: [...this.n8n.versions.values()].flatMap((all) =>
          all.map(({ tick, made }) => `${tick}: ${made === null ? "gone" : JSON.stringify(made)}`),
        ),
      };
      throw new Error(`${String(error)}\n${JSON.stringify(counterexample)}`);
    }
  }

  /** Executions that an answer claimed to know are known from then on. */
  #learn({ question: of, window, began, hasFaults }: Asked, answer: Envelope): void {
    const parsed = coverageOf.safeParse(answer.data);
    if (!parsed.success || hasFaults || parsed.data.coverage.stoppedBy !== "complete") return;
    for (const [id, versions] of this.n8n.versions) {
      const isInside = versions.every(
        ({ made }) =>
          made === null ||
          (isIn(made, window) && (of.workflowId === null || made.workflowId === of.workflowId)),
      );
      const seen = versions.some(({ made }) => made !== null && (of.seen?.includes(made.workflowId) ?? true));
      // An execution that changed during the call may have been deleted before it was read.
      if (isInside && seen && (versions.at(-1)?.tick ?? 0) <= began) this.knowledge.know(id, began);
    }
  }

  async askAtTheEnd(questions: readonly Question[]): Promise<void> {
    for (const each of questions) {
      const calm = { ...each, meanwhile: [], timeBudgetMs: 20_000 };
      await this.#askAll([calm], false);
      if (each.tool === "summarize_failures") await this.#askFurther(calm);
    }
  }

  /** The pages of an answer are pages of one list, and a group contains the executions that it counts. */
  async #askFurther(of: Question): Promise<void> {
    // A window with an end, so that each call has the same one.
    const { from, to } = this.#windowOf(of).window;
    const window = { from, to: Math.min(to, this.clock.time - 1) };
    if (from >= window.to) return;
    const asked = { question: { ...of, window: { edges: [0, 0], later: [0, 0] } }, window } as const;
    const answers = [await this.#call(asked), await this.#call(asked, { offset: 2 })];
    if (answers.some(({ status }) => status === "error")) return;
    const [all = [], rest = []] = answers.map(({ data }) => grouped.parse(data).groups);
    const following = all.slice(2).map(({ group }) => group);
    expect(rest.slice(0, following.length).map(({ group }) => group)).toEqual(following);
    const [first] = all;
    if (first === undefined) return;
    const { data } = await this.#call(asked, { group: first.group });
    const ids = grouped.parse(data).executions.map(({ id }) => id);
    expect(ids.length, "executions of a group").toBe(Math.min(MAX_OF_GROUP, first.count));
    expect(
      ids.toSorted((a, b) => Number(b) - Number(a)),
      "newest first",
    ).toEqual([...new Set(ids)]);
  }
}

const isUnknown = ({ workflowId, seen }: Question): boolean =>
  workflowId !== null && (!(workflowId in TAGS) || seen?.includes(workflowId) === false);

/** A test for executions that count at all. */
export function isAsked({ question: of, window, isUntilNow }: Asked, span: Span = window) {
  const to = isUntilNow && span === window ? Number.POSITIVE_INFINITY : span.to;
  return (made: Parameters<typeof isIn>[0]): boolean =>
    isIn(made, { from: span.from, to }) &&
    (of.workflowId === null || made.workflowId === of.workflowId) &&
    (of.seen?.includes(made.workflowId) ?? true) &&
    (of.tool === "query_executions" && asksMode(of) ? true : !isOfEditor(made));
}

export const asksMode = ({ groupBy, where }: Question): boolean =>
  groupBy.includes("mode") || "mode" in where;

export async function expectCountsOf(one: Life): Promise<void> {
  const living = new Living(one);
  for (const each of one.commands) await living.run(each);
  await living.askAtTheEnd(one.last);
}

export async function checkLives(most: number): Promise<void> {
  // Each lane has the same lives in each run.
  const seed = modelRuns.MODEL_RUNS === undefined && modelRuns.MODEL_SEED === undefined ? { seed: most } : {};
  const parameters = { ...modelParameters(most), ...seed };
  await fc.assert(fc.asyncProperty(life, sayingAtOnce(parameters, expectCountsOf)), parameters);
}
