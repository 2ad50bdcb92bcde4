/** A page that is requested repeatedly: reported as if read anew, but parsed again only after a byte has changed. */
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { PayloadSearch } from "../../../src/history/payload/payload-search.ts";
import { type SearchTarget, targetId, targetText } from "../../../src/history/payload/search-target.ts";
import { PageSize } from "../../../src/history/reading/page-size.ts";
import { readPage } from "../../../src/history/reading/read-executions.ts";
import type { Reading, ReadingEvents, ReadOptions } from "../../../src/history/reading/reading.ts";
import { RepeatedPage } from "../../../src/history/reading/repeated-page.ts";
import { takeTerms } from "../../../src/history/terms/term-reading.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { digest } from "../../support/facts-of-executions.ts";
import { createFakeN8n, failure, fakeExecution, webhookData } from "../../support/fake-n8n.ts";
import { createLocalIds } from "../../support/local-ids.ts";
import { createLocalTerms } from "../../support/local-terms.ts";

const PASSWORD = "hunter-2-hunter-2";
const QUERY = { status: "running", limit: 10 } as const;

const n8n = createFakeN8n([]);
const paths = createLocalIds();
const redact = createRedactor([]);
let redacted: unknown[];
let page: RepeatedPage;

async function redactLarge(value: unknown): Promise<unknown> {
  redacted.push(value);
  return redact(value).value;
}

beforeEach(() => {
  redacted = [];
  page = new RepeatedPage();
  n8n.intercept = () => undefined;
});

function optionsFor(searchTargets: readonly SearchTarget[], others: Partial<ReadOptions> = {}): ReadOptions {
  return {
    client: n8n.client,
    paths,
    digest,
    redactLarge,
    terms: takeTerms(createLocalTerms(), 0),
    search: new PayloadSearch({ searchTargets: () => searchTargets, maxBytes: 128 * 1024 }),
    clock: { now: Date.now, sleep: async () => {} },
    deadline: Date.now() + 60_000,
    pageSize: new PageSize(),
    ...others,
  };
}

type Read = (options: ReadOptions, events: ReadingEvents) => Promise<void>;

const again: Read = async (options, events) => await page.read(QUERY, options, events);
const anew: Read = async (options, events) => await readPage(QUERY, options, events);

/** Everything reported of a page, including what each search finds in it. */
async function reported(read: Read, targets: readonly SearchTarget[], others: Partial<ReadOptions> = {}) {
  const options = optionsFor(targets, others);
  const lines: unknown[] = [];
  let executions = 0;
  const events: ReadingEvents = {
    read: ({ searched, ...reading }: Reading) =>
      lines.push({ ...reading, ...searched, hits: targets.map((target) => searched?.hitsOf(target)) }),
    unreadable: (id, reason) => lines.push([id, reason]),
    vanished: (id) => lines.push(id),
  };
  await read({ ...options, countExecution: () => (executions += 1) }, events);
  const { bytes, current } = options.pageSize;
  const searchLeft = options.search?.left;
  return {
    lines: lines.map((line) => Object.assign({}, line, { hitsOf: 0 })),
    executions,
    bytes,
    current,
    searchLeft,
  };
}

const running = (id: number, json: unknown, facts: Record<string, unknown> = {}) =>
  fakeExecution(id, `r-${id}`, {
    status: "running",
    stoppedAt: null,
    data: webhookData({ body: { requestId: `r-${id}` } }, json),
    ...facts,
  });

const text = fc.constantFrom(
  "r-1",
  "r-2",
  "order r-2 came",
  PASSWORD,
  "[redacted]",
  "nothing",
  '{"a":"r-1"}',
);
const json = fc.oneof(
  fc.dictionary(fc.constantFrom("password", "requestId", "note"), text, { maxKeys: 3 }),
  fc.constantFrom({ filling: "x".repeat(70_000) }, { filling: "x".repeat(300 * 1024) }),
);
const odd = fc.constantFrom(
  {},
  {},
  {},
  { customData: { order: "r-2", secret: PASSWORD } },
  { data: 7 },
  { mode: 7 },
);
const aPage = fc.array(fc.tuple(json, odd), { maxLength: 3 });
const target = fc.constantFrom("r-1", "r-2", "order", PASSWORD, "redacted");

test("any sequence of requests gives the same reports as reading each page anew", async () => {
  const rounds = fc.array(fc.tuple(fc.nat(2), fc.array(target, { maxLength: 2 })), {
    minLength: 2,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(fc.tuple(aPage, aPage, aPage), rounds, async (pages, asked) => {
      page = new RepeatedPage();
      for (const [index, texts] of asked) {
        n8n.executions = (pages[index] ?? []).map(([value, facts], at) => running(at + 1, value, facts));
        const targets = texts.flatMap((one) => [targetId(one), targetText(one)]);
        expect(await reported(again, targets)).toEqual(await reported(anew, targets));
      }
    }),
    { numRuns: 150 },
  );
});

test("an unchanged page is redacted once and can be searched for anything", async () => {
  n8n.executions = [running(1, { note: "order r-2 came", password: PASSWORD })];
  await reported(again, [targetId("none")]);
  expect(redacted).not.toEqual([]);
  redacted = [];
  const found = await reported(again, [targetId("r-2"), targetText(PASSWORD)]);
  expect(redacted).toEqual([]);
  expect(found.lines).toMatchObject([{ hits: [[{ path: ["note"] }], []], isWhole: true }]);
  n8n.executions = [running(1, { note: "order r-3 came", password: PASSWORD })];
  expect(await reported(again, [targetId("r-2")])).toMatchObject({ lines: [{ hits: [[]] }] });
  expect(redacted).not.toEqual([]);
});

test("the stored page holds nothing that redaction removes", async () => {
  n8n.executions = [running(1, { note: "order r-2 came", password: PASSWORD })];
  await reported(again, [targetId("none")]);
  const held: unknown[] = [];
  const search = new PayloadSearch({
    searchTargets: () => [targetId("r-2")],
    maxBytes: 128 * 1024,
    redactShown: async (value) => {
      held.push(value);
      return value;
    },
  });
  await reported(again, [], { search });
  expect(held).toEqual([expect.objectContaining({ note: "order r-2 came" })]);
  expect(JSON.stringify(held)).not.toContain(PASSWORD);
});

test.each([
  ["other rules of redaction", { redactLarge: async () => ({ note: "order r-2" }) }],
  ["other paths of request ids", { paths: createLocalIds() }],
])("a page is read anew with %s", async (_which, others) => {
  n8n.executions = [running(1, { note: "order r-1 came" })];
  await reported(again, [targetId("r-2")]);
  expect(await reported(again, [targetId("r-2")], others)).toEqual(
    await reported(anew, [targetId("r-2")], others),
  );
});

test("a large page is not stored", async () => {
  const targets = [targetId("r-2")];
  const search = () => new PayloadSearch({ searchTargets: () => targets, maxBytes: 1024 * 1024 });
  for (const note of ["order r-1 came", "order r-2 came", "order r-2 came"]) {
    n8n.executions = [running(1, { note, filling: "x".repeat(256 * 1024) })];
    const expected = await reported(anew, targets, { search: search() });
    redacted = [];
    expect(await reported(again, targets, { search: search() })).toEqual(expected);
    expect(redacted).not.toEqual([]);
  }
});

test("a page first read without a search is read anew for one", async () => {
  n8n.executions = [running(1, { note: "order r-2 came" })];
  await reported(again, []);
  expect(await reported(again, [targetId("r-2")])).toMatchObject({
    lines: [{ hits: [[{ path: ["note"] }]] }],
  });
});

test("the stored page survives failures of n8n, and an incomplete page reports nothing", async () => {
  n8n.executions = [running(1, { note: "order r-2 came" })];
  await reported(again, [targetId("none")]);
  for (const broken of [
    failure(500),
    new Response('{"data":[{"id":"1","workflowId":"w"', { headers: { "content-type": "application/json" } }),
  ]) {
    n8n.intercept = () => broken;
    const reports: unknown[] = [];
    const report = (one: unknown) => void reports.push(one);
    const events = { read: report, unreadable: report, vanished: report };
    const reading = page.read(QUERY, optionsFor([targetId("r-2")]), events);
    await expect(reading).rejects.toThrow();
    expect(reports).toEqual([]);
  }
  n8n.intercept = () => undefined;
  redacted = [];
  expect(await reported(again, [targetId("r-2")])).toMatchObject({
    lines: [{ hits: [[{ path: ["note"] }]] }],
  });
  expect(redacted).toEqual([]);
});
