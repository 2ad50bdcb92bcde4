/** Failures from public threads, each first played on a real n8n; beside each, an intended look-alike. */
import { describe, expect, test } from "vitest";
import { modelFactsOf } from "../../../src/executions/agent-run/model-call.ts";
import { meaningIn } from "../../../src/executions/causes/error-meanings.ts";
import { apiError } from "../../kinds/others/case.ts";
import { code, deciding, HTTP, posting, setting, webhook } from "../../support/everyday-steps.ts";
import { ACCUSES, findings } from "../../support/explain.ts";
import type { Step } from "../../support/stepped-execution.ts";

const asking = (sent: unknown[], more: Partial<Step> = {}): Step => ({
  ...{ name: "Ask", type: HTTP, parameters: { url: "https://a/list" }, sent: [sent] },
  ...more,
});
const calling = (error: object, parameters: object, settings = {}): Step => ({
  ...{ name: "Call", type: HTTP, parameters: { method: "POST", url: "https://a", ...parameters } },
  ...{ settings, error: { ...error } },
});

describe("a rejected request", () => {
  const media = apiError("415", "Your request is invalid", { description: "Unsupported Media Type" });

  test("with an unsupported media type names the type that the node is set to send", () => {
    const sends = (contentType?: string): string =>
      findings([webhook({ id: 1 }), calling(media, { contentType })]);
    expect(sends("form-urlencoded")).toContain("the node is set to send a form");
    expect(sends()).not.toContain("the node is set to send");
  });

  test("with a conflict may conflict with an earlier try of its own", () => {
    const conflict = apiError("409", "The resource already exists");
    const tries = { retryOnFail: true, maxTries: 2 };
    const saying = (error: object, settings: object, method = "POST"): string =>
      findings([webhook({ id: 1 }), calling(error, { method }, settings)]);
    expect(saying(conflict, tries)).toContain("an earlier one may have been carried out");
    expect(saying(conflict, {})).not.toContain("an earlier one");
    expect(saying(conflict, tries, "GET")).not.toContain("an earlier one");
    expect(saying(apiError("500", "Broken"), tries)).not.toContain("an earlier one");
  });

  test.each([
    "Keys for idempotent requests can only be used with the same parameters they were first used with",
    "The Idempotency-Key has already been used with a different payload",
    "idempotency key reused",
  ])("is explained by a reused idempotency key: %s", (text) => {
    expect(meaningIn([text])).toBe("invalid_request.key_used");
  });

  test("without an idempotency key is not explained by a reused one", () => {
    expect(meaningIn(["Idempotency-Key header is required"])).not.toBe("invalid_request.key_used");
  });

  test.each([
    ['Header name must be a valid HTTP token ["x api key"]', "invalid_request.header"],
    ['Invalid character in header content ["Authorization"]', "invalid_request.header"],
    ['Invalid Closing Quote: got " " at line 2 instead of delimiter', "invalid_request.csv"],
    ["Invalid Record Length: columns length is 2, got 3 on line 4", "invalid_request.csv"],
  ])("is explained by what is not valid: %s", (text, kind) => {
    expect(meaningIn([text])).toBe(kind);
  });

  test.each([
    "registry.ollama.ai/library/gemma2:9b does not support tools",
    "This model does not support function calling.",
    "Tool use is not supported for this model",
  ])("is explained by a model that cannot call tools: %s", (description) => {
    const call = { nodeRun: { error: apiError("400", "Bad request", { description }) } };
    expect(modelFactsOf(Object(call)).trouble).toBe("no_tools");
  });
});

test("a model's JSON in a Markdown code fence is recognized", () => {
  const parse: Step = {
    ...code("return { json: JSON.parse($json.text) }", []),
    sent: [],
    error: {
      name: "Error",
      message: "Unexpected token '`', \"```json [line 1]",
      lineNumber: 1,
      description: "SyntaxError",
    },
  };
  expect(findings([webhook({ text: '```json\n{"a": 1}\n```' }), parse])).toContain(
    "in a Markdown code fence",
  );
  expect(findings([webhook({ text: "{a" }), parse])).toContain("is not valid JSON");
});

test("a stop on purpose says what the decision before it tested, and in which node's item", () => {
  const answer = asking([{ status: "maintenance" }]);
  const stop: Step = {
    ...{ name: "Give up", type: "n8n-nodes-base.stopAndError", after: [["If", 1]] },
    error: { name: "NodeOperationError", message: "Check the API key", context: {} },
  };
  const steps = (left: string): Step[] => [
    webhook({ id: 1 }),
    answer,
    deciding(left, "equals", "accepted", [[], [{ status: "maintenance" }]]),
    stop,
  ];
  expect(findings(steps("={{ $json.status }}"))).toContain(
    'after "If", which tests whether "status" equals "accepted" (case-sensitive) in what "Ask" sent, had taken its output 2',
  );
  expect(findings(steps("={{ $json.status + $json.more }}"))).toContain('after "If" had taken its output 2');
});

describe("a change that matched no row", () => {
  const changing = (answer: object, before: object): string => {
    const steps = (sent: object): Step[] => [
      webhook({ id: 1 }),
      { ...posting([sent], "Change"), parameters: { method: "PATCH", url: "https://a" } },
      posting([{ queued: true }], "Tell"),
    ];
    return findings(steps(answer), steps(before));
  };
  const DONE = { acknowledged: true, matchedCount: 1, modifiedCount: 1 };

  test("is an observation, as there may be nothing to change", () => {
    const said = changing({ acknowledged: true, matchedCount: 0, modifiedCount: 0 }, DONE);
    expect(said).toContain('"Change" does not say that all went well ("matchedCount")');
    expect(said).not.toMatch(ACCUSES);
    expect(changing({ affectedRows: 0 }, { affectedRows: 1 })).toContain('("affectedRows")');
  });

  test.each([
    ["was added", { matchedCount: 0, modifiedCount: 0, upsertedCount: 1 }],
    ["was so already", { matchedCount: 1, modifiedCount: 0 }],
  ])("is not reported if the row %s", (_what, answer) => {
    expect(changing(answer, DONE)).not.toContain("all went well");
  });
});

describe("a paged request", () => {
  const paged = (pages: unknown[], options: object = { pagination: { pagination: {} } }): string =>
    findings([webhook({ id: 1 }), asking(pages, { parameters: { url: "https://a", options } })]);
  const page = (id: number) => ({ rows: [{ id }], total: 6 });

  test("whose pages are all the same is reported", () => {
    expect(paged([page(1), page(1), page(1)])).toMatch(
      /^likely: "Ask" asked for 3 pages and got the same one/m,
    );
  });

  test.each<[string, unknown[], object?]>([
    ["whose pages differ", [page(1), page(2)]],
    ["that gave one page", [page(1)]],
    ["whose pages are empty", [{ rows: [] }, { rows: [] }]],
    ["without pages", [page(1), page(1)], {}],
  ])("%s is not reported", (_what, pages, options) => {
    expect(paged(pages, options)).not.toContain("the same one each time");
  });
});

describe("a date's format", () => {
  const dated = (customFormat: string, typeVersion = 2): string =>
    findings([
      webhook({ start: "2026-12-14T09:30:00Z" }),
      {
        ...{ name: "Day", type: "n8n-nodes-base.dateTime", settings: { typeVersion } },
        ...{ parameters: { operation: "formatDate", customFormat }, sent: [[{ day: "x" }]] },
      },
    ]);
  const written = (expression: string): string =>
    findings([webhook({ start: "2026-12-14" }), setting("day", `={{ ${expression} }}`, [{ day: "x" }])]);

  test.each(["yyyy-mm-dd", "dd.mm.yyyy", "mm/dd/yyyy", "yyyy-mm-dd HH:mm"])(
    "with minutes in place of the month is reported: %s",
    (text) => {
      expect(dated(text)).toMatch(/^likely: "Day" writes a date with "mm"/m);
    },
  );

  test.each(["yyyy-MM-dd", "dd.MM.yyyy HH:mm", "HH:mm dd.MM.yyyy", "HHmm", "HH-mm-ss", "yyyyMMdd-HHmmss"])(
    "that is correct is not reported: %s",
    (text) => {
      expect(dated(text)).not.toMatch(ACCUSES);
    },
  );

  test("of Moment is reported where Luxon is used", () => {
    expect(written("DateTime.fromISO($json.start).toFormat('YYYY-MM-DD')")).toContain('"YYYY" or "DD"');
    expect(dated("YYYY-MM-DD")).toContain('"YYYY" or "DD"');
    expect(dated("YYYY-MM-DD", 1)).not.toMatch(ACCUSES);
    expect(written("moment($json.start).format('YYYY-MM-DD')")).not.toMatch(ACCUSES);
    expect(written("$json.start.toDateTime().format('yyyy-mm-dd')")).toMatch(ACCUSES);
    expect(written("SSF.format('yyyy-mm-dd', $json.start)")).not.toMatch(ACCUSES);
  });
});

describe("a data URI", () => {
  const image = "data:image/png;base64,iVBORw0KGgo=";
  const filed = (json: object, sourceProperty = "image"): string =>
    findings([
      webhook(json),
      {
        ...{ name: "File", type: "n8n-nodes-base.convertToFile", sent: [[{}]] },
        parameters: { operation: "toBinary", sourceProperty },
      },
    ]);

  test("converted to a file as if it were base64 is reported", () => {
    expect(filed({ image })).toContain("sent a data URI there");
    expect(filed({ data: [{ image }] }, "data[0].image")).toContain("sent a data URI there");
  });

  test("is not assumed for base64", () => {
    expect(filed({ image: "iVBORw0KGgo=" })).not.toContain("data URI");
  });
});

describe("a value", () => {
  const dust = 0.1 + 0.2;

  test("with a floating-point remainder is reported if code calculated it", () => {
    expect(findings([webhook({ net: 3 }), code("sum", [{ total: dust }])])).toMatch(
      /observed: "Code" sent .* remainder/,
    );
  });

  test.each([
    ["with many digits from a service", [webhook({ q: 1 }), asking([{ lat: 46.75798300000001 }])]],
    ["with a remainder that was received", [webhook({ total: dust }), code("x", [{ total: dust }])]],
    ["with few decimals", [webhook({ net: 3 }), code("x", [{ total: 3.3 }])]],
  ])("%s is not reported", (_what, steps) => {
    expect(findings(steps)).not.toContain("remainder");
  });

  test("in 1970 is reported as no date, unless the input names that year", () => {
    const due = setting("due", "={{ new Date($json.due).toISOString() }}", [{ due: "1970-01-01" }]);
    expect(findings([webhook({ due: 46205 }), due])).toMatch(/^likely: .*1970-01-01/m);
    expect(findings([webhook({ due: "01.01.1970" }), due])).not.toContain("1970-01-01");
    const since = setting("due", "={{ ($json.due ?? new Date(0)).toISOString() }}", [{ due: "1970-01-01" }]);
    expect(findings([webhook({ due: null }), since])).not.toContain("1970-01-01");
  });

  const reading = (phone: string): string =>
    findings([
      webhook({ id: 1 }),
      { name: "Read", type: "n8n-nodes-base.spreadsheetFile", parameters: {}, sent: [[{ phone }]] },
    ]);

  test("that a spreadsheet wrote in scientific notation is reported if it is an id or phone number", () => {
    expect(reading("4.91511E+12")).toContain("scientific notation");
    expect(reading("1.20219E+17")).not.toMatch(ACCUSES);
  });

  test.each(["3.1E-05", "1.90E+07", "4915110000001"])(
    "that is a measurement is not reported: %s",
    (value) => {
      expect(reading(value)).not.toContain("scientific notation");
    },
  );

  const texted = (title: string, template: string): string =>
    findings([webhook({ id: 1 }), asking([{ title }]), setting("text", template, [{ text: title }])]);

  test("with HTML entities is reported if it is used outside HTML", () => {
    expect(texted("Salt &amp; Pepper", "=News: {{ $json.title }}")).toContain("HTML entities");
    expect(texted("Salt &amp; Pepper", "=<h1>{{ $json.title }}</h1>")).not.toContain("HTML entities");
    expect(texted("Salt & Pepper", "=News: {{ $json.title }}")).not.toContain("HTML entities");
  });
});

describe("reading only the first entry of a list", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => ({ sku: `S-${index}` }));
  const shipped = (
    count: number,
    before: number | null,
    sku = "={{ $json.lines[0].sku }}",
    more = "",
  ): string => {
    const steps = (many: number): Step[] => [
      webhook({ lines: lines(many) }),
      setting("sku", sku, [{ sku: "S-0" }]),
      {
        ...posting([{ ok: true }]),
        parameters: { method: "POST", url: `=https://a/{{ $json.sku }}${more}` },
      },
    ];
    return before === null ? findings(steps(count)) : findings(steps(count), steps(before));
  };

  test("is reported if there was one entry before and now there are more", () => {
    const said = shipped(3, 1);
    expect(said).toContain('reads only the first of 3 entries of "lines"');
    expect(said).not.toMatch(ACCUSES);
  });

  test.each<[string, () => string]>([
    ["there were several before", () => shipped(3, 3)],
    ["there is nothing to compare with", () => shipped(3, null)],
    ["there is still one", () => shipped(1, 1)],
    ["the others are read elsewhere", () => shipped(3, 1, undefined, "{{ $json.lines.length }}")],
    ["the whole list is passed on", () => shipped(3, 1, undefined, "{{ JSON.stringify($json.lines) }}")],
  ])("is not reported if %s", (_what, said) => {
    expect(said()).not.toContain("reads only the first of");
  });
});

describe("a field read with ?. and without a default", () => {
  const asked = (expression: string, now: object, before: object): string => {
    const steps = (body: object): Step[] => [
      webhook({ body }),
      asking([{ id: 1 }], {
        parameters: { url: "https://a", queryParameters: { parameters: [{ name: "q", value: expression }] } },
      }),
      posting([{ done: true }], "Cancel"),
    ];
    return findings(steps(now), steps(before));
  };
  const [GIVEN, LACKING] = [{ customer: { id: "C-1" } }, { customerId: "C-2" }];

  test("is reported as empty if it was there before", () => {
    const said = asked("={{ $json.body.customer?.id }}", LACKING, GIVEN);
    expect(said).toContain('"Ask" reads "body.customer.id"');
    expect(said).not.toMatch(ACCUSES);
  });

  test("is not reported if it was missing before, or has a default", () => {
    expect(asked("={{ $json.body.customer?.id }}", LACKING, LACKING)).not.toContain("came out empty");
    expect(asked("={{ $json.body.customer?.id ?? '' }}", LACKING, GIVEN)).not.toContain("came out empty");
  });
});

test("columns read as one are explained by the separator between them", () => {
  const line = setting("sku", "={{ $json.sku }}", [{ sku: null }]);
  const read = (row: object): string => findings([webhook({ id: 1 }), asking([row]), line]);
  expect(read({ "sku;qty": "MUG-9;4" })).toContain("a semicolon stands between them");
  expect(read({ "sku\tqty": "MUG-9\t4" })).toContain("a tab stands between them");
  expect(read({ "article;qty": "MUG-9;4" })).not.toContain("stands between them");
});

describe("a masked secret", () => {
  const refused = (value: string, settings = {}, name = "X-Access"): string => {
    const token = { ...asking([{ value }]), name: "Read token" };
    const headers = { parameters: [{ name, value: "={{ $json.value }}" }] };
    const parameters = { method: "GET", sendHeaders: true, headerParameters: headers };
    return findings([
      webhook({ id: 1 }),
      token,
      calling(apiError("401", "Authorization failed"), parameters, settings),
    ]);
  };

  test.each(["k-47************", "sk-…4711", "••••••••"])(
    "explains why a request without a credential was rejected: %s",
    (value) => {
      expect(refused(value)).toContain('"Read token" sent "value" with stars or dots in place of most of it');
    },
  );

  test("is not blamed if a credential was rejected, or if the value is complete", () => {
    const credentials = { httpHeaderAuth: { id: "1", name: "Shop" } };
    expect(refused("k-47************", { credentials })).not.toContain("masked");
    expect(refused("k-4711-abcdef")).not.toContain("masked");
    expect(refused("Please wait…")).not.toContain("masked");
    expect(refused("************4242", {}, "X-Card")).not.toContain("masked");
  });
});

test("an empty field is explained by a Merge that is set to output an empty item", () => {
  const merged = (output: string): string =>
    findings([
      webhook({ email: "ada@example.com" }),
      {
        ...{ name: "Both", type: "n8n-nodes-base.merge", sent: [[{}]] },
        parameters: { mode: "chooseBranch", output },
      },
      posting([{ queued: true }], "Mail"),
    ]);
  expect(merged("empty")).toContain('because "Both" is set to give one empty item');
  expect(merged("specifiedInput")).not.toContain("is set to give");
});

describe("Summarize counts", () => {
  const counted = (coupons: unknown[], before: unknown[], more = {}): string => {
    const steps = (all: unknown[]): Step[] => [
      webhook(...all.map((coupon) => ({ coupon }))),
      {
        ...{ name: "Count", type: "n8n-nodes-base.summarize", sent: [[{ count_coupon: 2 }]] },
        parameters: { fieldsToSummarize: { values: [{ aggregation: "count", field: "coupon", ...more }] } },
      },
    ];
    return findings(steps(coupons), steps(before));
  };

  test("too few items if a field that all had is empty now", () => {
    expect(counted(["A", "B", null, ""], ["A"])).toContain(
      '"coupon", which 2 of 4 items do not have: it counted 2',
    );
  });

  test("as intended if it always did, or includes empty values", () => {
    expect(counted(["A", null], ["A", null])).not.toContain("counts only");
    expect(counted(["A", null], ["A"], { includeEmpty: true })).not.toContain("counts only");
    expect(counted(["A", "B"], ["A"])).not.toContain("counts only");
  });
});

test("a missing field is explained by a JSON body that n8n received as text", () => {
  const order = (type: string, body: unknown): string =>
    findings([
      webhook({ headers: { "content-type": type }, body }),
      {
        ...code("return [{ json: { id: $json.body.order.id } }];", []),
        sent: [],
        error: {
          name: "TypeError",
          message: "Cannot read properties of undefined (reading 'id') [line 1]",
          lineNumber: 1,
        },
      },
    ]);
  const unread = "n8n did not read it as JSON";
  expect(order("text/plain", '{"order": {"id": 1}}')).toContain(unread);
  expect(order("text/plain", "order 1")).not.toContain(unread);
  expect(order("application/json", { customer: 1 })).not.toContain(unread);
});

describe("code that takes a group of a match", () => {
  const read = (
    subject: unknown,
    message: string,
    jsCode = "return [{ json: { a: $json.subject.match(/#(\\d+)/)[1] } }];",
  ): string =>
    findings([
      webhook({ subject }),
      { ...code(jsCode, []), sent: [], error: { name: "TypeError", message, lineNumber: 1 } },
    ]);
  const NULL = "Cannot read properties of null (reading '1') [line 1]";

  test("is explained by a text without a match", () => {
    expect(read("Hello", NULL)).toContain(
      'takes a part of a match in "subject", and nothing matches in the text that "Webhook" sent',
    );
  });

  test.each([
    [
      "a text that is missing",
      undefined,
      "Cannot read properties of undefined (reading 'match') [line 1]",
      undefined,
    ],
    ["another null", "Hello", NULL, "return [{ json: { a: $json.parts[1] } }];"],
  ])("is not explained so for %s", (_what, subject, message, jsCode) => {
    expect(read(subject, message, jsCode)).not.toContain("looks for (match)");
  });
});

describe("a job that was done immediately in the last success", () => {
  const started = (status: string, before: string, next: Step[] = []): string => {
    const steps = (word: string): Step[] => [
      webhook({ id: 1 }),
      posting([{ id: "X1", status: word }], "Start"),
      ...next,
      { ...asking([{ rows: [] }]), name: "Fetch" },
      posting([{ done: true }], "Report"),
    ];
    return findings(steps(status), steps(before));
  };

  test("is reported as still running", () => {
    const said = started("queued", "done");
    expect(said).toContain('its answer says "queued"');
    expect(said).not.toMatch(ACCUSES);
    expect(started("in_progress", "Completed")).toContain('its answer says "inprogress"');
  });

  test("is not reported if it was also running before, is done, or is checked", () => {
    const looks = deciding("={{ $json.status }}", "equals", "done", [[{ id: "X1", status: "queued" }], []]);
    expect(started("queued", "queued")).not.toContain("its answer says");
    expect(started("finished", "done")).not.toContain("its answer says");
    expect(started("queued", "done", [looks])).not.toContain("its answer says");
  });
});
