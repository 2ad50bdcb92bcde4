/** Expectations for successful or waiting executions in which something failed or nothing was done. */
import type { Expectation } from "./expectations.ts";

const ALL_WELL = /nothing (failed|went wrong)|no (error|failure|problem)s?\b|without (any )?(error|failure)/i;
const FAILED = /fail|error|threw|caught|swallow|gone/i;
const NOTHING =
  /nothing|no items?|none|0 (of|items)|empty|without (any )?item|not one|dropped|left out|kept back/i;
const UNCONNECTED = /connect|nowhere|lost|no node|dropped|goes to nothing/i;

/** An error was caught, so the explanation may not say that there was none. */
const caught = (kind: string, roots: readonly string[], ...says: RegExp[]): Expectation => ({
  kind,
  roots,
  symptoms: ["After", "Ship", "Put aside", "Tell boss", "Write greeting", "List lines"],
  says: [FAILED, ...says],
  neverSays: [ALL_WELL],
});

/** Nothing failed, which may be said, but the explanation must say where the items ended. */
const ended = (kind: string, roots: readonly string[], ...says: RegExp[]): Expectation => ({
  kind,
  roots,
  symptoms: ["List orders", "Ship", "Book room", "Each room", "Toys", "Games", "Read order", "Done", "Join"],
  says: says.length === 0 ? [NOTHING] : says,
});

export const silentExpectations: readonly Expectation[] = [
  caught("caught-code", ["Check stock"]),
  caught("caught-code-error-branch", ["Check stock"]),
  { ...caught("caught-code-unconnected", ["Check stock"]), alsoSays: [UNCONNECTED] },
  caught("caught-http", ["Create invoice"], /500/),
  { ...caught("caught-http-unconnected", ["Create invoice"], /404/), alsoSays: [UNCONNECTED] },
  caught("caught-http-error-branch", ["Create invoice"], /403/),
  caught("caught-legacy", ["Check stock"]),
  caught("caught-refused-connection", ["Fetch rates"], /refus/i),
  caught("caught-second-item", ["Price line"], /1 of|one of|second|item 2|item 1|index 1/i),
  caught("caught-then-wrong", ["Fetch customer"], /503/),
  ended("if-false-unconnected", ["Is paid"], /false|unconnected|not connected|no items?|none|nothing|0 of/i),
  ended("filter-to-nothing", ["Only paid"]),
  ended("switch-without-match", ["By kind"], /match|none|no rule|no output|no items?|nothing|0 of/i),
  ended("merge-starved", ["Only paid", "Join"]),
  {
    ...ended("always-output-data", ["Only paid"], /empty|nothing|no items?|none|always/i),
    symptoms: ["Write mail"],
  },
  {
    ...ended(
      "expression-null",
      ["Load customer", "Write mail"],
      /email|\bto\b/,
      /null|undefined|empty|missing|lacks|without|no value|nothing/i,
    ),
    symptoms: [],
  },
  ended("loop-over-nothing", ["Fetch rooms"]),
  ended("api-answers-nothing", ["Fetch orders"]),
  { ...ended("api-answers-nothing-now", ["Fetch orders"]), neverSays: [/edited/i] },
  ended("code-returns-nothing", ["Pick orders"]),
  ended("split-missing-field", ["Split lines", "Read order"], /lines|no items?|nothing|none/i),
  ended("duplicates-removed", ["Only new"]),
  { ...ended("node-disabled", ["Create invoice"], /disabled|deactivated|switched off|turned off/i) },
  {
    ...ended("answer-never-given", ["Answer", "Is paid"], /answer|respon/i, /n.t|not|never|no /i),
    symptoms: ["Webhook", "Put aside"],
  },
  {
    kind: "sub-workflow-answers-error",
    roots: ["Reserve stock", "Error: no stock"],
    symptoms: ["Ship"],
    says: [/NO_STOCK|status|error/i],
    neverSays: [ALL_WELL],
  },
  {
    ...caught("sub-workflow-swallowed-error", ["Look up price", "Price order"]),
    neverSays: [ALL_WELL],
  },
  caught("sub-workflow-failure-caught", ["Look up price", "Price order"]),
  ended("waits-for-a-call", ["Wait for boss"], /wait/i, /call|webhook|resum|ever|nobody/i),
  ended("waits-for-a-day", ["Wait a week"], /wait/i, /until|day|week|\d{4}-\d\d/i),
];
