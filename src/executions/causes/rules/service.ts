/**
 * Fact: for an HTTP call `error.httpCode` is the status, or the system's code if there was no answer; causes are in
 * `error.messages[]` (time-outs say only "perhaps offline" in `message`), target and limit in
 * `error.context.request.{method, uri, timeout}`. Certificate errors show only by messages of n8n and OpenSSL.
 */
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { ERROR_CODES } from "../../error-facts.ts";
import { OTHER, toErrorFacts } from "../../error-sentence.ts";
import { partOf } from "../../json-members.ts";
import { codeInWords, statusInWords, WRITTEN_CODE } from "../error-words.ts";
import { parameterOf } from "../execution-view.ts";
import type { Fact, FactOf } from "../fact.ts";
import { textsOf } from "../field-references.ts";
import { allTextsOf, type Failed, firstCapture, isOfClass, matchesAny, onFailed } from "../rule.ts";
import type { Called } from "../wording/clauses.ts";
import { knownServiceMessage } from "./in-own-words.ts";

const TIMED_OUT = /^timeout of (\d{1,9})ms exceeded/;
const CERTIFICATE =
  /^(?:SSL Issue: consider using|self[- ]signed certificate|unable to verify the first certificate|certificate has expired|unable to get (?:local )?issuer certificate)/i;
const NO_TLS = /^write EPROTO .*:wrong version number:/;
const SDK_NODES = /^@n8n\/n8n-nodes-langchain\.(?:lm|embeddings)/;
const MODEL = /^@n8n\/n8n-nodes-langchain\./;
/** The subject of each code; other codes say nothing about the called service. */
const KIND_OF_CODE = [
  { kind: "timeout", codes: /^(?:ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_(?:CONNECT|HEADERS)_TIMEOUT)$/ },
  {
    kind: "connection",
    codes: /^(?:E(?:CONN|HOST|NET|AI_|PIPE|SOCKET|DNS|NOTFOUND|ADDRNOTAVAIL)|UND_ERR|ERR_NETWORK|ERR_FR_|08)/,
  },
  { kind: "credential", codes: /^(?:EAUTH|ENOAUTH|28P01|28000|ER_ACCESS_DENIED_ERROR)$/ },
  { kind: "database", codes: /^(?:[0-9][0-9A-Z]{4}|ER_[A-Z_0-9]{1,60})$/ },
  { kind: "file.code", codes: /^(?:ENOENT|ENOTDIR|EISDIR|EACCES|EPERM|EROFS|EEXIST)$/ },
] as const;
/** Messages of Axios, whose errors code may pass on, and of the model providers' SDKs, whose errors n8n wraps. */
const AXIOS = /^Request failed with status code ([45]\d\d)(?:\s|$)/;
const OF_SDK = /^([45]\d\d) \S/;
const CALLS_BY_CODE = /\b(?:httpRequest\w{0,40}|axios\b[\w.]{0,20}|request)\s{0,5}(?:\.call\s{0,5})?\(/;
/** Libraries report these in place of the actual cause. */
const GENERAL = new Set(["ESOCKET", "ECONNECTION", "ESTREAM"]);

export const service = onFailed((failed) => {
  const { error } = failed;
  const { httpCode, code: given } = toErrorFacts(error);
  const texts = allTextsOf(error);
  const written = firstCapture(texts, WRITTEN_CODE) ?? "";
  const known = ERROR_CODES.has(written) ? written : given === OTHER ? null : given;
  const limit = firstCapture(texts, TIMED_OUT);
  if (limit !== undefined && httpCode === null) return timedOut(failed, limit);
  const called = calledBy(failed);
  if (matchesAny(texts, NO_TLS)) return { kind: "certificate.no_tls", ...called };
  if (isOfClass(error, "NodeSslError") || matchesAny(texts, CERTIFICATE))
    return { kind: "certificate", ...called };
  const refused = (status: string): Fact => ({
    kind: called.isModel ? "model" : "http_status",
    ...called,
    status,
  });
  if (httpCode !== null) return [refused(httpCode), ...knownServiceMessage(failed)];
  const told = statusInMessage(failed, texts);
  if (told !== null) return refused(told);
  // Code can throw any text.
  const isThrown = error.lineNumber != null;
  const inWords = isThrown ? null : codeInWords(texts);
  const code = known === null || GENERAL.has(known) ? (inWords ?? known) : known;
  if (code !== null) {
    const kind = ERROR_CODES.has(code) ? KIND_OF_CODE.find(({ codes }) => codes.test(code))?.kind : undefined;
    // A code that only stands for the meaning of words would be one of another database.
    const isGiven = code === known || texts.some((text) => text.includes(code));
    return kind === undefined ? null : { kind, ...called, code, isGiven };
  }
  const status = isThrown ? null : statusInWords(texts);
  return status === null ? null : { kind: "http_status.unnumbered", ...called, status };
});

/** A status in a library's own message format; for code, only if it calls that library and throws nothing itself. */
function statusInMessage({ error, node }: Failed, texts: readonly string[]): string | null {
  const statusBy = (form: RegExp): string | null => firstCapture(texts, form) ?? null;
  if (isOfClass(error, "AxiosError")) {
    const own = textsOf(node?.parameters);
    const isCalling = own.some((text) => CALLS_BY_CODE.test(text));
    return isCalling && !own.some((text) => /\bthrow\b|\breject\b/.test(text)) ? statusBy(AXIOS) : null;
  }
  return SDK_NODES.test(node?.type ?? "") && error.name === "NodeOperationError" ? statusBy(OF_SDK) : null;
}

/** n8n's default. */
const USUAL_LIMIT_MS = "300000";

/** The code that throws the error sets the number: it is reported only if the node has it too. */
function timedOut({ name, node }: Failed, limit: string): FactOf<"timeout.limit"> {
  const isKnown = limit === USUAL_LIMIT_MS || hasNumber(node?.parameters, limit);
  return { kind: "timeout.limit", node: name, limitMs: isKnown ? limit : null };
}

function hasNumber(value: ReadValue | undefined, number: string): boolean {
  if (typeof value === "number") return String(value) === number;
  if (typeof value === "string") return [...value.matchAll(/\d+/g)].some(([digits]) => digits === number);
  if (Array.isArray(value)) return value.some((item) => hasNumber(item, number));
  return isReadObject(value) && Object.values(value).some((member) => hasNumber(member, number));
}

function calledBy({ name, node, error }: Failed): Pick<Fact, "value"> & Called & { readonly node: string } {
  const uri = partOf(error, "context", "request", "uri");
  const value = typeof uri === "string" ? { value: uri } : {};
  const called = { isModel: MODEL.test(node?.type ?? ""), host: hostIn(uri, node) };
  return { node: name, ...called, ...value };
}

/** The host, if the workflow itself names it; otherwise it is payload. */
function hostIn(uri: unknown, node: Failed["node"]): string | null {
  const [, host] =
    /^https?:\/\/([A-Za-z0-9.-]{1,100}(?::\d{1,5})?)(?:[/?#]|$)/.exec(typeof uri === "string" ? uri : "") ??
    [];
  const own = [parameterOf(node, "url"), parameterOf(node, "endpoint")].flatMap((value) => textsOf(value));
  return host !== undefined && own.some((text) => text.includes(`//${host}`)) ? host : null;
}
