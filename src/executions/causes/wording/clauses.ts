/**
 * Clauses that follow `"Node" failed because`, one row per kind of fact; a row's argument type defines the fields of that
 * fact. Names are quoted by `quoted`; payload never appears.
 */
import { executionNamed } from "../../../platform/another-workflow.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { ERROR_CODES, statusMeaning } from "../../error-facts.ts";
import { type Chain, insteadInWords, madeBy, ofCaller } from "./chain-sentences.ts";
import { FIXED_CLAUSES, type FixedKind } from "./fixed-clauses.ts";

/** An item's index and the number of items. */
export interface ItemPlace {
  readonly index: number;
  readonly count: number;
}

const inItem = ({ index, count }: ItemPlace): string =>
  count <= 1 ? "the item" : `item ${index + 1} of ${count}`;

/** The type of a value in an item, as sentences name it. */
export type ValueType = "null" | "list" | "object" | "text" | "empty text" | "number" | "boolean";

const typeInWords = (type: ValueType | null): string => {
  if (type === null) return "of another type";
  return type === "null" ? "null" : `${/^[eo]/.test(type) ? "an" : "a"} ${type}`;
};

interface Found {
  /** Null if it was not read. */
  readonly type: ValueType | null;
  readonly item: ItemPlace;
}

interface Lacking extends Partial<Chain> {
  readonly node: string;
  readonly field: string;
  /** The whole path that is read, of which `field` is the missing part. */
  readonly reads: string;
  readonly item: ItemPlace;
  readonly hadFailed: boolean;
  /** The body is a text of JSON: it came with another content type. */
  readonly isUnreadJson?: boolean;
  /** The bad value that resulted, given if the cause is not certain. */
  readonly what?: BadValue;
}

const lacks = (fact: Lacking, lack: string): string => {
  const { node, reads, item, hadFailed, what, isUnreadJson = false } = fact;
  const error = hadFailed ? ", which had failed itself and went on with its error" : "";
  return `${what === undefined ? "" : `${badValue(what)}; `}it reads ${quoted(reads)}${madeBy(fact)}, and ${lack} in ${inItem(item)} that ${quoted(node)} sent${ofCaller(fact)}${error}${isUnreadJson ? ", whose body is a text: n8n did not read it as JSON, because its content type is another one" : ""}${insteadInWords(fact)}`;
};

const BAD_VALUES = {
  url: "its URL is not valid",
  urlType: "its URL is not a text",
  date: "a date is not one",
  value: "a parameter does not have a value that it accepts",
  absent: "a value that it needs is not there",
  amount: "an amount is not a number that it accepts",
  output: "it is set to use an output that it does not have",
  pairs: "the fields to match by are not set in it",
} as const;

/** A value that a node does not accept: a kind of value, or a parameter by its name. */
export type BadValue = keyof typeof BAD_VALUES | { readonly parameter: string };

const badValue = (what: BadValue): string =>
  typeof what === "string"
    ? BAD_VALUES[what]
    : `the value of its parameter ${quoted(what.parameter)} is not of the form that it takes`;

/** How a node uses a value of the wrong type. `wanted` is n8n's own name for a type. */
export type Use =
  | { readonly does: "calls"; readonly method: string }
  | { readonly does: "parses" }
  | { readonly does: "lists" }
  | { readonly does: "takes"; readonly wanted: string; readonly target: string | null };

const WANTED: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "a boolean (true or false)",
  object: "an object",
  array: "a list",
  dateTime: "a date",
  date: "a date",
  time: "a time of day",
  url: "a URL",
  jwt: "a token (JWT)",
};
const wantedInWords = (wanted: string): string => WANTED[wanted] ?? `a value of type ${wanted}`;

function useInWords(use: Use): string {
  if (use.does === "calls") return `calls "${use.method}" on`;
  if (use.does === "parses") return "reads as JSON";
  if (use.does === "lists") return "needs a list in";
  return `needs ${wantedInWords(use.wanted)}${use.target === null ? "" : ` for ${quoted(use.target)}`} from`;
}

/** How an expression breaks the JSON that it is inserted into. */
export const BREAKS_JSON = {
  null: "is null",
  absent: "is not there",
  written: "is written as JSON inside quotes",
  list: "is a list, put in as it is",
  object: "is an object, put in as it is",
  quote: "has a quote or a line break in it",
  empty: "is empty",
  unquoted: "is a text without quotes around it",
} as const;
export type HowItBreaks = keyof typeof BREAKS_JSON;

const BAD_TEXT = {
  empty: "is empty",
  html: "is a page of HTML or XML",
  fenced: "stands in a Markdown code fence (```), which is not part of JSON",
} as const;

/** A node's text with expressions in it: a field by n8n's label, a field without one, or the node's answer. */
export type Template = { readonly label: string } | "a field" | "answer";

const templateInWords = (template: Template): string => {
  if (template === "answer") return "what it answers with is not valid JSON";
  const field = template === "a field" ? "one of its fields" : `its field ${quoted(template.label)}`;
  return `${field} is not valid JSON`;
};

/** The called service: a model's provider, or a service at a host that the workflow names. */
export interface Called {
  readonly isModel: boolean;
  readonly host: string | null;
}

const at = (host: string | null): string => (host === null ? "" : ` at ${host}`);
const who = ({ isModel, host }: Called): string =>
  isModel ? "the model's provider" : `the service${at(host)}`;
/** A code is shown only if the data holds it. */
const codeInWords = ({ code, host, isGiven }: Called & { readonly code: string; isGiven: boolean }): string =>
  `${ERROR_CODES.get(code)?.says ?? ""}${isGiven ? ` (${code})` : ""}${at(host)}`;

interface Refused extends Called {
  readonly status: string;
  /** What the text of its answer says, beyond the status. */
  readonly says: FixedKind | null;
  readonly listOf: number | null;
  /** Items before the one that was refused. */
  readonly done: number;
  readonly hasCredential: boolean;
  /** How the node is set to send its body. */
  readonly bodyAs: keyof typeof BODIES | null;
}

/** n8n's own names for how HTTP Request sends a body. */
const BODIES = {
  "form-urlencoded": "a form (application/x-www-form-urlencoded)",
  "multipart-form-data": "a form with parts (multipart/form-data)",
  json: "JSON",
  binaryData: "a file",
  raw: "a text as it is",
} as const;
export const isBody = (name: unknown): name is keyof typeof BODIES =>
  typeof name === "string" && Object.hasOwn(BODIES, name);

/** What else the refusal depends on, by status. */
const BESIDE: Readonly<Record<string, (fact: Refused) => string>> = {
  401: ({ hasCredential }) => (hasCredential ? "" : "; the node uses no credential"),
  413: ({ listOf }) => (listOf === null ? "" : `: one request with a list of ${listOf}`),
  415: ({ bodyAs }) => (bodyAs === null ? "" : `; the node is set to send ${BODIES[bodyAs]}`),
  429: ({ done }) => (done === 0 ? "" : `; ${counted(done, "item")} before it had gone through`),
};

const refused = (fact: Refused): string => `${who(fact)} answered ${fact.status}: ${refusalOf(fact)}`;

function refusalOf(fact: Refused): string {
  const { says, status } = fact;
  // The status alone would blame the credential.
  if (says === "denied.row_policy") return FIXED_CLAUSES[says];
  const meaning = `${statusMeaning(status, "it")?.says ?? ""}${BESIDE[status]?.(fact) ?? ""}`;
  return says === null ? meaning : `${meaning}; its answer says: ${FIXED_CLAUSES[says]}`;
}

const CERTIFICATE_FAULTS = {
  "self-signed": "is self-signed, and so not trusted",
  expired: "has expired",
  "another host": "is for another host name",
  issuer:
    "comes from an issuer that is not known here (its chain is incomplete, or the authority is private)",
  unknown: "is not trusted: it is self-signed, expired, or of another host",
} as const;
export type CertificateFault = keyof typeof CERTIFICATE_FAULTS;

const ofTypes = (types: readonly string[]): string => (types.length === 0 ? "" : ` (${types.join(", ")})`);
const ofNode = (about: string | null): string => (about === null ? "" : ` (of ${quoted(about)})`);
const atLine = (line: number | null): string => (line === null ? "" : ` (line ${line})`);

export const CLAUSES = {
  "credential.gone": ({ types }: { types: readonly string[] }) =>
    `the credential that it uses does not exist any more${ofTypes(types)}`,
  "credential.wrong_type": ({ type }: { type: string }) =>
    `the credential that it names does not exist for the type that it asks for (${type}): it is of another type`,
  "credential.absent": ({ type }: { type: string | null }) =>
    `the credential that it names does not exist${type === null ? "" : ` for the type that it asks for (${type})`}: it was deleted, or is of another type`,
  "credential.unset": ({ types }: { types: readonly string[] }) =>
    `no credential is chosen in it${ofTypes(types)}`,
  "credential.unreadable": ({ types }: { types: readonly string[] }) =>
    `n8n cannot read the credential that it uses (another encryption key)${ofTypes(types)}`,
  node_missing: ({ about }: { about: string | null }) =>
    `an expression in it names ${about === null ? "a node" : `the node ${quoted(about)}`}, which this workflow does not have (any more)`,
  node_not_run: ({ about }: { about: string | null }) =>
    `an expression in it reads ${about === null ? "a node" : quoted(about)}, which did not run in this execution: another branch was taken`,
  "node_not_run.yet": ({ about }: { about: string | null }) =>
    `an expression in it reads ${about === null ? "a node" : quoted(about)}, which had not run by then`,
  "node_not_run.elsewhere": ({ about }: { about: string | null }) =>
    `an expression in it reads ${about === null ? "a node" : quoted(about)}, which did not run in this execution, nor did anything that leads to it`,
  "pairing.fewer": ({ about }: { about: string }) =>
    `an expression in it reads an item of ${quoted(about)} that is not there: it sent fewer items`,
  "pairing.several": ({ about }: { about: string | null }) =>
    `an expression asks for the one item that belongs to this one, and there are several${ofNode(about)}`,
  "pairing.unconnected": ({ about }: { about: string | null }) =>
    `an expression reads a node that this one is not connected to${ofNode(about)}`,
  pairing: ({ about }: { about: string | null }) =>
    `n8n cannot tell which item of an earlier node is paired with this one${about === null ? "" : `: ${quoted(about)} makes items without saying which they came from`}`,

  field_missing: (fact: Lacking) => lacks(fact, `there is no ${quoted(fact.field)}`),
  field_null: (fact: Lacking) => lacks(fact, `${quoted(fact.field)} is null`),
  "field_missing.no_match": ({ node, field }: { node: string; field: string }) =>
    `it takes a part of a match in ${quoted(field)}, and nothing matches in the text that ${quoted(node)} sent`,
  "field_missing.one_of": ({ member, owners }: { member: string; owners: readonly string[] }) =>
    `it reads ${quoted(member)} of what is not there: of ${owners.map(quoted).join(" or ")}`,
  "field_missing.key": ({ key, line }: { key: string; line: number | null }) =>
    `it reads the key ${quoted(key)}, which is not there${atLine(line)}`,
  "input_missing.no_item": ({ node }: { node: string }) =>
    `it reads an item of ${quoted(node)}, which sent none`,
  wrong_type: (fact: { node: string; field: string; use: Use } & Found) =>
    `it ${useInWords(fact.use)} ${quoted(fact.field)}, which is ${typeInWords(fact.type)} in ${inItem(fact.item)} that ${quoted(fact.node)} sent`,
  "wrong_type.value": (fact: { wanted: string; target: string | null; index: number | null }) =>
    `a value${fact.target === null ? "" : ` for ${quoted(fact.target)}`}${fact.index === null ? "" : ` in item ${fact.index + 1}`} is not ${wantedInWords(fact.wanted)}`,
  "not_json.text": ({ form }: { form: "JSON" | "XML" }) => `a text that it reads as ${form} is none`,
  not_json: (fact: {
    node: string;
    field: string;
    form: "JSON" | "XML";
    is: keyof typeof BAD_TEXT | "invalid";
  }) =>
    `it reads ${quoted(fact.field)} as ${fact.form}, and what ${quoted(fact.node)} sent there ${fact.is === "invalid" ? `is not valid ${fact.form}` : BAD_TEXT[fact.is]}`,
  "not_json.template": ({ template }: { template: Template }) => templateInWords(template),
  "not_json.put": (fact: { template: Template; field: string; how: HowItBreaks; from: string }) =>
    `${templateInWords(fact.template)}: ${quoted(fact.field)}, which is put into it, ${BREAKS_JSON[fact.how]} in what ${quoted(fact.from)} sent`,
  code_undefined_name: (fact: { name: string; line: number | null; isElsewhere: boolean }) =>
    `it uses ${quoted(fact.name)}, which is defined ${fact.isElsewhere ? "only in another part of its code" : "nowhere"}${atLine(fact.line)}`,
  code_module: ({ module, line }: { module: string; line: number | null }) =>
    `its code asks for the module ${quoted(module)}, which this n8n does not allow or does not have${atLine(line)}`,
  "code_threw.too_deep": ({ line }: { line: number | null }) =>
    `its code, or what it calls, calls itself without end${atLine(line)}`,
  code_threw: ({ line }: { line: number | null }) => `its own code threw an error${atLine(line)}`,
  invalid_request: ({ what }: { what: BadValue }) => badValue(what),
  "invalid_request.made": (fact: { node: string; field: string; what: BadValue } & Found) =>
    `${badValue(fact.what)}: it is made from ${quoted(fact.field)}, ${typeInWords(fact.type)} in ${inItem(fact.item)} that ${quoted(fact.node)} sent`,
  "invalid_request.same_page": ({ names }: { names: readonly string[] }) =>
    `its pagination asks for the same page every time (${names.map(quoted).join(", ")} ${names.length === 1 ? "has a fixed value" : "have fixed values"}): the answers were the same, and n8n stopped it`,
  file: (fact: { node: string; input: string | null; isSent: boolean }) =>
    `it needs a file${fact.input === null ? "" : ` in the field ${quoted(fact.input)}`} of its input${fact.isSent ? `, and the item that ${quoted(fact.node)} sent has none` : ""}`,
  "file.in_code": ({ member }: { member: string }) =>
    `it reads the file ${quoted(`binary.${member}`)}, and an item that it was given holds no file`,

  "timeout.limit": ({ limitMs }: { limitMs: string | null }) =>
    `the service did not answer within ${limitMs === null ? "the node's time limit" : `${limitMs} ms, the time limit of the node`}`,
  "certificate.no_tls": (called: Called) =>
    `${who(called)} was called by https, and does not speak TLS there: its address may be http`,
  "certificate.plain": (called: Called) =>
    `${who(called)} was called with TLS (SSL), and does not begin with it at that port: its credential may have to go without SSL/TLS (STARTTLS), or name another port`,
  certificate: ({ fault, ...called }: Called & { fault: CertificateFault }) =>
    `the certificate of ${who(called)} ${CERTIFICATE_FAULTS[fault]}`,
  http_status: refused,
  model: refused,
  "http_status.unnumbered": ({ status, host }: Called & { status: string }) =>
    `${statusMeaning(status)?.says ?? ""} (${status})${at(host)}`,
  timeout: codeInWords,
  connection: codeInWords,
  credential: codeInWords,
  database: codeInWords,
  "database.split": ({ field, from }: { field: string; from: string }) =>
    `n8n splits its query parameters at every comma, and ${quoted(field)}, which ${quoted(from)} sent, has one: its parts went into the wrong places (an expression that gives a list is not split)`,
  "file.code": codeInWords,

  "node_not_installed.called": ({ type }: { type: string }) =>
    `the sub-workflow it calls has a node of the type ${type}, which this n8n does not have: it is not installed, or switched off`,
  "sub_workflow_failed.item": ({ item }: { item: ItemPlace | null }) =>
    `the sub-workflow it called failed${item === null ? "" : ` for item ${item.index + 1} of ${item.count}`}`,
  "sub_workflow_failed.stopped": ({ executionId }: { executionId: string }) =>
    `the sub-workflow it called took longer than its time limit, and n8n stopped it (${executionNamed(executionId)})`,
  "sub_workflow_failed.unread": ({ executionId }: { executionId: string }) =>
    `the sub-workflow it called failed (${executionNamed(executionId)})`,
  /** The fact's `root`, the failure in the sub-workflow, follows this clause. */
  sub_workflow_failed: (fact: { calls: number; workflow: string | null; at: string }) =>
    `the sub-workflow it called failed${fact.calls === 1 ? "" : `, ${counted(fact.calls, "call")} deep`} (${fact.workflow === null ? "" : `in ${quoted(fact.workflow)}, `}execution ${fact.at})`,
};
