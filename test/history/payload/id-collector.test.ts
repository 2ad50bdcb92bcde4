/** Where a request id stands in an execution: from n8n's bytes to the reported place. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CollectedIds,
  IdCollector,
  MAX_CORRELATIONS,
  MAX_REQUEST_ID_LENGTH,
  type ValuePlace,
} from "../../../src/history/payload/id-collector.ts";
import { PayloadItem } from "../../../src/history/payload/payload-items.ts";
import {
  type Hit,
  PayloadSearch,
  type SearchedPayload,
} from "../../../src/history/payload/payload-search.ts";
import {
  mentionIn,
  type SearchTarget,
  targetId,
  targetText,
  targetValueAt,
} from "../../../src/history/payload/search-target.ts";
import { comparedForm } from "../../../src/history/request-ids/request-forms.ts";
import { formatPath } from "../../../src/json/path-text.ts";
import { type ExecutionReader, ExecutionWalk } from "../../../src/n8n/execution-walk.ts";
import { runOrderOf } from "../../../src/n8n/run-order.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { encode } from "../../json/chunks.ts";
import { jsonWriter } from "../../json/json-writers.ts";
import { createLocalIds } from "../../support/local-ids.ts";

const paths = createLocalIds();

type Looked = CollectedIds & Omit<SearchedPayload, "hitsOf"> & { readonly hits: readonly Hit[] };

const asRedacted = async (value: unknown): Promise<unknown> => redact(value);

/** Feeds the JSON of one execution to the collector and the search. */
async function lookAtJson(json: string, searchTarget: SearchTarget | null): Promise<Looked> {
  const look = new IdCollector(paths);
  const target = searchTarget ?? targetText("nothing of this kind");
  const options = { searchTargets: () => [target], redactShown: asRedacted };
  const search = new PayloadSearch({ ...options, maxBytes: Number.POSITIVE_INFINITY }).begin();
  const waiting: (() => Promise<void>)[] = [];
  const wait = (work: (() => Promise<void>) | null): void => void (work !== null && waiting.push(work));
  let ended = 0;
  const reader: ExecutionReader = {
    wantsKey: (key) => paths.endWith(key),
    value: (value, place) => {
      look.see(value, place);
      if (place.run !== null && place.item === null)
        wait(search.see(PayloadItem.ofMessage(String(value), place.path, asRedacted), () => place));
    },
    roomForContainer: () => search.room,
    container: (bytes, placeOf) =>
      wait(
        search.see(bytes === null ? null : PayloadItem.ofJson(bytes, placeOf().path, asRedacted), placeOf),
      ),
    onSkipped: () => look.missPart(),
    execution: () => {
      ended += 1;
    },
    unreadable: (_id, reason) => {
      throw new Error(reason);
    },
  };
  const walk = new ExecutionWalk("one", reader);
  walk.write(encode(json));
  walk.end();
  for (const work of waiting) await work();
  expect(ended).toBe(1);
  const [looked, searched] = [look.result(), search.result()];
  return {
    ...searched,
    ...looked,
    hits: searched.hitsOf(target),
    isPartial: looked.isPartial || searched.isPartial,
  };
}

interface Parts {
  readonly customData?: Readonly<Record<string, unknown>>;
  /** Node → its runs. */
  readonly runs?: Readonly<Record<string, readonly unknown[]>>;
}

function executionOf({ customData = {}, runs = {} }: Parts): string {
  return JSON.stringify({
    id: "7",
    workflowId: "w",
    status: "success",
    mode: "webhook",
    startedAt: "2026-01-01T00:00:00.000Z",
    stoppedAt: "2026-01-01T00:00:01.000Z",
    data: { resultData: { runData: runs } },
    customData,
  });
}

const sending = (executionIndex: number, ...payloads: readonly unknown[]): unknown => ({
  startTime: 1,
  executionTime: 1,
  executionIndex,
  executionStatus: "success",
  source: [],
  data: { main: [payloads.map((json) => ({ json }))] },
});

/** An execution whose nodes each sent one item, in this order. */
const nodesSending = (payloads: Readonly<Record<string, unknown>>): Parts => ({
  runs: Object.fromEntries(
    Object.entries(payloads).map(([name, json], index) => [name, [sending(index, json)]]),
  ),
});

const look = async (parts: Parts, searchTarget: SearchTarget | null): Promise<Looked> =>
  await lookAtJson(executionOf(parts), searchTarget);

const redactor = createRedactor([]);
const redact = (value: unknown): unknown => redactor(value).value;

interface Standing {
  readonly kind: "exact" | "mentioned";
  readonly nodeName: string | null;
  readonly path: string;
}

const toStanding = (kind: Standing["kind"], place: ValuePlace): Standing => ({
  kind,
  nodeName: place.run?.nodeName ?? null,
  path: formatPath(place.path),
});

/** Exact at a known path, otherwise mentioned. */
function standingIn({ correlations, hits }: Looked, requestId: string): Standing | null {
  const exact = correlations.get(requestId);
  if (exact !== undefined) return toStanding("exact", exact);
  return hits[0] === undefined ? null : toStanding("mentioned", hits[0]);
}

async function find(parts: Parts, requestId: string): Promise<Standing | null> {
  const form = comparedForm(requestId);
  return standingIn(await look(parts, targetId(form)), form);
}

const findInNode = async (json: unknown, requestId: string): Promise<Standing | null> =>
  await find(nodesSending({ Node: json }), requestId);

const ODD_IDS = [
  'req-"quoted"',
  "req/../x\\y?z#",
  "請求-é-1",
  "a.*[b]+(c)$",
  "🙂",
  " leading and trailing ",
  "<b>&'x'</b>",
  "{}",
];

describe("a value at a known path is an exact match", () => {
  test.each<[string, unknown, string]>([
    [
      "the path that the guide recommends",
      { body: { context: { requestId: "r-1" } } },
      "body.context.requestId",
    ],
    ["at the top of the body", { body: { requestId: "r-1" } }, "body.requestId"],
    [
      "a known path at the end of a longer one",
      { order: { lines: [{}, { requestId: "r-1" }] } },
      "order.lines[1].requestId",
    ],
    ["a header, in any case", { headers: { "X-Request-ID": "r-1" } }, "headers.X-Request-ID"],
    [
      "JSON held in a string",
      { body: { payload: JSON.stringify({ context: { requestId: "r-1" } }) } },
      "body.payload.context.requestId",
    ],
    [
      "JSON in a string in a string",
      { p: JSON.stringify({ q: JSON.stringify({ requestId: "r-1" }) }) },
      "p.q.requestId",
    ],
    [
      "JSON in a string, three deep",
      { p: JSON.stringify({ q: JSON.stringify([JSON.stringify({ requestId: "r-1" })]) }) },
      "p.q[0].requestId",
    ],
    ["JSON in a string, after white space", { p: '\r\n\t {"requestId":"r-1"}' }, "p.requestId"],
  ])("%s", async (_name, json, path) => {
    expect(await findInNode(json, "r-1")).toEqual({ kind: "exact", nodeName: "Node", path });
    // The same id is collected when nothing, or something else, is searched for.
    for (const searchTarget of [null, targetId("other")])
      expect(standingIn(await look(nodesSending({ Node: json }), searchTarget), "r-1")).toMatchObject({
        kind: "exact",
      });
  });

  test("custom data, which belongs to no node", async () => {
    expect(await find({ customData: { requestId: "r-1" } }, "r-1")).toEqual({
      kind: "exact",
      nodeName: null,
      path: "customData.requestId",
    });
  });

  test("a number is compared as text", async () => {
    expect(await findInNode({ requestId: 424242 }, "424242")).toMatchObject({ kind: "exact" });
    expect(await findInNode({ p: '{"requestId":424242}' }, "424242")).toMatchObject({ kind: "exact" });
  });

  test.each(ODD_IDS)("%j", async (id) => {
    expect(await findInNode({ requestId: id }, id)).toMatchObject({ kind: "exact", path: "requestId" });
    const inString = { body: JSON.stringify({ requestId: id }) };
    expect(await findInNode(inString, id)).toMatchObject({ kind: "exact", path: "body.requestId" });
  });

  const uuid = "0d5d4f2c-6a7b-4f0e-9c1d-2b3a4c5d6e7f";
  test.each<[string, string, string]>([
    ["a UUID without hyphens", uuid.replaceAll("-", ""), uuid],
    ["a UUID in capitals and braces", `{${uuid.toUpperCase()}}`, uuid.replaceAll("-", "")],
    ["a UUID as a URN", `urn:uuid:${uuid}`, uuid],
    ["a ULID in lower case", "01j8z3k5v9w2x4y6a8b0c1d2e3", "01J8Z3K5V9W2X4Y6A8B0C1D2E3"],
    ["blanks around it", " r-1\n", "r-1"],
    ["decomposed characters", "Mu\u0308ller-7", "M\u00fcller-7"],
  ])("%s, asked for in another spelling", async (_name, stored, asked) => {
    for (const [there, wanted] of [
      [stored, asked],
      [asked, stored],
    ] as const) {
      expect(await findInNode({ requestId: there }, wanted)).toMatchObject({ kind: "exact" });
      expect(await findInNode({ requestId: [there] }, wanted)).toMatchObject({ kind: "exact" });
      expect(await findInNode({ text: `about ${there}.` }, wanted)).toMatchObject({ kind: "mentioned" });
    }
  });

  test("an id in another case is another id, unless it is a UUID or a ULID", async () => {
    expect(await findInNode({ requestId: "AbC-1", text: "about AbC-1" }, "abc-1")).toBeNull();
    expect(await findInNode({ text: `about 7${uuid}` }, uuid)).toBeNull();
  });

  test("the first node by execution order wins, even over an earlier mention", async () => {
    const payloads = {
      First: { note: "about r-1" },
      Second: { requestId: "r-1" },
      Third: { requestId: "r-1" },
    };
    expect(await find(nodesSending(payloads), "r-1")).toEqual({
      kind: "exact",
      nodeName: "Second",
      path: "requestId",
    });
  });

  test("a second output, a later run and an agent's input are read", async () => {
    const run = { startTime: 1, executionTime: 1, source: [] };
    const second = { ...run, data: { main: [[], [{ json: { requestId: "r-1" } }]] } };
    const branching = { If: [{ ...run, data: { main: [[]] } }, second] };
    expect(await find({ runs: branching }, "r-1")).toMatchObject({ kind: "exact", nodeName: "If" });
    const tool = {
      ...run,
      data: { ai_tool: [[{ json: {} }]] },
      inputOverride: { ai_tool: [[{ json: { query: { requestId: "r-1" } } }]] },
    };
    expect(await find({ runs: { Tool: [tool] } }, "r-1")).toMatchObject({ kind: "exact", nodeName: "Tool" });
  });
});

describe("a value elsewhere is a mention, never a match", () => {
  test.each<[string, unknown, string]>([
    ["equal, at an unknown path", { correlation: "r-1" }, "correlation"],
    ["a key that merely ends like a known one", { myrequestId: "r-1" }, "myrequestId"],
    ["in a sentence", { text: "finished r-1, at last" }, "text"],
    ["among other text at a known path", { requestId: "see r-1" }, "requestId"],
    ["JSON in strings, three deep", { p: JSON.stringify({ q: JSON.stringify(['["r-1"]']) }) }, "p"],
  ])("%s", async (_name, json, path) => {
    expect(await findInNode(json, "r-1")).toEqual({ kind: "mentioned", nodeName: "Node", path });
  });

  test("an error's message", async () => {
    const failed = { executionIndex: 0, error: { message: "no order for r-1" } };
    expect(await find({ runs: { Http: [failed] } }, "r-1")).toEqual({
      kind: "mentioned",
      nodeName: "Http",
      path: "error.message",
    });
  });

  test.each(ODD_IDS)("%j, on its own and in JSON in strings", async (id) => {
    expect(await findInNode({ text: `about ${id}!` }, id)).toMatchObject({ kind: "mentioned", path: "text" });
    const nested = JSON.stringify({ a: JSON.stringify({ b: id }) });
    expect(await findInNode({ text: nested }, id)).toMatchObject({ kind: "mentioned" });
  });
});

describe("a part of another id is no hit", () => {
  test.each(["r-12", "xr-1", "r-1-2", "r-1_b", "r-1é", "r-1𝒜", "𠮷r-1"])("%s", async (other) => {
    expect(await findInNode({ requestId: other, text: `about ${other}!` }, "r-1")).toBeNull();
    expect(await findInNode({ p: JSON.stringify({ requestId: other }) }, "r-1")).toBeNull();
  });

  test("a later occurrence of the id itself is a hit", async () => {
    expect(mentionIn("r-12 and r-1", "r-1")).toBe(9);
    expect(mentionIn("r-12 and r-13", "r-1")).toBe(-1);
  });

  test("an emoji is not part of an id", async () => {
    expect(mentionIn("🙂r-1🙂", "r-1")).toBe(2);
  });

  const idCharacter = fc.constantFrom("a", "Z", "0", "_", "-", "é", "請", "𝒜", "٣");
  const id = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}$/);

  test("any id that is longer by one character is another id", async () => {
    await fc.assert(
      fc.asyncProperty(id, idCharacter, fc.boolean(), async (target, more, isBefore) => {
        const longer = isBefore ? more + target : target + more;
        expect(await findInNode({ requestId: longer, text: `"${longer}"` }, target)).toBeNull();
      }),
    );
  });
});

describe("any id, written by any JSON writer", () => {
  const anyId = fc
    .oneof(fc.string({ unit: "grapheme", minLength: 1 }), fc.string({ minLength: 1 }))
    .filter((text) => text.trim() !== "" && text.normalize("NFC").length <= MAX_REQUEST_ID_LENGTH);
  const nesting = fc.array(jsonWriter, { maxLength: 3 });

  /** An execution whose one item holds this JSON in nested strings, each written by another writer. */
  function nest(innermost: string, writers: readonly ((value: string) => string)[]): string {
    const payload = writers.reduce((inner, write) => `{"p":${write(inner)}}`, innermost);
    const marked = executionOf(nodesSending({ Node: "PAYLOAD" }));
    return marked.split('"PAYLOAD"').join(payload);
  }

  test("is exact at a known path, up to three strings deep", async () => {
    await fc.assert(
      fc.asyncProperty(anyId, jsonWriter, nesting, async (id, write, writers) => {
        const json = nest(`{"requestId":${write(id)}}`, writers);
        const form = comparedForm(id);
        expect(standingIn(await lookAtJson(json, targetId(form)), form)).toMatchObject({ kind: "exact" });
        expect((await lookAtJson(json, null)).correlations.has(form)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("is mentioned elsewhere, up to three strings deep", async () => {
    await fc.assert(
      fc.asyncProperty(anyId, jsonWriter, nesting, async (id, write, writers) => {
        // A value that reads as a secret ("Pw: 0") is never confirmed.
        fc.pre(JSON.stringify(redact({ other: id })) === JSON.stringify({ other: id }));
        const json = nest(`{"other":${write(id)}}`, writers);
        const form = comparedForm(id);
        expect(standingIn(await lookAtJson(json, targetId(form)), form)).toMatchObject({ kind: "mentioned" });
      }),
      { numRuns: 500 },
    );
  });
});

describe("the ids of an execution", () => {
  test("are exactly those at known paths", async () => {
    const { correlations, hits, isPartial } = await look(
      {
        customData: { requestId: "custom", note: "other" },
        ...nodesSending({
          Webhook: {
            headers: { "x-request-id": "header", host: "other" },
            body: { requestId: "body", orders: [{ requestId: 3 }, { requestId: true }, { requestId: null }] },
          },
          Set: {
            text: "other",
            context: { requestId: "body" },
            payload: '{"requestId":"nested"}',
            requestId: "",
          },
        }),
      },
      null,
    );
    expect([...correlations.keys()].sort()).toEqual(["3", "body", "custom", "header", "nested"]);
    expect(formatPath(correlations.get("body")?.path ?? [])).toBe("body.requestId");
    expect({ hits, isPartial }).toEqual({ hits: [], isPartial: false });
  });

  test("come with their complete place", async () => {
    const { correlations } = await look(
      { runs: { Loop: [sending(0), sending(1, {}, { requestId: "r-1" })] } },
      null,
    );
    expect(correlations.get("r-1")).toEqual({
      run: { nodeName: "Loop", index: 1, order: runOrderOf(1, 1) },
      item: { connectionType: "main", output: 0, index: 1, direction: "output" },
      path: ["requestId"],
      isOpen: false,
    });
  });

  const earliest = async (runs: Parts["runs"]): Promise<string> =>
    (await find(runs === undefined ? {} : { runs }, "r-1"))?.nodeName ?? "nowhere";
  const json = { requestId: "r-1" };

  test("are not placed in a run that an agent has prepared and that never began", async () => {
    const prepared = { startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
    const inputOverride = { ai_tool: [[{ json }]] };
    expect(await earliest({ stock: [{ ...prepared, inputOverride }], Webhook: [sending(1, json)] })).toBe(
      "Webhook",
    );
  });

  test("are placed where they occurred first by execution order, not by order in the JSON", async () => {
    expect(
      await earliest({ Last: [sending(2, json)], First: [sending(0, json)], Then: [sending(1, json)] }),
    ).toBe("First");
  });

  test("are placed in the first node even when a long loop precedes it in the JSON", async () => {
    const loop = Array.from({ length: 200 }, (_run, index) => sending(index + 1, json));
    expect(await earliest({ Loop: loop, Webhook: [sending(0, json)] })).toBe("Webhook");
    expect(await earliest({ Webhook: [sending(0, json)], Loop: loop })).toBe("Webhook");
  });

  test("in custom data come before those of nodes", async () => {
    const parts = { ...nodesSending({ Webhook: json }), customData: { requestId: "r-1" } };
    expect(await find(parts, "r-1")).toMatchObject({ kind: "exact", nodeName: null });
  });

  test("are no longer than the longest id that can be traced", async () => {
    const longest = "x".repeat(MAX_REQUEST_ID_LENGTH);
    const { correlations } = await look(
      nodesSending({ A: { requestId: longest }, B: { requestId: `${longest}x` } }),
      null,
    );
    expect([...correlations.keys()]).toEqual([longest]);
  });
});

describe("large executions", () => {
  test("an id in the 5,000th item is collected", async () => {
    const items = Array.from({ length: 5_000 }, (_item, index) => ({ n: index }));
    const parts = { runs: { Split: [sending(0, ...items, { requestId: "r-1" })] } };
    const { correlations } = await look(parts, null);
    expect(correlations.get("r-1")?.item?.index).toBe(5_000);
  });

  test("an id or a mention in a string of 500 kB is found", async () => {
    const filler = "x".repeat(500_000);
    expect(await findInNode({ p: JSON.stringify({ filler, requestId: "r-1" }) }, "r-1")).toMatchObject({
      kind: "exact",
    });
    expect(await findInNode({ p: `${filler} r-1` }, "r-1")).toMatchObject({ kind: "mentioned" });
  });

  test("an item too large for redaction makes the result partial", async () => {
    const long = "x".repeat(2_000_000);
    const partial = async (text: string): Promise<boolean> =>
      (await look(nodesSending({ A: { text }, B: { requestId: "r-1" } }), targetId("r-1"))).isPartial;
    expect([await partial(long), await partial(`{${long}`), await partial(`${long} r-1`)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await partial("x".repeat(1_000_000))).toBe(false);
  });

  test("more ids than the maximum make the result partial, and the searched one is still a hit", async () => {
    const ids = (count: number): unknown[] =>
      Array.from({ length: count }, (_id, index) => ({ requestId: `r-${index}` }));
    const kept = await look({ runs: { Batch: [sending(0, ...ids(MAX_CORRELATIONS))] } }, null);
    expect([kept.correlations.size, kept.isPartial]).toEqual([MAX_CORRELATIONS, false]);
    const last = `r-${MAX_CORRELATIONS}`;
    const over = await look({ runs: { Batch: [sending(0, ...ids(MAX_CORRELATIONS + 1))] } }, targetId(last));
    expect([over.correlations.size, over.isPartial, over.correlations.has(last)]).toEqual([
      MAX_CORRELATIONS,
      true,
      false,
    ]);
    expect(over.hits).toHaveLength(1);
  });

  test("more custom values than the maximum make the result partial, repeated ones do not", () => {
    const seen = new IdCollector(createLocalIds());
    for (let index = 0; index < MAX_CORRELATIONS; index += 1) seen.seeCustomValue("order", `c-${index}`);
    seen.seeCustomValue("again", "c-0");
    expect(seen.result()).toMatchObject({ customValues: { size: MAX_CORRELATIONS }, isPartial: false });
    seen.seeCustomValue("order", "one more");
    expect(seen.result()).toMatchObject({ customValues: { size: MAX_CORRELATIONS }, isPartial: true });
  });

  test("an id that occurs many times is collected once", async () => {
    const same = Array.from({ length: MAX_CORRELATIONS * 2 }, () => ({ requestId: "r-1" }));
    const { correlations, isPartial } = await look({ runs: { Batch: [sending(0, ...same)] } }, null);
    expect([[...correlations.keys()], isPartial]).toEqual([["r-1"], false]);
  });
});

describe("search hits", () => {
  test("are the first three places by execution order", async () => {
    const many = Array.from({ length: 30 }, () => ({ text: "about r-1" }));
    const runs = { Later: [sending(1, ...many)], First: [sending(0, { note: "r-1" }, { note: "r-1" })] };
    const { hits } = await look({ runs }, targetId("r-1"));
    expect(hits.slice(0, 3).map(({ run, item }) => `${run?.nodeName} ${item?.index}`)).toEqual([
      "First 0",
      "First 1",
      "Later 0",
    ]);
    expect(hits).toHaveLength(3);
  });

  test("for a text are all values that contain it", async () => {
    const parts = nodesSending({
      Set: { mail: "ann@example.com", other: "x", p: '{"to":"ann@example.com"}' },
    });
    const { hits } = await look(parts, targetText("ann@"));
    expect(hits.map(({ path }) => formatPath(path))).toEqual(["mail", "p", "p.to"]);
    expect((await look(parts, targetText("Ann@"))).hits).toEqual([]);
  });

  test("for a value are equal ones, at paths ending with the given path", async () => {
    const parts = nodesSending({
      Set: {
        customer: { id: "12" },
        body: { customer: [{ id: 12 }, { id: 120 }] },
        order: { id: "12" },
        p: '{"customer":{"id":"12"}}',
        text: "12",
      },
    });
    const pathsOf = async (searchTarget: SearchTarget): Promise<string[]> =>
      (await look(parts, searchTarget)).hits.map(({ path }) => formatPath(path));
    expect(await pathsOf(targetValueAt("customer.id", "12"))).toEqual([
      "customer.id",
      "body.customer[0].id",
      "p.customer.id",
    ]);
    expect(await pathsOf(targetValueAt("body.customer.id", "12"))).toEqual(["body.customer[0].id"]);
    expect(await pathsOf(targetValueAt("customer.id", "1"))).toEqual([]);
    expect(await pathsOf(targetValueAt("customer", "12"))).toEqual([]);
  });

  test("can be found again by the path that is shown, whatever keys it contains", async () => {
    const json = { "a.b": [{ "": { "x[0]": { "Order no.": "12" } } }], '"': { ".": { "..": "12" } } };
    const { hits } = await look(nodesSending({ Set: json }), targetText("12"));
    const shown = hits.map(({ path }) => formatPath(path));
    expect(shown).toEqual(["a.b[0]..x[0].Order no.", '".....']);
    for (const path of shown) {
      const found = await look(nodesSending({ Set: json }), targetValueAt(path, "12"));
      expect(found.hits.map((hit) => formatPath(hit.path))).toEqual([path]);
    }
  });

  test("for a value with quotes are found in any JSON spelling", async () => {
    const parts = nodesSending({ Set: { name: 'The "Inn"/é', p: JSON.stringify({ name: 'The "Inn"/é' }) } });
    const { hits } = await look(parts, targetValueAt("name", 'The "Inn"/é'));
    expect(hits.map(({ path }) => formatPath(path))).toEqual(["name", "p.name"]);
  });
});

describe("a guessed secret is not confirmed", () => {
  test.each([
    ["under a secret key", { password: "4711" }],
    ["as a number", { pin: 1, credentials: { pinCode: 1 }, secret: 4711 }],
    ["in JSON held in a string", { body: '{"apiKey":"4711"}' }],
    ["in free text", { note: "password=4711" }],
    ["in a header", { headers: { authorization: "Bearer 4711" } }],
    ["in a pair of name and value", { parameters: [{ name: "token", value: "4711" }] }],
    ["in a list of names and values", { entries: [["authorization", "4711"]] }],
    ["among raw headers", { rawHeaders: ["Authorization", "4711"] }],
    ["behind a flag", { args: ["--token", "4711"] }],
    ["in a long text", { note: `${"x ".repeat(20_000)} password=4711 ${" y".repeat(20_000)}` }],
  ])("%s", async (_name, json) => {
    expect(await findInNode(json, "4711")).toBeNull();
  });

  test.each([
    ["beside a secret", { password: "4711", orderId: "4711" }, "orderId"],
    ["in a long text", { note: `${"x ".repeat(20_000)} order 4711 ${" y".repeat(20_000)}` }, "note"],
    ["in a list", { ids: ["1", "4711"] }, "ids[1]"],
    ["under __proto__", JSON.parse('{"__proto__":{"id":"4711"}}'), "__proto__.id"],
  ])("a value that is no secret is found: %s", async (_name, json, path) => {
    expect(await findInNode(json, "4711")).toMatchObject({ kind: "mentioned", path });
  });
});

test.each([
  ["$json.list[1].state", ["list", 1, "state"]],
  ["list.1.state", ["list", 1, "state"]],
  ["list.*.state", ["list", 1, "state"]],
  ["$input.item.json?.list?.[1]?.state", ["list", 1, "state"]],
  ['$("Set").first().json.list[1].state', ["list", 1, "state"]],
  ['$json["Order \\"number\\""]', ['Order "number"']],
  ["$json['Order number'].id", ["Order number", "id"]],
  ["list[1].state", ["list.1", "state"]],
  ["[0].state", ["0", "state"]],
] as const)("a value at the expression path %s is found at %j", (path, at) => {
  expect(targetValueAt(path, "open").find("open", () => at)).toBe(0);
  expect(targetValueAt(path, "open").find("open", () => ["another", ...at, "below"])).toBe(-1);
});
