/** Expectations for executions that fail, end early or are canceled. */
import type { Expectation } from "./expectations.ts";

type Row = readonly [kind: string, roots: string, ...says: RegExp[]];

const REFUSED = /refus/i;
const WORKFLOW_EDITED = /(was|were|been) edited|edited since/i;
const EDITED = /edit|chang|renam|differ/i;

/** Reads roots and symptoms from one text: `Root or Other root > Symptom`. */
const toExpectation = ([kind, nodes, ...says]: Row): Expectation => {
  const [roots = "", symptoms = ""] = nodes.split(" > ");
  const split = (names: string): string[] => (names === "" ? [] : names.split(" or "));
  return { kind, roots: split(roots), symptoms: split(symptoms), says };
};

const data: readonly Row[] = [
  ["code-throws", "Check stock", /Stock of 17 is gone|thr(ew|own)|its code/i],
  ["field-left-out", "Load customer > Print label", /address/],
  ["field-left-out-two-nodes-before", "Load customer > Print label or Note time", /address/],
  ["field-left-out-by-name", "Load customer > Print label", /address/],
  ["bad-json-body", "Write note or Send note", /JSON/, /valid|parse|quot/i],
  ["expression-names-no-node", "Sum up", /Gone|exist|no node|no such node/i],
  [
    "expression-node-not-run",
    "Premium price or Sum up > Is premium",
    /Premium price/,
    /n.t (been )?(run|executed)|never ran|not run|not executed|had not run/i,
  ],
  ["pairing-lost", "Group lines > Name line", /pair|which item|belongs|came from/i],
  ["seventh-of-ten-items", "Price line or List lines", /7|seventh|index 6/i, /price/i],
  [
    "third-turn-of-a-loop",
    "Book room > List rooms or Each room",
    /third|3rd|turn 3|run 3|pass 3|iteration 3|3 of|twice before|2 runs before/i,
  ],
  ["set-wrong-type", "Clean total or Read sheet", /total/, /number|type/i],
  ["if-wrong-type", "Is dear or Read sheet", /number|type/i],
  ["filter-wrong-type", "Only open or Read flags", /boolean|true or false|type/i],
  ["switch-wrong-type", "By kind or Read kind", /string|text|number|type/i],
  ["merge-without-fields", "Join", /match/i],
  ["code-returns-text", "Answer", /return|items/i],
  ["code-syntax", "Tidy", /syntax|unexpected token/i],
  ["code-unknown-variable", "Add tax", /net\b|ReferenceError/, /defined|unknown|ReferenceError/i],
  ["code-module-refused", "Call", /axios/, /allow|refus|may not/i],
  ["bad-date", "Format day or Read booking", /date/i],
  ["bad-xml", "Parse feed or Fetch feed", /close tag|XML|parse/i],
  ["sort-missing-field", "Rank or Read scores", /score/],
  ["html-for-json", "Fetch rates > Read rates", /JSON|HTML/i],
  ["url-from-missing-field", "Load settings > Fetch orders", /host/],
  ["url-undefined", "Load settings > Fetch orders", /orders|url/i],
];

const http: readonly Row[] = [
  ["http-400", "Create invoice", /400/],
  ["http-401", "Create invoice", /401/],
  ["http-403", "Create invoice", /403/],
  ["http-404", "Create invoice", /404/],
  ["http-409", "Create invoice", /409/],
  ["http-422", "Create invoice", /422/],
  ["http-429", "Create invoice", /429/],
  ["http-500", "Create invoice", /500/],
  ["http-503", "Create invoice", /503/],
  ["connection-refused", "Create invoice", REFUSED],
  ["no-such-host", "Fetch rates", /host|DNS|ENOTFOUND|domain/i],
  ["request-timed-out", "Fetch report", /time[sd]?[- ]?out|within|300 ?ms|0\.3 s|no answer/i],
  ["certificate-not-trusted", "Fetch rates", /certificate|SSL|TLS/i],
  ["https-to-http", "Fetch rates", /SSL|TLS|EPROTO|https/i],
  ["retries-exhausted", "Book room", /503|unavailable|maintenance/i],
  ["fourth-request-of-five", "Fetch order > List orders", /404/, /fourth|4th|item 4|item 3|index 3|4 of 5/i],
];

const flow: readonly Row[] = [
  ["sub-workflow-fails", "Look up price > Price order", /No price list|thr(ew|own)/],
  [
    "sub-workflow-fails-three-deep",
    "Look up price > Handle order or Price order or Ask prices",
    /No price list|thr(ew|own)/,
  ],
  ["sub-workflow-unpublished", "Price order", /not published|unpublished|not active|inactive|draft/i],
  ["sub-workflow-missing", "Price order", /exist|missing|deleted|no such|not found|gone|no workflow/i],
  [
    "sub-workflow-refuses-caller",
    "Price order",
    /caller|allow|does not let|policy|permit|may (not )?be called|refus/i,
  ],
  ["sub-workflow-left-field-out", "Find customer or Tell > Write mail", /contact/],
  ["error-workflow-fails-too", "Look up price", /No price list|thr(ew|own)/],
  ["error-workflow-itself", "Post alert", /403/],
  ["stop-and-error", "Refuse order", /not paid|on purpose|Stop/],
  ["stop-and-error-object", "Refuse order", /credit limit|on purpose|Stop/],
  ["workflow-timed-out", "Fetch report > Take day", /time[sd]?[- ]?out|time limit|longer than|limit of/i],
  ["canceled-by-hand", "", /cancel|stopped/i, /hand|manual|someone|somebody|a user|a person/i],
  [
    "canceled-by-hand-progress-saved",
    "Fetch report > Take day",
    /cancel|stopped/i,
    /hand|manual|someone|somebody|a user|a person/i,
  ],
  ["retried-later-with-success", "Reserve stock", /500|restarting/i],
  ["answer-is-no-json", "Answer or Take order", /JSON/],
  [
    "sub-workflow-not-chosen",
    "Price order or Webhook",
    /workflow/i,
    /no |not|missing|neither|without|undefined|empty/i,
  ],
  ["crashed", "Fetch report > Take day", /crash|memory|killed|ended before|did not finish|restart/i],
];

const systems: readonly Row[] = [
  ["postgres-refused", "Read orders", REFUSED],
  ["mail-refused", "Send invoice", REFUSED],
  ["mysql-refused", "Read orders", REFUSED],
  ["ftp-refused", "List files", REFUSED],
  ["credential-missing", "Read orders > Handle order", /credential/i],
  ["credential-gone", "Fetch orders", /credential/i, /gone|delet|exist|no longer|missing|removed/i],
  ["file-not-found", "Read price list", /file/i, /no |not/i],
  [
    "node-not-installed",
    "Post to shop or Handle order",
    /acme/,
    /install|unknown|unrecogni[sz]ed|no node type|does not know/i,
  ],
  [
    "node-switched-off",
    "Run script or Handle order",
    /executeCommand|Run script/,
    /install|unknown|unrecogni[sz]ed|no node type|does not know|switched off|disabled/i,
  ],
  ["graphql-refused", "Ask shop", /error|refus|field/i],
  ["parameter-missing", "Wait for day or Take order", /date|day/i],
];

const compared: readonly Row[] = [
  ["edited-url", "Fetch customer", /404/],
  ["edited-field-name", "Take total > Round total or Note shop", /total/],
  ["edited-code", "Add tax", /taxRate|defined|ReferenceError/],
  ["edited-host", "Settings > Create invoice", /refus|host/i],
  ["trigger-lost-field", "Webhook > Write mail or Take order", /email/],
  ["trigger-sends-text", "Webhook > Add delivery", /total/, /text|string/i],
  ["api-text-to-number", "Fetch price > Read price", /amount/, /number/i],
  ["api-array-to-object", "Fetch order > List lines or Note shop", /lines/, /array|list|object/i],
  ["api-field-moved", "Fetch user > Take mail", /user/],
  ["api-field-null", "Fetch user > Ask manager", /manager/, /null|empty|no value/i],
  ["token-expired", "Fetch report", /401/],
  ["one-line-without-price", "Split lines or Webhook > Price line", /price/i],
];

const more: Readonly<Record<string, Pick<Expectation, "alsoSays" | "neverSays">>> = {
  "http-400": { alsoSays: [/Validation failed|email/] },
  "http-401": { alsoSays: [/invalid_token|token has expired/i] },
  "http-403": { alsoSays: [/orders:write/] },
  "http-404": { alsoSays: [/No order has this number/] },
  "http-409": { alsoSays: [/exists already/] },
  "http-422": { alsoSays: [/currency/] },
  "http-429": { alsoSays: [/Too many requests|limit/i] },
  "http-500": { alsoSays: [/Database is locked/] },
  "http-503": { alsoSays: [/maintenance/] },
  "error-workflow-itself": { alsoSays: [/orders:write/] },
  "graphql-refused": { alsoSays: [/prize|query field/i] },
  "mail-refused": { neverSays: [/broke off|reset/i] },
  "file-not-found": { neverSays: [/service/i] },
  "pairing-lost": { neverSays: [/Name line (lost|dropped)/] },
  "seventh-of-ten-items": { neverSays: [/sixth|eighth|all (ten|10)/i] },
  "connection-refused": { neverSays: [/timed out/i] },
  "no-such-host": { neverSays: [REFUSED] },
  "request-timed-out": { neverSays: [REFUSED] },
  "retries-exhausted": { alsoSays: [/3|three/i, /tr(y|ies|ied)|attempt/i] },
  "sub-workflow-unpublished": { neverSays: [/(is missing|does not exist|was deleted|is gone)/i] },
  "sub-workflow-missing": { neverSays: [/is (not published|unpublished)/i] },
  "error-workflow-fails-too": { alsoSays: [/error workflow|Alerts|Post alert/] },
  "workflow-timed-out": { neverSays: [/by hand|manually|by someone/i] },
  "canceled-by-hand": { neverSays: [/time limit|timed out/i] },
  "canceled-by-hand-progress-saved": { neverSays: [/time limit|timed out/i] },
  "retried-later-with-success": { alsoSays: [/retr/i] },
  "edited-url": { alsoSays: [EDITED] },
  "edited-field-name": { alsoSays: [EDITED] },
  "edited-code": { alsoSays: [EDITED] },
  "edited-host": { alsoSays: [EDITED] },
  "api-field-moved": { neverSays: [WORKFLOW_EDITED] },
  "token-expired": { neverSays: [WORKFLOW_EDITED] },
  "trigger-lost-field": { neverSays: [WORKFLOW_EDITED] },
};

export const failedExpectations: readonly Expectation[] = [
  ...data,
  ...http,
  ...flow,
  ...systems,
  ...compared,
].map((row) => ({ ...toExpectation(row), ...more[row[0]] }));
