/**
 * Facts: n8n counts a node as a success when it was answered, whatever the answer says: GraphQL and SOAP report
 * errors with status 200, bulk requests count what was refused, mail servers list rejected recipients, commands end
 * with a code. It is reported as the service's own statement. It counts as harmless (`.calm`) if a later node checks
 * it, a caller gets it, the node only read rows, or the last successes report the same.
 */

import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { pattern } from "../../../../platform/pattern.ts";
import { lastKeyIn } from "../../../comparison/field-keys.ts";
import { mentionedIn } from "../../../known-fields.ts";
import { type ExecutionView, nextOf, parameterOf, sentInAll } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { textsOf } from "../../field-references.ts";
import { acts, actsFrom, operationOf, reads } from "../../node-effects.ts";
import { CODE, DECIDES } from "../../node-kinds.ts";
import type { Rule } from "../../rule.ts";
import type { Shows } from "../../wording/reported-sentences.ts";
import { allCaught } from "../caught-errors.ts";
import { errorAsData } from "../small-observations.ts";
import { progressIn, type Report, refusalIn, reportIn, textIn } from "./report-in.ts";
import { inputCountOf, largestOutputOf, scalarsBy } from "./usual.ts";

/** These only pass on or reshape what others sent. */
const RESHAPES = pattern()`
  \.(?:
    set|if|switch|filter|merge|noOp|splitOut|splitInBatches|aggregate|sort|limit|removeDuplicates
    |summarize|itemLists|renameKeys|wait|dateTime|crypto|markdown|html|compareDatasets|respondToWebhook
    |respondToMcp|convertToFile|extractFromFile|spreadsheetFile|executionData|stopAndError|form
  )$
`;
const MODELS = /langchain/;
/** Nodes that ask a model themselves, whose answer may be cut off. */
const VENDORS = /langchain\.(?:openAi|anthropic|googleGemini|ollama)$/;
/** Names of fields for the state of a request; in other fields, a word of refusal is about something else. */
const STATE =
  /(?:^|[a-z_-])(?:status|state|result|outcome|ack|stat|response|reply|decision|verdict|approval|code)(?:[_-]?(?:code|text|type))?$/i;
const STORES = pattern()`
  \.(?:
    postgres|postgresTool|mySql|microsoftSql|mongoDb|oracleDatabase|snowflake|googleBigQuery|supabase
    |googleSheets|airtable|notion|baserow|nocoDb|dataTable|redis
  )$
`;
const ASKS_SERVICE = /\bcatch\b|httpRequest|fetch\(|axios/;

export const reportedFailures: Rule = (view) => {
  if (view.isWithheld) return [];
  const reported = new Set([...allCaught(view), ...errorAsData(view)].map(({ node }) => node));
  // What a sub-workflow passes on is reported where it occurred.
  for (const { nodeName, fact } of view.called) if (fact.kind === "reported_failure") reported.add(nodeName);
  return [...view.runs.keys()].flatMap((name): Fact[] => {
    if (reported.has(name) || !mayReport(view, name)) return [];
    const all = reportsOf(view, name);
    const report = all.find(({ isMild }) => isMild !== true) ?? all[0];
    if (report === undefined) return [...refusedUnlikeBefore(view, name), ...unfinished(view, name)];
    const ofEarlier = view.successes.map((one) => reportsOf(one, name));
    const alike = ofEarlier.filter((own) => own.some(({ key }) => key === report.key)).length;
    if (alike > 0 && alike === ofEarlier.length) return [];
    const by = checkedBy(view, name, report);
    if (report.shows === "page" && by !== null) return [];
    const isSure = by === null && alike === 0 && isFailure(view, name, report, ofEarlier.length > 0);
    const { items, length: of } = sentInAll(view, name);
    const { key, shows, amount, said } = report;
    const counts = { count: all.length, of, atLeast: items.length < of };
    const fact = { node: name, field: key, shows, amount, by, ...counts } as const;
    return [
      {
        kind: isSure ? "reported_failure" : "reported_failure.calm",
        ...fact,
        confidence: isSure ? "likely" : "observed",
        ...said,
      },
    ];
  });
};

function mayReport(view: ExecutionView, name: string): boolean {
  const node = view.nodes.get(name);
  const type = node?.type ?? "";
  const isTrigger = view.runsOf(name)[0]?.source.every((source) => source === null) ?? true;
  const isModel = MODELS.test(type) && !VENDORS.test(type);
  if (isTrigger || RESHAPES.test(type) || isModel || view.isSubNode(name)) return false;
  return !CODE.test(type) || textsOf(node?.parameters).some((text) => ASKS_SERVICE.test(text));
}

/** What the node was given, and only passed on or was sent back, is no report of its own. */
function reportsOf(view: ExecutionView, name: string): Report[] {
  const type = view.typeOf(name);
  const isStore = STORES.test(type);
  const isDone = acts(view.nodes.get(name));
  return view.runsOf(name).flatMap((run, index) => {
    const given = view.inputOf(run).items.flatMap(({ json }) => reportIn(json, isStore, isDone) ?? []);
    return view.sentBy(name, index).items.flatMap((item) => {
      const report = reportIn(item.json, isStore, isDone);
      const isGiven = given.some(
        ({ key, shows }) => key === report?.key || (shows === "fault" && shows === report?.shows),
      );
      const isOfModel = VENDORS.test(type) && report?.shows !== "cut";
      return report === null || isGiven || isOfModel ? [] : [report];
    });
  });
}

/** A state has few values: what differs from item to item is no state. */
const MAX_WORDS = 3;

/**
 * A word of refusal in a field where all of the last successes had other words. It is not counted if the node was
 * given it, or read it in one of many rows.
 */
function refusedUnlikeBefore(view: ExecutionView, name: string): Fact[] {
  const node = view.nodes.get(name);
  const before = view.successes.filter(({ runs }) => runs.has(name));
  if (before.length < 2 || CODE.test(node?.type ?? "") || isAnswer(view, name)) return [];
  const isRead = reads(node);
  if (isRead && (sentInAll(view, name).length > inputCountOf(view, name) || !actsFrom(view, name))) return [];
  const isKnown = mentionedIn([view.execution]);
  const wasGiven = wasGivenTo(view, name);
  for (const [path, values] of scalarsBy(view, name)) {
    const refused = values.flatMap(({ value, holder }) => {
      const found = refusalIn(value);
      return found === null ? [] : [{ ...found, value, holder }];
    });
    const [first] = refused;
    const key = lastKeyIn(path);
    // A record that is only read may be in any state.
    if (first === undefined || (!first.isText && (isRead || !STATE.test(key)))) continue;
    if (isRead && path.includes("[]")) continue;
    if (refused.some(({ value, word }) => wasGiven(value, word))) continue;
    const earlier = before.map((one) => (scalarsBy(one, name).get(path) ?? []).map(({ value }) => value));
    const words = new Set(earlier.flat());
    if (earlier.some((own) => own.length === 0) || [...words].some((word) => refusalIn(word) !== null))
      continue;
    const by = checkedBy(view, name, { key, shows: first.isText ? "text" : "word" });
    if (by !== null || (!first.isText && words.size > MAX_WORDS)) continue;
    const [was = null] = words;
    const counts = { count: refused.length, of: values.length, successes: before.length };
    const field = isKnown(key) ? { field: key } : {};
    const { word, value } = first;
    const payload = { value: { [key]: value }, was: { [key]: was }, ...textIn(first.holder) };
    const fact = { node: name, word, ...counts, ...field, ...payload } as const;
    return [{ kind: "reported_failure.word", ...fact, confidence: "likely" }];
  }
  return [];
}

/** A job that is still running, that nobody waits for, and that ended at once in all of the last successes. */
function unfinished(view: ExecutionView, name: string): Fact[] {
  const before = view.successes.filter(({ runs }) => runs.has(name));
  if (before.length === 0 || CODE.test(view.typeOf(name)) || isAnswer(view, name)) return [];
  const states = [...scalarsBy(view, name)].filter(
    ([path]) => STATE.test(lastKeyIn(path)) && !path.includes("[]"),
  );
  for (const [path, values] of states) {
    const key = lastKeyIn(path);
    const value = values.at(-1)?.value ?? null;
    const now = progressIn(value);
    if (now === null || now.isFinished) continue;
    const earlier = before.map((one) => scalarsBy(one, name).get(path) ?? []);
    const wasDone = earlier.every((all) => all.some((each) => progressIn(each.value)?.isFinished === true));
    if (!wasDone || checkedBy(view, name, { key, shows: "word" }) !== null) continue;
    const counts = { count: 1, of: 1, successes: before.length };
    const payload = { value: { [key]: value }, was: { [key]: earlier[0]?.at(-1)?.value ?? null } };
    const field = mentionedIn([view.execution])(key) ? { field: key } : {};
    const fact = { node: name, word: now.word, ...counts, ...field, ...payload };
    return [{ kind: "reported_failure.word", ...fact, confidence: "observed" }];
  }
  return [];
}

/** An earlier decision that is only passed on. */
const SAYS_NO = pattern("i")`
  "(?:is_?|was_?)?(?:
    (?:approv\w{0,20}|accept(?:ed)?|granted?|decision)":(?:false|"(?:no?|false|0)")
    |(?:rejected|declined|denied|refused|cancell?ed)":(?:true|"(?:yes|true|1)")
  )
`;

/** Whether the node was given what the answer says, or told the service to do it: `reject`, and it is `rejected`. */
function wasGivenTo(view: ExecutionView, name: string): (value: ReadValue, word?: string) => boolean {
  const given = view.runsOf(name).flatMap((run) => view.inputOf(run).items.map(({ json }) => json));
  const saysNo = SAYS_NO.test(JSON.stringify(given));
  const [values, own] = [textsOf(given), textsOf(view.nodes.get(name)?.parameters)];
  return (value, word = String(value)) => {
    const stem = `${word.slice(0, 5).replaceAll(/\W/g, ".")}[a-z]{0,7}(?![\\w:/])`;
    const [leads, names] = [new RegExp(`^\\W{0,3}${stem}`, "i"), new RegExp(`(?<!\\w)${stem}`, "i")];
    const isStem =
      word.length > 4 && (values.some((text) => leads.test(text)) || own.some((text) => names.test(text)));
    return saysNo || isStem || values.some((text) => text === value);
  };
}

/** Whether the report is hardly expected: a row may hold any state, and an answer may repeat what it was sent. */
function isFailure(view: ExecutionView, name: string, report: Report, isCompared: boolean): boolean {
  const node = view.nodes.get(name);
  const { shows, isOfRow, isMild, word } = report;
  // Code says what its author made it say.
  if (shows === "page" || CODE.test(node?.type ?? "")) return isCompared && !isMild;
  const isRead = reads(node);
  const isHttp = /\.httpRequest$/.test(node?.type ?? "");
  const isNamed =
    !NOT_ASKED_FOR.has(shows) && textsOf(node?.parameters).some((text) => mentions(text, report.key));
  const repeats =
    (isNamed && (isOfRow || isRead)) || (isMild && word !== undefined && wasGivenTo(view, name)(word));
  return (
    !repeats &&
    // Perhaps there was nothing to change.
    shows !== "unchanged" &&
    // A lookup may well find nothing.
    !(/status/i.test(report.key) && shows === "code" && isRead && !isCompared) &&
    !(isMild && (isRead || !isCompared)) &&
    !(
      isOfRow &&
      isRead &&
      !isWithoutData(view, name, report) &&
      (shows !== "entries" || isHttp || operationOf(node) !== null)
    ) &&
    // For a node that may do anything, only the last successes can tell.
    !(isOfRow && shows !== "entries" && !acts(node) && !isCompared) &&
    !isAnswer(view, name)
  );
}

/** For these, the field is a wrapper, or has an HTTP name, so that a mention of it means nothing. */
const NOT_ASKED_FOR: ReadonlySet<Shows> = new Set(["code", "text", "fault"]);

/** Whether most of the other fields that all successes had are missing: a record would still have them. */
function isWithoutData(view: ExecutionView, name: string, { key, shows }: Report): boolean {
  const fieldsOf = (one: ExecutionView): string[] =>
    largestOutputOf(one, name).items.flatMap(({ json }) => (isReadObject(json) ? Object.keys(json) : []));
  const successes = view.successes.filter(({ runs }) => runs.has(name));
  const [before = [], ...others] = successes.map(fieldsOf);
  const usual = [...new Set(before)].filter((one) => one !== key && others.every((own) => own.includes(one)));
  const now = fieldsOf(view);
  return shows === "word" && usual.filter((one) => !now.includes(one)).length * 2 > usual.length;
}

/** Whether the workflow's caller gets the answer, or a model reads it. */
function isAnswer(view: ExecutionView, name: string): boolean {
  const next = nextOf(view, name);
  const hook = [...view.nodes.values()].find(({ type }) => type === "n8n-nodes-base.webhook");
  if (next.length === 0)
    return view.execution.mode === "integrated" || parameterOf(hook, "responseMode") === "lastNode";
  return next.some((one) => /respondTo|langchain/.test(view.typeOf(one)));
}

const MAX_AFTER = 200;
/** How a node that checks for these mentions them, because their field holds everything else, too. */
const NAMED_AS: Partial<Record<Shows, RegExp>> = {
  fault: /fault/i,
  text: /error|fault|success/i,
  page: /html|doctype/i,
};

/** Expressions that pass on the whole answer, so that its recipient can see it. */
const WHOLE = /JSON\.stringify\(\s?\$json\s?[,)]|\$json\.toJsonString\(/;
/** A word that is stored with all other fields is requested data. */
const STORES_ALL = /^autoMapInputData$/;
const READS_PAGES = /\.(?:html|htmlExtract|markdown)$/;

type Looked = Pick<Report, "key" | "shows">;

/** The later node that mentions the field, or directly decides on the answer. */
export function checkedBy(view: ExecutionView, name: string, { key, shows }: Looked): string | null {
  const form = NAMED_AS[shows];
  const seen = new Set<string>([name]);
  const open = [name];
  for (let at = open.shift(); at !== undefined && seen.size < MAX_AFTER; at = open.shift()) {
    for (const next of nextOf(view, at)) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
      const node = view.nodes.get(next);
      const texts = textsOf(node?.parameters);
      const isDecision = DECIDES.test(node?.type ?? "");
      const isTaken = form === undefined || isDecision || CODE.test(node?.type ?? "");
      const looks = (text: string): boolean => form?.test(text) === true || (isTaken && mentions(text, key));
      const isNext = at === name;
      const takes = (text: string): boolean =>
        isNext &&
        (isDecision
          ? text.includes("$json")
          : form === undefined && (WHOLE.test(text) || (shows === "word" && STORES_ALL.test(text))));
      const readsPage = isNext && shows === "page" && READS_PAGES.test(node?.type ?? "");
      if (readsPage || texts.some((text) => looks(text) || takes(text))) return next;
    }
  }
  return null;
}

const mentions = (text: string, key: string): boolean => text.split(/[^\p{L}\p{N}_$:-]+/u).includes(key);
