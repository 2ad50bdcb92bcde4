/**
 * Fact: for an HTTP call `error.httpCode` is the status, or the system's code if there was no answer; causes are in
 * `error.messages[]` (time-outs say only "perhaps offline" in `message`), target and limit in
 * `error.context.request.{method, uri, timeout}`. Certificate errors show only by messages of n8n and OpenSSL.
 */
import { lengthOf, partOf } from "../../../json/members.ts";
import { Omitted, type ReadValue } from "../../../json/omitted.ts";
import type { NodeError } from "../../../n8n/schemas.ts";
import { isObject } from "../../../platform/is-object.ts";
import { ERROR_CODES } from "../../error-facts.ts";
import { OTHER, toErrorFacts } from "../../error-sentence.ts";
import { meaningIn } from "../error-meanings.ts";
import { codeInWords, statusInWords, WRITTEN_CODE } from "../error-words.ts";
import { parameterOf } from "../execution-view.ts";
import type { Fact, FactOf } from "../fact.ts";
import { textsOf } from "../field-references.ts";
import {
  allTextsOf,
  type Failed,
  firstCapture,
  isOfClass,
  isThrown,
  itemIndexOf,
  matchesAny,
  onFailed,
} from "../rule.ts";
import { saidTexts } from "../said.ts";
import { valuesBelow } from "../values-below.ts";
import { type Called, type CertificateFault, isBody } from "../wording/clauses.ts";
import type { FixedKind } from "../wording/fixed-clauses.ts";
import { throwsItself } from "./code.ts";
import { knownServiceMessage } from "./in-own-words.ts";

const TIMED_OUT = /^timeout of (\d{1,9})ms exceeded/;
/** The last one is n8n's own message in place of the cause. */
const CERTIFICATES: readonly (readonly [fault: CertificateFault, form: RegExp])[] = [
  ["self-signed", /^(?:Error: )?self[- ]signed certificate/i],
  ["expired", /^(?:Error: )?certificate has expired/i],
  ["another host", /^(?:Error: )?Hostname\/IP does not match certificate's altnames/i],
  ["issuer", /^(?:Error: )?unable to (?:verify the first|get (?:local )?issuer) certificate/i],
  ["unknown", /^SSL Issue: consider using/],
];
/** The first form is Node.js's, for HTTP; the second is OpenSSL's, for mail and databases. */
const NO_TLS = /^(?:write EPROTO .*|[0-9A-F]{1,20}:error:.*):wrong version number:/;
const SDK_NODES = /^@n8n\/n8n-nodes-langchain\.(?:lm|embeddings)/;
/** Vector stores, memories, tools and readers of documents call services of their own. */
const MODEL =
  /^@n8n\/n8n-nodes-langchain\.(?!vectorStore|memory|tool|retriever|document|mcp|chat|code\b|outputParser)/;
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
  const written = firstCapture([error.description ?? ""], WRITTEN_CODE) ?? "";
  const known = ERROR_CODES.has(written) ? written : given === OTHER ? null : given;
  const limit = firstCapture(texts, TIMED_OUT);
  if (limit !== undefined && httpCode === null) return timedOut(failed, limit);
  const called = calledBy(failed);
  if (matchesAny(texts, NO_TLS))
    return {
      kind: texts.some((text) => text.startsWith("write")) ? "certificate.no_tls" : "certificate.plain",
      ...called,
    };
  const fault = certificateFault(error, httpCode, texts);
  if (fault !== undefined) return { kind: "certificate", ...called, fault };
  const contentType = parameterOf(failed.node, "contentType");
  const refused = (status: string): Fact => ({
    kind: called.isModel ? "model" : "http_status",
    ...called,
    status,
    says: beyondStatus(status, saidTexts(error)),
    listOf: longestList(partOf(error, "context", "request", "body")),
    done: itemIndexOf(error) ?? 0,
    // An agent's model, another node, holds the credential.
    hasCredential: called.isModel || failed.node?.credentials !== undefined,
    bodyAs: isBody(contentType) ? contentType : null,
  });
  if (httpCode !== null) return [refused(httpCode), ...knownServiceMessage(failed)];
  const inMessage = statusInMessage(failed, texts);
  if (inMessage !== null) return refused(inMessage);
  const inWords = isThrown(error) ? null : codeInWords(texts);
  const code = known === null || GENERAL.has(known) ? (inWords ?? known) : known;
  if (code !== null) {
    const kind = ERROR_CODES.has(code) ? KIND_OF_CODE.find(({ codes }) => codes.test(code))?.kind : undefined;
    // A code that was derived from words may be that of another database.
    const isGiven = code === known || texts.some((text) => text.includes(code));
    return kind === undefined ? null : { kind, ...called, code, isGiven };
  }
  const status = isThrown(error) ? null : statusInWords(texts);
  return status === null ? null : { kind: "http_status.unnumbered", ...called, status };
});

function certificateFault(error: NodeError, httpCode: string | null, texts: readonly string[]) {
  if (httpCode !== null || isThrown(error)) return undefined;
  const fault = CERTIFICATES.find(([, form]) => matchesAny(texts, form))?.[0];
  return fault ?? (isOfClass(error, "NodeSslError") ? "unknown" : undefined);
}

/** The kinds that each status implies: repeated in the answer's text, they add nothing. */
const SAID_BY_STATUS: Readonly<Record<string, RegExp>> = {
  400: /^invalid_request\.form/,
  401: /^(?:denied(?!\.row_policy)|credential)/,
  402: /^limit\.quota/,
  403: /^denied(?!\.(?:signature|row_policy))/,
  404: /not_found/,
  408: /^timeout/,
  409: /changed/,
  413: /^limit\.size/,
  415: /unsupported/,
  429: /^limit\.rate/,
  502: /^(?:connection|node_failed|timeout)/,
  503: /^(?:connection|node_failed|timeout)/,
  504: /^timeout/,
};

function beyondStatus(status: string, said: readonly string[]): FixedKind | null {
  const kind = meaningIn(said);
  return kind === null || SAID_BY_STATUS[status]?.test(kind) === true ? null : kind;
}

function longestList(body: unknown): number | null {
  const lists = [body, ...(isObject(body) ? Object.values(body) : [])].map((value) =>
    Array.isArray(value) || value instanceof Omitted ? (lengthOf(value) ?? 0) : 0,
  );
  const longest = Math.max(...lists);
  return longest > 1 ? longest : null;
}

/** A status in a library's own message format; for code, only if it calls that library and throws nothing itself. */
function statusInMessage(failed: Failed, texts: readonly string[]): string | null {
  const { error, node } = failed;
  const statusBy = (form: RegExp): string | null => firstCapture(texts, form) ?? null;
  if (isOfClass(error, "AxiosError")) {
    const own = textsOf(node?.parameters);
    const isCalling = own.some((text) => CALLS_BY_CODE.test(text));
    const isMade = throwsItself(failed) || own.some((text) => /\breject\b/.test(text));
    return isCalling && !isMade ? statusBy(AXIOS) : null;
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

const hasNumber = (parameters: ReadValue | undefined, number: string): boolean =>
  valuesBelow(parameters, Number.POSITIVE_INFINITY).some(([, value]) =>
    typeof value === "string"
      ? [...value.matchAll(/\d+/g)].some(([digits]) => digits === number)
      : typeof value === "number" && String(value) === number,
  );

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
