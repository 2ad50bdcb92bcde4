/**
 * A search over known executions reads only the candidates, finds what a search that reads all of them finds, and
 * says how it searched.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { MAX_TERMS } from "../../../src/history/terms/term-filter.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { payload, question } from "../../history/terms/executions.ts";
import { createCaller, FAKE_SETTINGS } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  N8N_1_123,
  webhookData,
} from "../../support/fake-n8n.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { createLocalHistory } from "../../support/local-history.ts";

const answer = z.looseObject({
  hits: z.array(z.looseObject({ executionId: z.string(), places: z.array(z.unknown()) })),
  coverage: z.looseObject({
    scannedExecutions: z.number(),
    readNow: z.number(),
    complete: z.boolean(),
    stoppedBy: z.string(),
    skipped: z.array(z.looseObject({ executionId: z.string().nullable(), reason: z.string() })),
  }),
  searchId: z.string(),
});
type Found = z.infer<typeof answer>;

interface Searcher {
  readonly n8n: FakeN8n;
  readonly search: (
    args: Record<string, unknown>,
    settings?: Record<string, string>,
  ) => Promise<Found & { message: string }>;
  /** Reads all executions into the index. */
  readonly learn: () => Promise<void>;
  readonly rows: () => unknown[];
}

function searcherOf(executions: readonly FakeExecution[]): Searcher {
  const n8n = createFakeN8n([...executions]);
  const history = createLocalHistory();
  const search: Searcher["search"] = async (args, settings = {}) => {
    const options = { settings: { ...FAKE_SETTINGS, ...settings }, fetch: n8n.fetch, history };
    const envelope = await createCaller(options).call("search_executions", args);
    return { ...dataOf(envelope, answer), message: String(envelope.message) };
  };
  return {
    n8n,
    search,
    learn: async () => {
      await search({ text: "nothing of this kind" });
      n8n.requests.length = 0;
      n8n.sent.length = 0;
    },
    rows: () => {
      const tables = [...history.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'")];
      return tables.flatMap(({ name }) => [...history.sql.exec(`SELECT * FROM "${String(name)}"`)]);
    },
  };
}

const at = (requestId: string): Record<string, unknown> => ({ path: "body.requestId", value: requestId });
const idsOf = ({ hits }: Found): string[] => hits.map(({ executionId }) => executionId);

/** Answers requests for one workflow with w1. */
const answerWorkflow = ({ pathname }: URL): Response | undefined =>
  pathname.includes("/workflows/")
    ? Response.json({ id: "w1", name: "orders", active: true, nodes: [], connections: {} })
    : undefined;

describe("a search over known executions", () => {
  test("reads candidates for a value at a path, and no others", async () => {
    const { n8n, search, learn } = searcherOf(fakeHistory(900));
    await learn();
    const found = await search(at("r-17"));
    expect(idsOf(found)).toEqual(["17"]);
    expect(found.coverage).toMatchObject({ scannedExecutions: 900, complete: true, skipped: [] });
    expect(found.coverage.readNow).toBeLessThan(5);
    expect(n8n.sent).toContain("17");
    expect(n8n.sent.length).toBe(found.coverage.readNow);
    // The running, waiting and new executions, and the candidates: known history is not listed.
    expect(n8n.requests.length).toBeLessThanOrEqual(6);
    expect(found.message).toContain("according to the index");
  });

  test("reads candidates for words, and is not hit by longer words", async () => {
    const note = (id: number, text: string): FakeExecution =>
      fakeExecution(id, `r-${id}`, { data: webhookData({ note: text }) });
    const { n8n, search, learn } = searcherOf([
      ...fakeHistory(300),
      note(301, "order C-20417, paid"),
      note(302, "order C-204178, paid"),
      note(303, "customer/C-20417"),
    ]);
    await learn();
    expect(idsOf(await search({ words: "C-20417" }))).toEqual(["303", "301"]);
    expect(idsOf(await search({ words: "order C-20417" }))).toEqual(["301"]);
    expect(n8n.sent.length).toBeLessThan(8);
  });

  test("says without reading that a value is nowhere", async () => {
    const { n8n, search, learn } = searcherOf(fakeHistory(500));
    await learn();
    const found = await search(at("r-9999"));
    expect(found).toMatchObject({ hits: [], coverage: { scannedExecutions: 500, complete: true } });
    expect(n8n.sent.length).toBeLessThan(5);
  });

  test("reads each execution for a part of a word, and says why", async () => {
    const { n8n, search, learn } = searcherOf(fakeHistory(30));
    await learn();
    const found = await search({ text: "-17" });
    expect(idsOf(found)).toEqual(["17"]);
    expect(n8n.sent).toHaveLength(30);
    expect(found.message).toContain("the text may be part of a word, and the index knows only whole words");
  });

  test("reads executions that are new or have changed", async () => {
    const waiting = { status: "waiting", stoppedAt: null, waitTill: "2027-01-01T00:00:00.000Z" };
    const { n8n, search, learn } = searcherOf([...fakeHistory(40), fakeExecution(41, "r-41", waiting)]);
    await learn();
    n8n.executions = [
      ...fakeHistory(40),
      fakeExecution(41, "r-41", { data: webhookData({ body: { requestId: "r-41" } }, { woke: "r-42" }) }),
      fakeExecution(42, "r-42"),
    ];
    const found = await search({ path: "woke", value: "r-42" });
    expect(idsOf(found)).toEqual(["41"]);
    expect(idsOf(await search(at("r-42")))).toEqual(["42"]);
    expect(n8n.sent.length).toBeLessThan(10);
  });

  test("shares its lists with concurrent callers, and reads its own candidates", async () => {
    const { n8n, search, learn } = searcherOf(fakeHistory(300));
    await learn();
    await search(at("r-17"));
    const isList = (url: string): boolean => /\/executions\?/.test(url) && !url.includes("includeData");
    const listed = (): number => n8n.requests.filter(isList).length;
    const ofOne = listed();
    expect(ofOne).toBeGreaterThan(0);
    n8n.requests.length = 0;
    const all = await Promise.all(["r-3", "r-99", "r-200", "r-280"].map(async (id) => await search(at(id))));
    expect(all.map(idsOf)).toEqual([["3"], ["99"], ["200"], ["280"]]);
    expect(listed()).toBe(ofOne);
  });

  test("finds a running execution as it is now, and an ended one as it ended", async () => {
    const running = (note: string): FakeExecution =>
      fakeExecution(41, "r-41", { status: "running", stoppedAt: null, data: webhookData({ note }) });
    const { n8n, search, learn } = searcherOf([...fakeHistory(40), running("begun")]);
    await learn();
    const isNote = (value: string) => ({ path: "note", value });
    expect(idsOf(await search(isNote("begun")))).toEqual(["41"]);
    n8n.executions = [...fakeHistory(40), running("half way")];
    expect(idsOf(await search(isNote("half way")))).toEqual(["41"]);
    n8n.executions = [...fakeHistory(40), fakeExecution(41, "r-41", { data: webhookData({ note: "over" }) })];
    expect(idsOf(await search(isNote("over")))).toEqual(["41"]);
    expect(idsOf(await search(isNote("half way")))).toEqual([]);
  });

  test("reads in its next call what ended between two calls, even if others have read it", async () => {
    const { n8n, search, learn } = searcherOf(fakeHistory(40));
    await learn();
    n8n.executions = [...fakeHistory(40), fakeExecution(41, "begun", { status: "running", stoppedAt: null })];
    const args = { text: "-41", limit: 5 };
    const first = await search(args);
    expect(first).toMatchObject({ hits: [], coverage: { complete: false, stoppedBy: "limit" } });
    n8n.executions = [...fakeHistory(40), fakeExecution(41, "r-41")];
    expect(idsOf(await search(at("r-41")))).toEqual(["41"]);
    const next = await search({ ...args, limit: 100, searchId: first.searchId });
    expect(idsOf(next)).toEqual(["41"]);
  });

  test("does not read what is between two distant candidates", async () => {
    const twice = fakeHistory(400).map((one) =>
      ["100", "150"].includes(one.id) ? fakeExecution(Number(one.id), "twice") : one,
    );
    const { n8n, search, learn } = searcherOf(twice);
    await learn();
    const found = await search(at("twice"));
    expect(idsOf(found)).toEqual(["150", "100"]);
    expect(n8n.sent).toEqual(["150", "100"]);
    expect(found.coverage.readNow).toBe(2);
  });

  test("finds executions whose ids are far apart", async () => {
    const ids = Array.from({ length: 250 }, (_one, index) => 1 + index * 127);
    const { n8n, search, learn } = searcherOf(ids.map((id) => fakeExecution(id, `r-${id}`)));
    await learn();
    for (const id of [ids[0], ids[44], ids[97], ids[248]])
      expect(idsOf(await search(at(`r-${id}`)))).toEqual([String(id)]);
    expect(n8n.sent.length).toBeLessThan(10);
  });

  test("searches digits in data, and mentions the execution with that id", async () => {
    const { search, learn } = searcherOf([fakeExecution(2, "r-2"), fakeExecution(1, "2000")]);
    await learn();
    expect((await search(at("2"))).message).toContain("Execution 2 is something else.");
    const found = await search(at("2000"));
    expect(idsOf(found)).toEqual(["1"]);
    expect(found.message).not.toContain("something else");
  });

  test("does not find what n8n has deleted", async () => {
    const { n8n, search, learn } = searcherOf(fakeHistory(40));
    await learn();
    n8n.executions = fakeHistory(40).filter(({ id }) => id !== "17" && id !== "39");
    for (const id of ["r-17", "r-39"]) expect((await search(at(id))).hits).toEqual([]);
    expect(idsOf(await search(at("r-18")))).toEqual(["18"]);
  });

  test("continues where it paused, and returns each hit once", async () => {
    const same = Array.from({ length: 40 }, (_one, index) => fakeExecution(index + 1, index % 4 ? "a" : "b"));
    const { n8n, search, learn } = searcherOf(same);
    await learn();
    const seen: string[] = [];
    let more: Record<string, unknown> = {};
    for (let calls = 0; calls < 10; calls += 1) {
      const found = await search({ ...at("b"), maxHits: 3, limit: 3, ...more });
      seen.push(...idsOf(found));
      if (found.coverage.stoppedBy === "complete") break;
      more = { searchId: found.searchId };
    }
    expect(seen).toEqual(["37", "33", "29", "25", "21", "17", "13", "9", "5", "1"]);
    expect(n8n.sent.length).toBeLessThan(45);
  });

  test("respects its window", async () => {
    const { n8n, search, learn } = searcherOf(
      fakeHistory(60).map((one) => ({ ...one, workflowId: Number(one.id) % 2 ? "w1" : "w2" })),
    );
    n8n.intercept = answerWorkflow;
    await learn();
    const [before, after] = ["2026-01-01T00:00:20.000Z", "2026-01-01T00:00:10.000Z"];
    for (const [id, isIn] of [
      ["15", true],
      ["9", false],
      ["21", false],
    ] as const) {
      const args = { ...at(`r-${id}`), startedAfter: after, startedBefore: before };
      expect(idsOf(await search(args))).toEqual(isIn ? [id] : []);
    }
    expect(idsOf(await search({ ...at("r-15"), workflowId: "w1" }))).toEqual(["15"]);
    expect(idsOf(await search({ ...at("r-15"), workflowId: "w2" }))).toEqual([]);
  });
});

describe("a search reads executions whose content is not indexed:", () => {
  const many = webhookData({ list: Array.from({ length: MAX_TERMS + 1 }, (_one, index) => `v${index}`) });
  const large = webhookData({ list: ["x".repeat(1_200_000)], id: "in-vain" }, { id: "beside" });

  test("those with too many terms", async () => {
    const { n8n, search, learn } = searcherOf([
      fakeExecution(2, "r-2", { data: many }),
      fakeExecution(1, "r-1"),
    ]);
    await learn();
    expect(idsOf(await search({ path: "list", value: "v7" }))).toEqual(["2"]);
    expect((await search({ path: "list", value: "w7" })).hits).toEqual([]);
    expect(n8n.sent).toEqual(["2", "2"]);
  });

  test("not those too large in part, which are reported each time", async () => {
    const { n8n, search, learn } = searcherOf([
      fakeExecution(2, "r-2", { data: large }),
      fakeExecution(1, "r-1"),
    ]);
    await learn();
    const found = await search({ path: "id", value: "nothing" });
    expect(found).toMatchObject({ hits: [], coverage: { complete: true, skipped: [{ executionId: "2" }] } });
    expect(n8n.sent).toEqual([]);
    expect(idsOf(await search({ path: "id", value: "beside" }))).toEqual(["2"]);
  });

  test("not those too large in part, which are reported only in their window", async () => {
    const recent = fakeHistory(200).slice(2).toReversed();
    const { n8n, search, learn } = searcherOf([
      ...recent,
      fakeExecution(2, "r-2", { data: large, workflowId: "w2" }),
      fakeExecution(1, "r-1"),
    ]);
    n8n.intercept = answerWorkflow;
    await learn();
    const args = { path: "id", value: "nothing" };
    expect((await search(args)).coverage).toMatchObject({ complete: true, skipped: [{ executionId: "2" }] });
    expect((await search({ ...args, workflowId: "w1" })).coverage).toMatchObject({
      complete: true,
      skipped: [],
    });
    expect(n8n.sent).toEqual([]);
  });

  test.each([{ path: "id", value: "nothing" }, { text: "nothing" }])(
    "only once those too large to be searched: %j",
    async (query) => {
      const items = Array.from({ length: 45 }, (_one, at) => ({ list: [`${at} `.repeat(300_000)] }));
      const { n8n, search, learn } = searcherOf([
        fakeExecution(2, "r-2", { data: webhookData({ id: "first" }, ...items) }),
        fakeExecution(1, "r-1"),
      ]);
      await learn();
      n8n.sent.length = 0;
      const found = await search(query);
      expect(found).toMatchObject({ hits: [], coverage: { skipped: [{ executionId: "2" }] } });
      expect(n8n.sent).not.toContain("2");
    },
  );

  test("not those withheld by n8n, of which another reading would show no more", async () => {
    const redactionInfo = { isRedacted: true, reason: "workflow_redaction_policy", canReveal: false };
    const { n8n, search, learn } = searcherOf([
      fakeExecution(3, "r-3"),
      fakeExecution(2, "r-2", {
        data: { redactionInfo, resultData: { runData: {} } },
        customData: { order: "C-20417" },
      }),
      fakeExecution(1, "r-1"),
    ]);
    await learn();
    const found = await search(at("r-2"));
    expect(found).toMatchObject({ hits: [], coverage: { complete: false, skipped: [{ executionId: "2" }] } });
    expect(found.coverage.skipped[0]?.reason).toContain("withholds");
    expect(n8n.sent).toEqual([]);
    // What n8n shows of it is found.
    expect(idsOf(await search({ path: "order", value: "C-20417" }))).toEqual(["2"]);
  });

  test("custom data once, even if the data contains it as well", async () => {
    const customData = { order: "C-20417" };
    const sent = webhookData({ order: "C-20417" }, { reference: "C-20417" });
    const data = { resultData: { ...Object(Object(sent).resultData), metadata: customData } };
    const { search } = searcherOf([fakeExecution(2, "r-2", { data, customData })]);
    const { hits } = await search({ text: "C-20417" });
    expect(hits).toMatchObject([
      { places: [{ path: "customData.order" }, { path: "order" }, { path: "reference" }] },
    ]);
  });

  test("all of them, once other things are redacted", async () => {
    const { n8n, search, learn } = searcherOf(fakeHistory(20));
    await learn();
    const found = await search(at("r-7"), { REDACT_KEYS: "requestId" });
    expect(found).toMatchObject({ hits: [], coverage: { complete: true, readNow: 20 } });
    n8n.sent.length = 0;
    expect((await search(at("r-7"), { REDACT_KEYS: "requestId" })).hits).toEqual([]);
    expect(n8n.sent).toEqual([]);
  });
});

test.each([
  ["whose cursors cannot be constructed", { hasOpaqueCursors: true }],
  ["that does not list unfinished executions", { old: N8N_1_123 }],
  ["that rejects dates", { dates: "refused" as const }],
])("a search works on an n8n %s", async (_what, ways) => {
  const { n8n, search, learn } = searcherOf(fakeHistory(250));
  Object.assign(n8n, ways);
  await learn();
  expect(idsOf(await search(at("r-17")))).toEqual(["17"]);
  expect(idsOf(await search({ ...at("r-17"), startedAfter: "2026-01-01T00:00:00.000Z" }))).toEqual(["17"]);
});

test("nothing is final if n8n does not confirm in time that it is still the same", async () => {
  const { n8n, search, learn } = searcherOf(fakeHistory(20));
  await learn();
  n8n.intercept = ({ searchParams }) => {
    if (searchParams.get("status") === "new" && searchParams.get("limit") === "1")
      throw new ObserverError("RATE_LIMITED", "n8n is slow.", { solution: "Wait." });
    return undefined;
  };
  const { hits, coverage, searchId } = await search(at("never sent"));
  expect({ hits, coverage }).toMatchObject({ hits: [], coverage: { complete: false, stoppedBy: "time" } });
  n8n.intercept = () => undefined;
  expect(await search({ ...at("never sent"), searchId })).toMatchObject({ coverage: { complete: true } });
});

test("a search without a further slot at n8n returns its part, and continues from there", async () => {
  const { n8n, search, learn } = searcherOf(fakeHistory(600));
  await learn();
  let pages = 0;
  n8n.intercept = ({ searchParams }) => {
    if (!searchParams.has("includeData")) return undefined;
    pages += 1;
    if (pages > 1) throw new ObserverError("RATE_LIMITED", "n8n is slow.", { solution: "Wait." });
    return undefined;
  };
  const first = await search({ text: "-17", limit: 1_000 });
  expect(first).toMatchObject({ hits: [], coverage: { complete: false, stoppedBy: "n8n" } });
  expect(first.coverage.readNow).toBeGreaterThan(0);
  n8n.intercept = () => undefined;
  const next = await search({ text: "-17", limit: 1_000, searchId: first.searchId });
  expect(idsOf(next)).toContain("17");
  expect(next.coverage.readNow).toBeLessThan(600);
});

test("a search over known executions finds what one that reads all finds", inBothLanes, async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(payload, { minLength: 1, maxLength: 6 }),
      fc.array(question, { minLength: 3, maxLength: 8 }),
      async (payloads, questions) => {
        const executions = payloads.map((items, index) =>
          fakeExecution(index + 1, "r", { data: webhookData(...items) }),
        );
        const known = searcherOf(executions);
        await known.learn();
        for (const asked of questions) {
          const args = "path" in asked ? asked : { text: Object.values(asked)[0] };
          if (!isTaken(args)) continue;
          const [one, other] = [await known.search(args), await searcherOf(executions).search(args)];
          found += one.hits.length;
          expect([args, one.hits, one.coverage.skipped]).toEqual([args, other.hits, other.coverage.skipped]);
        }
      },
    ),
    // A random case may have no hit, and then compares only empty answers.
    { numRuns: runs(150), examples: [[[[{ id: "C-20417" }]], [{ text: "C-20417" }]]] },
  );
  expect(found).toBeGreaterThan(0);
});

/** True for arguments that the tool accepts. */
function isTaken(
  args: { readonly text?: unknown } | { readonly path: string; readonly value: string },
): boolean {
  if ("path" in args) return args.value.length > 0 && /^[^.[\]\s]+(\.[^.[\]\s]+)*$/.test(args.path);
  return typeof args.text === "string" && [...args.text].length >= 2 && args.text.length <= 500;
}

test("no row contains a text of any payload", async () => {
  const words = ["grenadine", "Lavendel-77", "quittance", "ada@example.com"];
  const json = { note: `${words[0]} ${words[1]}`, [`key_${words[2]}`]: words[2], mail: words[3] };
  const { rows, learn } = searcherOf([fakeExecution(1, "r-1", { data: webhookData(json) })]);
  await learn();
  const kept = rows();
  const blobs = kept.flatMap((row) => Object.values(row ?? {}).filter((cell) => cell instanceof Uint8Array));
  // The lengths of a block, and its filters.
  expect(blobs).toHaveLength(2);
  const texts = [JSON.stringify(kept), ...blobs.map((blob) => Buffer.from(blob).toString("latin1"))];
  for (const text of texts) for (const word of words) expect(text).not.toContain(word);
});
