/** What a failing node read is told by how it differs in kind from the last successes, and never by its own text. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { listing, webhook } from "../../support/everyday-steps.ts";
import { explain, findings } from "../../support/explain.ts";
import { rejection, shopRequest, throwing } from "../../support/failing-steps.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const jsonBody = "={{ JSON.stringify({ note: $json.note, lines: $json.lines, keys: $json.keys }) }}";
const parameters = { method: "POST", sendBody: true, specifyBody: "json", jsonBody };

const sending = (given: object, said?: string): Step[] => [
  webhook(given),
  shopRequest(
    parameters,
    said === undefined ? { sent: [[{ ok: true }]] } : { error: rejection("400", said) },
  ),
];
const refused = (now: object, before: object, said = "Not accepted."): string =>
  findings(sending(now, said), sending(before));
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ n, note: "a" }));
const NEW = "new since the last successes: ";

describe("a value that is new in kind is told as such:", () => {
  test.each([
    ["a line break", "Left there.\nRing twice.", "Left there.", "holds a line break or tab"],
    ["a control character", "A\u0000B", "AB", "holds a control character"],
    ["a sign", "C++", "java", "holds a special character"],
    [
      "a lone percent sign",
      "20% off",
      "Spring%20sale",
      "holds a percent sign that begins no encoded character",
    ],
    ["a fraction", 1.5, 2, "has decimals"],
    ["a number so small that it has an exponent", 1e-7, 2, "has decimals"],
    ["the sign of a number", -5, 5, "is negative"],
    ["its length", "Mug. ".repeat(80), "Mug. ", "is longer (about 400 characters, before at most 5)"],
    [
      "the length of what was read in part",
      "Mug. ".repeat(500),
      "Mug. ",
      "is longer (about 2500 characters, before at most 5)",
    ],
  ])("%s", (_what, now, before, told) => {
    const sentence = refused({ note: now }, { note: before });
    expect(sentence).toContain(`${NEW}"note" ${told}`);
    expect(sentence).not.toMatch(/Ring twice|C\+\+|Mug/);
  });

  test("beside what the same output sent before, not another one", () => {
    const decision: Step = { name: "In stock?", type: "n8n-nodes-base.if" };
    const order = (now: number | undefined, before: number, isFailing: boolean): Step[] => [
      webhook({}),
      { ...decision, sent: [[{ note: before }], [{ note: now }]] },
      ...sending({}, isFailing ? "Not accepted." : undefined)
        .slice(1)
        .map((step): Step => ({ ...step, after: [["In stock?", 1]] })),
    ];
    expect(findings(order(-5, 5, true), order(-3, 5, false))).not.toContain(NEW);
    expect(findings(order(-5, -5, true), order(3, -5, false))).toContain(`${NEW}"note" is negative`);
    const OTHER = '"note" had another value in the last success';
    expect(findings(order(-5, 5, true), order(undefined, 5, false))).not.toContain(OTHER);
    expect(findings(order(-5, 5, true), order(3, 5, false))).toContain(OTHER);
  });

  test("the entry of a list, whose unknown keys are hidden", () => {
    const lines = [{ qty: 2 }, { qty: 1 }];
    const told = refused({ lines: [{ qty: 2 }, { qty: 1.5 }] }, { lines });
    expect(told).toContain(`${NEW}"lines[1]['?']" has decimals`);
  });

  test("the item that code read", () => {
    const jsCode = "return { json: { name: decodeURIComponent($json.name) } };";
    const decoded = { name: "Use", type: "n8n-nodes-base.code", parameters: { jsCode } };
    const steps = (last: string, use: Step): Step[] => [
      webhook({}),
      listing("Campaigns", [{ name: "Mugs" }, { name: last }], "Webhook"),
      use,
    ];
    const failing = throwing(jsCode, "URI malformed", { name: "URIError" }, { mode: "runOnceForEachItem" });
    const told = findings(steps("20% off", failing), steps("Pens", { ...decoded, sent: [[{}, {}]] }));
    expect(told).toContain('was given "name" from "Campaigns"');
    expect(told).toContain(`${NEW}"name" of item 2 of 2 holds a percent sign`);
  });

  test("an entry of a list, whose name the redactor needs, with the whole list as the value", () => {
    const before = viewOf(steppedExecution(sending({ keys: ["a", "b"] }), { id: "6" }));
    const now = steppedExecution(sending({ keys: ["a", "b+c"] }, "Not accepted."));
    const [told] = explain(now, { successes: [before] }).evidence.filter(
      ({ cause }) => cause === "parameters",
    );
    expect(told?.sentence).toContain(`${NEW}"keys[1]" holds a special character`);
    expect(told?.value).toEqual({ keys: ["a", "b+c"], lines: null, note: null });
  });

  test("a value that is there twice, if the error is about that", () => {
    const [now, before] = [{ lines: ["a", "b", "a"] }, { lines: ["a", "b", "c"] }];
    const told = `${NEW}"lines[2]" has a value that another one has, too`;
    expect(refused(now, before, "The batch holds duplicate entries.")).toContain(told);
    expect(refused(now, before)).not.toContain(NEW);
    const paid = (id: string, isPaid: boolean) => ({ isPaid, id });
    const flags = { lines: [paid("a", true), paid("b", false)] };
    const twins = { lines: [paid("a", true), paid("a", true)] };
    expect(refused(twins, flags, "The batch holds duplicate entries.")).toContain(
      `${NEW}"lines[1].id" has a`,
    );
    expect(refused({ lines: [paid("a", true), paid("c", true)] }, flags, "A duplicate entry.")).not.toContain(
      NEW,
    );
    const single = refused(now, { lines: ["c"] }, "The batch holds duplicate entries.");
    expect(single).not.toContain(NEW);
  });
});

describe("nothing is called new", () => {
  test.each([
    ["that an earlier success had", { note: "a\nb" }, { note: "c\nd" }],
    ["where a list was read in part", { lines: [{ n: 2.5 }] }, { lines: [...many(9), { n: 1.5 }] }],
    ["in a name's blank", { note: "Ada Lovelace" }, { note: "Ada" }],
    ["in letters with marks, as of Hindi", { note: "राम" }, { note: "Ada" }],
    ["in an accent of its own", { note: "Ame\u0301lie" }, { note: "Ada" }],
    ["in a large number's exponent", { note: 1.5e21 }, { note: 2 }],
    ["as a number, where texts were", { note: "1.5" }, { note: "Ada" }],
    ["where all were empty", { note: "A-B\nC ".repeat(60) }, { note: "" }],
    ["that no success had at all", { note: "a\nb" }, {}],
    ["in the punctuation of a long text", { note: `${"word ".repeat(20)}(x)` }, { note: "word ".repeat(20) }],
  ])("%s", (_what, now, before) => {
    expect(refused(now, before)).not.toContain(NEW);
  });
});

test("an error names no word that an answer only repeats", () => {
  const body = { method: "POST", jsonBody: "={{ JSON.stringify({ kind: 'ACCREC', note: $json.note }) }}" };
  const answer = '{"Message":"A validation exception occurred","Elements":[{"Kind":"ACCREC"}]}';
  const error = { ...rejection("400", "A validation exception occurred"), messages: [`400 - ${answer}`] };
  expect(findings([webhook({ note: "a" }), shopRequest(body, { error })])).not.toContain("ACCREC");
});

test("an error repeats a value by the sentence deep in its answer", () => {
  const answer = `{"Message":"A validation exception occurred","Elements":[{"ValidationErrors":[{"Message":"Code 'X-47' is not valid."}]}]}`;
  const error = { ...rejection("400", "A validation exception occurred"), messages: [`400 - ${answer}`] };
  const told = findings([webhook({ note: "X-47" }), shopRequest(parameters, { error })]);
  expect(told).toContain('repeats the value of "note"');
});

test("nothing is called new where a success was read in part", () => {
  const told = (count: number): string => {
    const steps = (rows: object[], send: Partial<Step>): Step[] => [
      webhook({}),
      listing("Rows", rows, "Webhook"),
      shopRequest(parameters, send),
    ];
    const before = steps([...many(count), { note: "b\nc" }], { sent: [[{}]] });
    return findings(steps([{ note: "a\nb" }], { error: rejection("400", "Not accepted.") }), before);
  };
  expect([told(9), told(99)].join()).not.toContain(NEW);
});

describe("what a Merge leaves out because it is spelled otherwise", () => {
  const joining = (right: string, parameters: object = {}): string => {
    const merge: Step = {
      ...{ name: "Merge", type: "n8n-nodes-base.merge", settings: { typeVersion: 3.1 } },
      parameters: { mode: "combine", fieldsToMatchString: "mail", options: {}, ...parameters },
      after: ["Sheet", "Shop"],
      sent: [[{ mail: "ada@x.org" }]],
    };
    const left = listing("Sheet", [{ mail: "ada@x.org" }, { mail: "eve@x.org" }], "Webhook");
    return findings([
      webhook({}),
      left,
      listing("Shop", [{ mail: "ada@x.org" }, { mail: right }], "Webhook"),
      merge,
    ]);
  };

  test("is told beside what matched", () => {
    expect(joining("Eve@X.org")).toMatch(/^likely: .*did not match all that is alike.*case or blanks/m);
  });

  test("is nothing if it is somebody else, or the types are compared loosely", () => {
    expect(joining("kim@x.org")).not.toMatch(/alike/);
    expect(joining("Eve@X.org", { options: { fuzzyCompare: true } })).not.toMatch(/alike/);
  });
});

describe("a Merge compares", () => {
  const joined = (left: object, right: object, fieldsToMatchString = "mail"): string => {
    const parameters = { mode: "combine", fieldsToMatchString, options: {} };
    return findings([
      webhook({}),
      listing("Sheet", [left], "Webhook"),
      listing("Shop", [right], "Webhook"),
      { name: "Merge", type: "n8n-nodes-base.merge", parameters, after: ["Sheet", "Shop"], sent: [[left]] },
    ]);
  };

  test.each<[string, object, object, string?]>([
    ["lists by what is in them", { mail: ["rec1"] }, { mail: ["rec1"] }],
    ["objects by what is in them", { mail: { a: 1 } }, { mail: { a: 2 } }],
    ["all fields", { first: "Ada", last: "Byron" }, { first: "ADA", last: "Smith" }, "first, last"],
    ["nothing by a blank", { mail: "" }, { mail: " " }],
  ])("%s", (_what, left, right, fields) => {
    expect(joined(left, right, fields)).not.toMatch(/alike/);
  });

  test("fields, of which one is spelled otherwise", () => {
    const told = joined({ first: "Ada", last: "Byron" }, { first: "Ada", last: "BYRON" }, "first, last");
    expect(told).toMatch(/^likely: "Merge" compares by "last", and found nothing alike.*case or blanks/m);
  });
});

test("a time in seconds that became a day of 1970 is told as such, milliseconds of that year are not", () => {
  const due = (given: number, day: string): string =>
    findings([
      webhook({ made: given }),
      {
        ...{ name: "Due", type: "n8n-nodes-base.set", sent: [[{ due: day }]] },
        parameters: {
          assignments: {
            assignments: [
              { name: "due", type: "string", value: "={{ DateTime.fromMillis($json.made).toISODate() }}" },
            ],
          },
        },
      },
    ]);
  expect(due(1_764_547_200, "1970-01-21")).toMatch(/^likely: .*it is in seconds/m);
  expect(due(950_400_000, "1970-01-12")).not.toContain("in seconds");
  expect(due(1_641_600_000, "1970-01-20")).not.toContain("in seconds");
});
