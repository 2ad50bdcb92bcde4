/**
 * Fact: of an HTTP call `error.httpCode` is the status, or the system's code where there was no answer; causes stand
 * in `error.messages[]` (time-outs say only "perhaps offline" in `message`), target and limit in
 * `error.context.request.{method, uri, timeout}`. Certificates are told by sentences of n8n and OpenSSL alone.
 */
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { CODE_SENTENCES, STATUS_SENTENCES } from "../../error-facts.ts";
import { OTHER, toErrorFacts } from "../../error-sentence.ts";
import { codeInWords, statusInWords } from "../error-words.ts";
import { parameterOf, partOf } from "../execution-view.ts";
import { textsOf } from "../field-references.ts";
import type { CauseId, Finding } from "../finding.ts";
import {
  allTextsOf,
  type Failed,
  failedName,
  firstSentence,
  isOfClass,
  lowerFirst,
  onFailed,
} from "../rule.ts";
import { saidByService } from "./in-own-words.ts";

const TIMED_OUT = /^timeout of (\d{1,9})ms exceeded/;
const CERTIFICATE =
  /^(?:SSL Issue: consider using|self[- ]signed certificate|unable to verify the first certificate|certificate has expired|unable to get (?:local )?issuer certificate)/i;
const NO_TLS = /^write EPROTO .*:wrong version number:/;
const SDK_NODES = /^@n8n\/n8n-nodes-langchain\.(?:lm|embeddings)/;
const MODEL = /^@n8n\/n8n-nodes-langchain\./;
const TIMEOUT_CODES = new Set([
  "ETIMEDOUT",
  "ESOCKETTIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
]);
/** These are about what was called; other codes (of databases, of files) say what is wrong by themselves. */
const CONNECTION =
  /^(?:E(?:CONN|HOST|NET|AI_|PIPE|SOCKET|DNS|NOTFOUND|ADDRNOTAVAIL)|UND_ERR|ERR_NETWORK|ERR_FR_|08)/;
/** Axios, whose errors code may let through; and the model providers' SDKs, whose errors n8n wraps. */
const AXIOS = /^Request failed with status code ([45]\d\d)(?:\s|$)/;
const OF_SDK = /^([45]\d\d) \S/;
const CALLS_BY_CODE = /\b(?:httpRequest\w{0,40}|axios\b[\w.]{0,20}|request)\s{0,5}(?:\.call\s{0,5})?\(/;
const CREDENTIAL: ReadonlySet<string> = new Set([
  "EAUTH",
  "ENOAUTH",
  "28P01",
  "28000",
  "ER_ACCESS_DENIED_ERROR",
]);
/** SQLSTATE, and MySQL's own. */
const DATABASE = /^(?:[0-9][0-9A-Z]{4}|ER_[A-Z_0-9]{1,60})$/;
const FILE: ReadonlySet<string> = new Set([
  "ENOENT",
  "ENOTDIR",
  "EISDIR",
  "EACCES",
  "EPERM",
  "EROFS",
  "EEXIST",
]);
/** Libraries put these before what really happened. */
const GENERAL = new Set(["ESOCKET", "ECONNECTION", "ESTREAM"]);
export const service = onFailed((_view, failed) => {
  const { error } = failed;
  const { httpCode, code: given } = toErrorFacts(error);
  const known = given === OTHER ? null : given;
  const texts = allTextsOf(error);
  const [limit] = texts.flatMap((text) => TIMED_OUT.exec(text)?.[1] ?? []);
  if (limit !== undefined && httpCode === null) return [timedOut(failed, limit)];
  const found = (cause: CauseId, because: string): Finding[] => [finding(failed, cause, because)];
  if (texts.some((text) => NO_TLS.test(text)))
    return found(
      "certificate",
      "it was called by https, and does not speak TLS there: its address may be http",
    );
  if (isOfClass(error, "NodeSslError") || texts.some((text) => CERTIFICATE.test(text)))
    return found(
      "certificate",
      "its certificate is not trusted: it is self-signed, expired, or of another host",
    );
  if (httpCode !== null) return [refused(failed, httpCode), ...saidByService(failed)];
  const told = statusInMessage(failed, texts);
  if (told !== null) return [refused(failed, told)];
  // Code says what it likes.
  const isThrown = error.lineNumber != null;
  const inWords = isThrown ? null : codeInWords(texts);
  const code = known === null || GENERAL.has(known) ? (inWords ?? known) : known;
  if (code !== null) return byCode(failed, code);
  const status = isThrown ? null : statusInWords(texts);
  return status === null ? [] : [inStatus(failed, status)];
});

/** A status that a library says in its own form; of code, where it calls by that library and throws nothing itself. */
function statusInMessage({ error, node }: Failed, texts: readonly string[]): string | null {
  const statusBy = (form: RegExp): string | null =>
    texts.flatMap((text) => form.exec(text)?.[1] ?? [])[0] ?? null;
  if (isOfClass(error, "AxiosError")) {
    const own = textsOf(node?.parameters);
    const isCalling = own.some((text) => CALLS_BY_CODE.test(text));
    return isCalling && !own.some((text) => /\bthrow\b|\breject\b/.test(text)) ? statusBy(AXIOS) : null;
  }
  return SDK_NODES.test(node?.type ?? "") && error.name === "NodeOperationError" ? statusBy(OF_SDK) : null;
}

function byCode(failed: Failed, code: string): Finding[] {
  const sentence = CODE_SENTENCES.get(code);
  if (sentence === undefined) return [];
  const words = `${lowerFirst(firstSentence(sentence))} (${code})`;
  const cause = TIMEOUT_CODES.has(code)
    ? "timeout"
    : CONNECTION.test(code)
      ? "connection"
      : CREDENTIAL.has(code)
        ? "credential"
        : DATABASE.test(code)
          ? "database"
          : FILE.has(code)
            ? "file"
            : null;
  return cause === null ? [] : [finding(failed, cause, words)];
}

/** A status that n8n says in words, without its number. */
function inStatus(failed: Failed, status: string): Finding {
  const sentence = STATUS_SENTENCES.get(status) ?? STATUS_SENTENCES.get(status.charAt(0)) ?? "";
  return finding(failed, "http_status", `${lowerFirst(firstSentence(sentence))} (${status})`);
}

/** n8n's own, where a node sets none. */
const USUAL_LIMIT_MS = "300000";

/** Whoever throws the error writes the number: it is told where the node has it, too. */
function timedOut({ name, node }: Failed, limit: string): Finding {
  const isKnown = limit === USUAL_LIMIT_MS || hasNumber(node?.parameters, limit);
  const within = isKnown ? `within ${limit} ms, the time limit of the node` : "within the node's time limit";
  return {
    cause: "timeout",
    node: name,
    sentence: `${failedName(name)} because the service did not answer ${within}.`,
    confidence: "exact",
  };
}

/** Whether a parameter is this number, or a text with it. */
function hasNumber(value: ReadValue | undefined, number: string): boolean {
  if (typeof value === "number") return String(value) === number;
  if (typeof value === "string") return [...value.matchAll(/\d+/g)].some(([digits]) => digits === number);
  if (Array.isArray(value)) return value.some((item) => hasNumber(item, number));
  return isReadObject(value) && Object.values(value).some((member) => hasNumber(member, number));
}

function refused(failed: Failed, httpCode: string): Finding {
  const { node } = failed;
  const sentence = STATUS_SENTENCES.get(httpCode) ?? STATUS_SENTENCES.get(httpCode.charAt(0)) ?? "";
  const isOfModel = MODEL.test(node?.type ?? "");
  const what = lowerFirst(firstSentence(sentence)).replace("the service", "it");
  return finding(failed, isOfModel ? "model" : "http_status", `it answered ${httpCode}: ${what}`);
}

function finding(failed: Failed, cause: CauseId, because: string): Finding {
  const { name, node } = failed;
  const who = MODEL.test(node?.type ?? "") ? "the model's provider" : `the service${hostOf(failed)}`;
  const isAboutIt = /^(?:it|its) /.test(because);
  const words = isAboutIt
    ? because.replace(/^it /, `${who} `).replace(/^its certificate /, `the certificate of ${who} `)
    : `${because}${hostOf(failed)}`;
  const uri = partOf(failed.error, "context", "request", "uri");
  return {
    cause,
    node: name,
    sentence: `${failedName(name)} because ${words}.`,
    confidence: "exact",
    ...(typeof uri === "string" ? { value: uri } : {}),
  };
}

/** The host, where the workflow itself names it: elsewhere it is payload. */
function hostOf({ node, error }: Failed): string {
  const uri = partOf(error, "context", "request", "uri");
  const [, host] =
    /^https?:\/\/([A-Za-z0-9.-]{1,100}(?::\d{1,5})?)(?:[/?#]|$)/.exec(typeof uri === "string" ? uri : "") ??
    [];
  if (host === undefined) return "";
  const own = [parameterOf(node, "url"), parameterOf(node, "endpoint")].flatMap((value) => textsOf(value));
  return own.some((text) => text.includes(`//${host}`)) ? ` at ${host}` : "";
}
