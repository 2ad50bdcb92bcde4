/** The page's answers to tool answers made by the test: slow, large and hostile ones. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { pageUrlOf, requestPath } from "../../../src/pages/app/addresses.ts";
import type { Answer, Say, Visitor } from "../../../src/pages/app/page-request.ts";
import { showPage } from "../../../src/pages/app/show-page.tsx";
import { revealed } from "../../../src/pages/app/text.tsx";

const ORIGIN = "https://observer.example";
const MAXIMUM_COMPRESSED = 60_000;

type Ask = (tool: string, say: Say | undefined, args: object) => Answer | Promise<Answer>;

const success = (data: unknown, message = "It ended."): Answer => ({
  status: "success",
  message,
  data,
  meta: {},
});

function visitorWith(ask: Ask, instances: readonly string[]): Visitor {
  return {
    ask: async (tool, args, say) => await ask(tool, say, args),
    mayReadData: true,
    showsData: true,
    formToken: "token",
    instances,
  };
}

const open = async (path: string, ask: Ask, instances: readonly string[] = []): Promise<Response> =>
  await showPage(new Request(ORIGIN + path), visitorWith(ask, instances));

const refusal = (code: string, message: string, details: object): Answer => ({
  status: "error",
  data: { code, message, details },
  meta: {},
});

const execution = (id: number) => ({
  ...{ id: String(id), workflowId: "w1", workflowName: `Workflow ${id}`, role: "entry", status: "success" },
  startOffsetMs: id,
  durationMs: 5,
});

const trace = (executions: readonly unknown[], more: object = {}): Answer =>
  success({
    requestId: "r",
    found: true,
    outcome: "success",
    executions,
    coverage: { complete: true },
    traceId: "t",
    ...more,
  });

describe("a slow answer", () => {
  const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

  test("is streamed: the frame first, then progress, then the answer", async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const answer = await open("/app/requests/r", async (_tool, say) => {
      await say?.("Read 100 <of> 200");
      await pause(400);
      await say?.("Read 200 of 200");
      return await promise;
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("Read 200")) text += (await reader?.read())?.value ?? "";
    expect(text).toContain("<li>Read 100 &lt;of&gt; 200</li>");
    expect(text.includes("Cancel")).toBe(true);
    expect(text.includes("</html>")).toBe(false);
    resolve(trace([execution(1)]));
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      text += next.value;
    expect(text).toMatch(/<style>\.progress \{ display: none; \}<\/style>[\s\S]*It ended\.[\s\S]*<\/html>$/);
  });

  test("that fails by a bug shows a number and nothing of the error", async () => {
    const answer = await open("/app/requests/r", async () => {
      await pause(400);
      throw new TypeError("a secret");
    });
    const text = await answer.text();
    expect(text).toContain("Something went wrong");
    expect(text).not.toContain("a secret");
  });

  test("continues by itself when the time of one call is over", async () => {
    let calls = 0;
    const unfinished = { outcome: "not_found_yet", coverage: { complete: false, stoppedBy: "time" } };
    const answer = await open("/app/requests/r", () => {
      calls += 1;
      return trace([execution(1)], calls < 3 ? unfinished : {});
    });
    await answer.text();
    expect(calls).toBe(3);
  });
});

describe("a large answer", () => {
  const compressed = async (answer: Response): Promise<number> => gzipSync(await answer.text()).length;

  test("of 200 executions shows each as a bar on a small page", async () => {
    const rows = { none: Array.from({ length: 150 }, (_, index) => `${index + 51} 0 ${index} 5`) };
    const moreExecutions = {
      workflows: ["W"],
      workflowIds: ["w"],
      kinds: ["0 success entry x"],
      rows,
      notShown: 9_800,
    };
    const full = Array.from({ length: 50 }, (_, index) => execution(index + 1));
    const answer = await open("/app/requests/r", () => trace(full, { moreExecutions }));
    const html = await answer.clone().text();
    expect(html.match(/<svg class="track"/g)).toHaveLength(200);
    expect(html).toContain("9800 more executions are not in the answer.");
    expect(await compressed(answer)).toBeLessThan(MAXIMUM_COMPRESSED);
  });

  test("of 5,000 nodes stays small", async () => {
    const nodes = Array.from({ length: 5_000 }, (_, index) => ({
      ...{ nodeName: `Node ${index}`, nodeType: "n8n-nodes-base.set", status: "success" },
    }));
    const answer = await open("/app/executions/1", (tool) =>
      tool === "get_execution"
        ? success({ id: "1", availableNodes: nodes })
        : success({ executionId: "1", status: "error", explanation: { sentence: "x" }, evidence: [] }),
    );
    expect(await compressed(answer)).toBeLessThan(MAXIMUM_COMPRESSED);
  });
});

describe("untrusted text", () => {
  const ATTACK = `</bdi><script>x()</script><!--answer--><img src=x onerror=x()>"'`;

  test.each([
    "/app/requests/r",
    "/app/executions/1",
    "/app/executions/1/node?name=n",
    "/app/executions/1/compared?against=2",
    "/app/executions/1/agents",
    "/app/search?text=t",
    "/app",
  ])("stays text at %s, wherever it is", async (path) => {
    const everywhere: unknown = JSON.parse(
      JSON.stringify({
        ...{
          requestId: "@",
          id: "@",
          executionId: "@",
          workflowName: "@",
          status: "@",
          url: "javascript:x()",
        },
        ...{ traceUrl: "javascript:x()", nodeName: "@", error: { "@": "@" }, parameters: { "@": ["@"] } },
        explanation: { sentence: "@", node: "@", said: "@", url: "javascript:x()" },
        evidence: [{ sentence: "@", value: "@" }],
        executions: [{ id: "@", workflowId: "@", workflowName: "@", role: "@", status: "@", startedAt: "@" }],
        executionUrl: "javascript:{executionId}",
        availableNodes: [{ nodeName: "@", nodeType: "@", status: "@" }],
        ...{ agents: [{ name: "@" }], calls: [{ n: 1, tool: "@", resultShape: "@" }], outcome: "@" },
        ...{
          nodes: [{ nodeName: "@", status: { before: "@", now: "@" } }],
          values: [{ nodeName: "@", path: "@" }],
        },
        ...{
          input: { items: ["@"], total: 1 },
          output: { items: [{ "@": "@" }], total: 1 },
          customData: { "@": "@" },
        },
        groups: [{ workflowName: "@", why: "@", ownText: { message: "@" }, nodeName: "@", executionId: "@" }],
        ...{
          hanging: [{ workflowName: "@", kind: "@" }],
          hits: [{ workflowName: "@", places: [{ path: "@" }] }],
        },
        links: { parent: { executionId: "@" }, retryOf: "@", subExecutions: [{ executionId: "@" }] },
        coverage: { knownSince: "@", asOf: "@", complete: false },
      }),
      (_key, value: unknown) => (typeof value === "string" ? value.replaceAll("@", ATTACK) : value),
    );
    const html = await (await open(path, () => success(everywhere, ATTACK))).text();
    expect(html).toContain("&lt;script&gt;x()&lt;/script&gt;");
    expect(html).not.toMatch(/<script>x|<img|<!--/);
    expect(html).not.toMatch(/(?:href|action|data-load)="(?!\/|#|https?:)/);
  });

  test("stays text in an error", async () => {
    const data = {
      code: "NODE_NOT_FOUND",
      message: ATTACK,
      details: { solution: ATTACK, candidates: [ATTACK] },
    };
    const answer = await open("/app/executions/1/agents", () => ({ status: "error", data, meta: {} }));
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toMatch(/<script>x|<img/);
  });

  test("is shown with invisible characters and direction marks made visible", () => {
    expect(revealed("a\u202eb\u200bc\nd\te\u0000")).toBe("a\\u{202e}b\\u{200b}c\nd\te\\u{0}");
  });
});

describe("addresses", () => {
  test("contain any id, and never lead elsewhere", () => {
    expect(requestPath("a/b?c#d")).toBe("/app/requests/a%2Fb%3Fc%23d");
    expect(requestPath("..")).toBe("/app/requests?id=..");
    expect(new URL(requestPath("../../mcp"), ORIGIN).pathname).toBe("/app/requests/..%2F..%2Fmcp");
  });

  test("belong to tools' answers", () => {
    const of = (tool: string, data: unknown) => pageUrlOf(ORIGIN, tool, data);
    expect(of("trace_request", { requestId: "r 1", instance: "prod" })).toBe(
      `${ORIGIN}/app/requests/r%201?instance=prod`,
    );
    expect(of("explain_failure", { executionId: "3" })).toBe(`${ORIGIN}/app/executions/3`);
    expect(of("summarize_failures", { window: { from: "2026-11-20T00:00:00Z" } })).toBe(
      `${ORIGIN}/app/failures?since=2026-11-20T00%3A00%3A00Z`,
    );
    expect(of("get_workflow", { id: "3" })).toBeUndefined();
    expect(of("trace_request", { requestId: "[REDACTED:jwt#1]" })).toBeUndefined();
    // A lone surrogate, which no URL can contain.
    expect(of("trace_request", { requestId: "a\ud800" })).toBeUndefined();
  });
});

test("a delivery links to the n8n that has it", async () => {
  const deliveries = [{ executionId: "7", workflow: "orders", outcome: "error" }];
  const answer = await open("/app/requests/r", () => trace([], { deliveries, instance: "prod" }));
  expect(await answer.text()).toContain('href="/app/executions/7?instance=prod"');
});

test("a caller who shows data, but may not for this workflow, is not offered to show it", async () => {
  const data = { code: "INSUFFICIENT_SCOPE", message: "You may see execution 1, but not its payload." };
  const refuse = () => ({ status: "error" as const, data, meta: {} });
  const html = await (await open("/app/executions/1/node?name=a", refuse)).text();
  expect(html).toContain("You may see execution 1, but not its payload.");
  expect(html).toContain("Whoever runs this server can allow");
  expect(html).not.toContain("until you switch it on");
});

test("runs are shown as columns and in numbers, an incident in its own words", async () => {
  const says = 'n8n crashed <b>and</b> cut off "Tax"';
  const digest = {
    ...{ groups: [], silent: [], hanging: [], unusual: [], unhandled: [] },
    incidents: [
      { kind: "crash", says, state: "over", executionId: "7", startedAt: "2026-11-18T05:00:00.000Z" },
    ],
    series: { by: "hour", from: "2026-11-18T04:00:00.000Z", runs: [0, 4, 1_000], failures: [0, 1, 0] },
    coverage: { stoppedBy: "complete" },
  };
  const answer = await open("/app", (tool) =>
    tool === "summarize_failures" ? success(digest) : success({ executions: [] }),
  );
  const html = await answer.text();
  expect(html).toContain("<h2>Runs by hour, UTC</h2>");
  expect(html).toContain("Up to 1,000. Below the line: what failed, up to 1.");
  expect(html.match(/<rect class="ok"/g)).toHaveLength(2);
  expect(html.match(/<rect class="failed"/g)).toHaveLength(1);
  expect(html).toMatch(/datetime="2026-11-18T05:00:00.000Z"[^<]*<\/time>: 4, 1 failed/i);
  expect(html).toContain("n8n crashed &lt;b&gt;and&lt;/b&gt; cut off &quot;Tax&quot;</bdi></a></li>");
});

describe("with several n8n instances", () => {
  const NAMES = ["prod", "test"];
  const notFound = (more: object = {}): Answer => trace([], { found: false, outcome: "not_found", ...more });
  const linksIn = (html: string): string[] =>
    [...html.matchAll(/href="(\/app[^"]*)"/g)].map(([, to = ""]) => to);

  test("an instance's page leads back to that instance", async () => {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return refusal("N8N_TIMEOUT", "n8n took too long.", {});
    };
    const html = await (await open("/app/requests/r?instance=prod", slow, NAMES)).text();
    const home = linksIn(html).filter((link) => /^\/app(\?|$)/.test(link));
    expect(home).toEqual(["/app?instance=prod", "/app?instance=prod", "/app?instance=prod"]);
    const found = await open("/app/find?q=&instance=prod", () => notFound());
    expect(found.headers.get("Location")).toBe("/app?instance=prod");
  });

  test("a search of all data has the asked instance, or a button for each", async () => {
    const searches = async (path: string, answer: Answer) =>
      linksIn(await (await open(path, () => answer, NAMES)).text()).filter((link) =>
        link.startsWith("/app/search"),
      );
    expect(await searches("/app/requests/r", notFound())).toEqual([
      "/app/search?text=r&amp;instance=prod",
      "/app/search?text=r&amp;instance=test",
    ]);
    const ofProd = ["/app/search?text=r&amp;instance=prod"];
    expect(await searches("/app/requests/r?instance=prod", notFound())).toEqual(ofProd);
    expect(await searches("/app/requests/r", notFound({ instance: "prod" }))).toEqual(ofProd);
  });
});

describe("an invalid window", () => {
  const refuse = (field: string) => (tool: string) =>
    tool === "summarize_failures"
      ? refusal("VALIDATION_ERROR", `Wrong arguments: ${field}: must be a number.`, {
          field,
        })
      : success({ executions: [] });

  test.each([
    ["hours=soon", "hours", "hours=24"],
    ["since=yesterday", "startedAfter", "since=2026-11-20"],
  ])("?%s gets an example, and windows to choose from", async (query, field, example) => {
    const answer = await open(`/app/failures?${query}`, refuse(field));
    const html = await answer.text();
    expect(html).toContain(example);
    expect(html).toContain("Last week");
    expect(html).not.toMatch(/Check what you pasted|summarize_failures|NaN/);
  });

  test("is passed on instead of being replaced", async () => {
    const asked: object[] = [];
    await open("/app?hours=soon", (_tool, _say, args) => {
      asked.push(args);
      return success({ executions: [] });
    });
    expect(asked).toContainEqual({ hours: Number.NaN });
  });
});

test("a comparison shows the former before the present", async () => {
  const side = (id: string) => ({ id, status: "success", startedAt: "2026-11-18T05:00:00.000Z" });
  const values = [{ nodeName: "Set", path: "a", before: "1", now: "2" }];
  const answer = await open("/app/executions/7/compared?against=6", () =>
    success({ now: side("7"), before: side("6"), values }),
  );
  const html = await answer.text();
  const order = [/then: <a/, /now: <a/, /<th scope="col">then/, /<th scope="col">now/];
  const places = order.map((words) => html.search(words));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test.each([true, false])(
  "a comparison without rows says that nothing differs only if `same` is true (%s)",
  async (same) => {
    const side = { id: "7", status: "success" };
    const answer = await open("/app/executions/7/compared?against=6", () =>
      success({ now: side, before: side, same }),
    );
    expect((await answer.text()).includes("Nothing differs.")).toBe(same);
  },
);

test("a search by part of a word offers whole words, and continues in the same way", async () => {
  const asked: object[] = [];
  const ask: Ask = (_tool, _say, args) => {
    asked.push(args);
    return success({ hits: [], searchId: "search_1", coverage: { complete: false } });
  };
  const first = await (await open("/app/search?text=C-1", ask)).text();
  expect(first).toContain('href="/app/search?text=C-1&amp;by=words"');
  const second = await (await open("/app/search?text=C-1&by=words", ask)).text();
  expect(second).toContain('href="/app/search?text=C-1&amp;by=words&amp;search=search_1"');
  expect(asked).toEqual([{ text: "C-1" }, { words: "C-1" }]);
});

test("direction marks have no effect in heading and title", async () => {
  const answer = () => ({ ...trace([]), message: '"order\u202Egnp" failed.' });
  const html = await (await open("/app/requests/a%E2%80%AEb", answer)).text();
  expect(html).toContain("<title>Request a\\u{202e}b · n8n-observer</title>");
  expect(html).toContain("order\\u{202e}gnp");
  expect(html.replace(/value="[^"]*"/g, "")).not.toContain("\u202E");
});

describe("the page says no more than it knows", () => {
  const failures = async (coverage: object) =>
    await (
      await open("/app", (tool) =>
        tool === "summarize_failures"
          ? success({ groups: [], coverage }, "0 failures.")
          : success({ executions: [], nextCursor: null }, "0 executions."),
      )
    ).text();

  test("of failures: an empty list may leave out others, and only a window that was read is green", async () => {
    const [whole, cut] = [await failures({ stoppedBy: "complete" }), await failures({ stoppedBy: "time" })];
    expect(whole).toContain('class="answer ok"');
    expect(whole).not.toContain("n8n has no failed execution");
    expect(cut).toContain('class="answer open"');
    expect(cut).toContain("No failure is known in this window.");
  });

  test("of a refused key: it may be the person's own", async () => {
    const details = { field: "your n8n API key", solution: "Connect again." };
    const refused = refusal("N8N_UNAUTHORIZED", "n8n does not accept your API key.", details);
    const html = await (await open("/app/executions/34", () => refused)).text();
    expect(html).toContain("n8n refuses the key");
  });

  test("of related executions: only what has an id is a link", async () => {
    const page = async (executionId: string) =>
      await (
        await open("/app/executions/34", () =>
          success({ id: "34", links: { parent: { executionId }, subExecutions: [] } }),
        )
      ).text();
    expect(await page("33")).toContain('<a href="/app/executions/33">33</a>');
    expect(await page("another workflow")).toContain("It was called by <bdi>another workflow</bdi>");
    expect(await page("__UNKNOWN__")).not.toContain("It was called by");
  });
});
