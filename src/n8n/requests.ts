/**
 * Requests to n8n. Read-only is a property of these types: the only method is GET, to one fixed base URL, and a
 * redirect is never followed, so that the key goes nowhere else. `fetch` to n8n is called here and nowhere else.
 *
 * A request holds a slot from its sending until n8n has sent the whole answer, even when it fails. Every answer is
 * read within size limits and a timeout, and is released on every path.
 */
import type * as z from "zod";
import { interrupted, type ObserverError } from "../platform/errors.ts";
import { outcomeOfError, type Span, type Spans, WITHOUT_SPANS } from "../platform/spans.ts";
import { LEAST_REQUEST_MS, LONGEST_REQUEST_MS, REQUEST_MS } from "../platform/time-limits.ts";
import type { N8nSettings } from "../settings/index.ts";
import { AnswerBody } from "./answer-body.ts";
import type { ApiPath } from "./api-path.ts";
import { isTransient, type Retrying, withRetries } from "./back-off.ts";
import { isJson, isRefusalOfN8n } from "./in-front.ts";
import {
  type Endpoint,
  retryAfterSeconds,
  toBadResponse,
  toStatusError,
  toTextError,
  toTransportError,
} from "./n8n-errors.ts";
import { PIECE_BYTES, readAhead } from "./read-ahead.ts";
import {
  atMost,
  endedOnce,
  SharedTurn,
  type Slot,
  slotsOf,
  type TakeSlot,
  type TakeTurn,
  takeSlotAtOnce,
  turnsOf,
} from "./slot.ts";

export type N8nAccess = Pick<N8nSettings, "baseUrl" | "apiKey"> &
  Partial<Pick<N8nSettings, "apiPath" | "headers">> & {
    /** The key is the caller's own, so that only they can replace it. */
    readonly isOwnKey?: boolean;
  };

/** The part of `fetch` that we use. Tests pass their own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface RequestOptions {
  /** Longest time for the slot and the whole answer, in milliseconds; none is longer than `LONGEST_REQUEST_MS`. */
  readonly timeoutMs?: number | undefined;
  /** Awaited after each piece of an answer, before the next one is passed on. */
  readonly afterPiece?: (() => Promise<void>) | undefined;
  /** Called before each attempt, after the wait for a slot. */
  readonly beforeTry?: (() => void) | undefined;
}

export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** How requests are sent, limited, retried and counted. */
export interface RequestEnvironment {
  /** Defaults to the platform's own. */
  readonly fetch?: Fetch | undefined;
  readonly countBytes?: ((bytes: number) => void) | undefined;
  readonly countRequest?: (() => void) | undefined;
  readonly takeSlot?: TakeSlot | undefined;
  readonly takeTurn?: TakeTurn | undefined;
  /** When it aborts, all requests fail with `INTERRUPTED`, including requests in flight. */
  readonly abandoned?: AbortSignal | undefined;
  readonly spans?: Spans | undefined;
  /** Undefined for a reader that handles failures itself. */
  readonly retrying?: Retrying | undefined;
}

export interface N8nRequest {
  readonly path: ApiPath;
  readonly parameters?: QueryParameters | undefined;
  readonly endpoint: Endpoint;
  readonly options: RequestOptions;
  /** The answer is received ahead of its reader, so that the slot is free as soon as n8n has sent everything. */
  readonly isReadAhead?: boolean;
  /** The answer is passed on while it arrives, so the request is not retried once that has begun. */
  readonly isStreamed?: boolean;
}

/** Reads only as much of an answer as it needs. Its errors count as bad answers from n8n. */
type Consume<T> = (body: AsyncIterable<Uint8Array>) => Promise<T>;

type RequestSpan = Span<"n8n_observer.n8n_request">;

type UseBody<T> = (body: AnswerBody, span: RequestSpan, slot: Slot) => Promise<T>;

/** n8n's own default: `N8N_PUBLIC_API_ENDPOINT` is `api`. */
const DEFAULT_API_PATH = "/api/v1";
/** n8n's lists without data are far smaller. */
const MAX_SMALL_ANSWER_BYTES = 8 * 1024 * 1024;

/** Throws `ObserverError` with the `N8N_…` codes, the requested resource's not-found code, or `RATE_LIMITED`. */
export class N8nRequests {
  readonly #access: N8nAccess;
  readonly #environment: RequestEnvironment;
  readonly #takeSlot: TakeSlot;
  readonly #takeTurn: TakeTurn;
  readonly #spans: Spans;

  constructor(access: N8nAccess, environment: RequestEnvironment = {}) {
    this.#access = access;
    this.#environment = environment;
    const { takeTurn } = environment;
    this.#takeSlot = environment.takeSlot ?? (takeTurn === undefined ? takeSlotAtOnce : slotsOf(takeTurn));
    this.#takeTurn = takeTurn ?? turnsOf(this.#takeSlot);
    this.#spans = environment.spans ?? WITHOUT_SPANS;
  }

  with(other: RequestEnvironment): N8nRequests {
    return new N8nRequests(this.#access, { ...this.#environment, ...other });
  }

  /** A shared turn for requests that belong together, and a sender that takes its slots from that turn. */
  sharingTurn(): { readonly requests: N8nRequests; readonly turn: SharedTurn } {
    const turn = new SharedTurn(this.#takeSlot, this.#takeTurn);
    return { requests: this.with({ takeSlot: turn.take, takeTurn: this.#takeTurn }), turn };
  }

  /** A sender with at most `most()` concurrent requests; requests that share a turn are exempt. */
  atMost(most: () => number): N8nRequests {
    return this.with({ takeSlot: atMost(most, this.#takeSlot), takeTurn: this.#takeTurn });
  }

  /** A small answer, held as a whole. @throws ObserverError `N8N_BAD_RESPONSE` when it does not match the schema */
  async readJson<T extends z.ZodType>(request: N8nRequest, schema: T): Promise<z.infer<T>> {
    return await this.readText(request, (text) => schema.parse(JSON.parse(text)));
  }

  /** A small answer, parsed by a function that throws on an unexpected answer. */
  async readText<T>(request: N8nRequest, parse: (text: string) => T): Promise<T> {
    return await this.#read(request, async (body, span) => parse(await this.#smallText(body, span)));
  }

  async read<T>(request: N8nRequest, consume: Consume<T>): Promise<T> {
    return await this.#read(request, async (body, span, slot) => {
      if (request.isReadAhead !== true) return await consume(this.#counted(body, span));
      return await consume(readAhead(this.#counted(body, span, PIECE_BYTES), slot.end));
    });
  }

  /** All attempts together stay within the timeout of one. */
  async #read<T>(request: N8nRequest, use: UseBody<T>): Promise<T> {
    const { retrying } = this.#environment;
    if (retrying === undefined) return await this.#readOnce(request, use);
    const timeoutMs = timeoutMsOf(request.options);
    const deadline = retrying.clock.now() + timeoutMs;
    let hasBegun = false;
    const ask = async (): Promise<T> => {
      const leftMs = Math.max(LEAST_REQUEST_MS, deadline - retrying.clock.now());
      const options = { ...request.options, timeoutMs: Math.min(timeoutMs, leftMs) };
      return await this.#readOnce({ ...request, options }, async (...body) => {
        hasBegun = true;
        return await use(...body);
      });
    };
    const isRetryable = (error: unknown): error is ObserverError =>
      isTransient(error) && !(hasBegun && request.isStreamed === true);
    return await withRetries(ask, retrying, deadline, isRetryable);
  }

  async #readOnce<T>(request: N8nRequest, use: UseBody<T>): Promise<T> {
    return await this.#spans.enter("n8n_observer.n8n_request", async (span) => {
      span.set({ "n8n.scope": request.endpoint.scope });
      try {
        const read = await this.#readInSlot(request, use, span);
        span.set({ "n8n.outcome": "success" });
        return read;
      } catch (error) {
        span.set({ "n8n.outcome": outcomeOfError(error) });
        throw error;
      }
    });
  }

  async #readInSlot<T>(request: N8nRequest, use: UseBody<T>, span: RequestSpan): Promise<T> {
    this.#throwIfAbandoned();
    const timeoutMs = timeoutMsOf(request.options);
    const began = Date.now();
    const slot = endedOnce(await this.#takeSlot(timeoutMs));
    span.set({ "n8n.waited_ms": Date.now() - began });
    // However long the wait for the slot, n8n gets the minimum time to answer, unless the caller allows less.
    const leftMs = Math.max(LEAST_REQUEST_MS, timeoutMs - (Date.now() - began));
    try {
      request.options.beforeTry?.();
      const inSlot = async (body: AnswerBody): Promise<T> => await use(body, span, slot);
      return await this.#readWithin(Math.min(timeoutMs, leftMs), request, slot, inSlot);
    } finally {
      slot.end();
    }
  }

  async #readWithin<T>(
    timeoutMs: number,
    request: N8nRequest,
    slot: Slot,
    consume: (body: AnswerBody) => Promise<T>,
  ): Promise<T> {
    const { abandoned } = this.#environment;
    // Not `AbortSignal.timeout`: its timer would keep a Durable Object awake long after the answer.
    const controller = new AbortController();
    const timeIsOver = (): void => controller.abort(new DOMException("Time is over.", "TimeoutError"));
    const timer = setTimeout(timeIsOver, timeoutMs);
    const abandon = (): void => controller.abort(abandonedByCaller());
    abandoned?.addEventListener("abort", abandon);
    try {
      this.#throwIfAbandoned();
      const body = await this.#open(request, controller.signal, slot);
      try {
        return await consume(body);
      } finally {
        await body.release();
      }
    } catch (error) {
      throw toTransportError(error, timeoutMs);
    } finally {
      clearTimeout(timer);
      abandoned?.removeEventListener("abort", abandon);
    }
  }

  #throwIfAbandoned(): void {
    if (this.#environment.abandoned?.aborted === true) throw abandonedByCaller();
  }

  async #smallText(body: AnswerBody, span: RequestSpan): Promise<string> {
    if (body.length > MAX_SMALL_ANSWER_BYTES) {
      const { text, isWhole } = await textOf(this.#counted(body, span), MAX_SMALL_ANSWER_BYTES);
      if (isWhole) return text;
      throw toBadResponse("it is far larger than such an answer can be");
    }
    const text = await body.text();
    this.#environment.countBytes?.(body.length);
    span.set({ "n8n.bytes_read": body.length });
    return text;
  }

  async *#counted(body: AnswerBody, span: RequestSpan, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const piece of body.pieces(pieceBytes)) {
        this.#environment.countBytes?.(piece.length);
        bytes += piece.length;
        yield piece;
      }
    } finally {
      span.set({ "n8n.bytes_read": bytes });
    }
  }

  /** Sends the request. The caller must release the body. */
  async #open(
    { path, parameters = {}, endpoint }: N8nRequest,
    signal: AbortSignal,
    slot: Slot,
  ): Promise<AnswerBody> {
    const {
      baseUrl,
      apiKey,
      apiPath: root = DEFAULT_API_PATH,
      headers = {},
      isOwnKey = false,
    } = this.#access;
    const url = `${baseUrl}${root}${path}${toQuery(parameters)}`;
    const send = this.#environment.fetch ?? platformFetch;
    this.#environment.countRequest?.();
    const response = await send(url, {
      method: "GET",
      redirect: "manual",
      // Names in lower case, like those from the setting: `fetch` would send both of two spellings.
      headers: { ...headers, "x-n8n-api-key": apiKey, accept: "application/json" },
      signal,
    });
    const body = new AnswerBody(response, signal);
    if (response.status === 200 && isJson(response)) return body;
    const refusal = await readRefusalAndRelease(response.status, body);
    if (response.status === 200) throw toTextError(refusal);
    const pause = retryAfterSeconds(response);
    // n8n limits each key separately: when a person's own key is at its limit, n8n still answers everybody else.
    const isLimitOfOwnKey = isOwnKey && response.status === 429 && isRefusalOfN8n(response, refusal);
    if (pause !== undefined && !isLimitOfOwnKey) await slot.pause(pause);
    throw toStatusError(response, endpoint, url, refusal, isOwnKey);
  }
}

const timeoutMsOf = ({ timeoutMs = REQUEST_MS.usual }: RequestOptions): number =>
  Math.min(LONGEST_REQUEST_MS, timeoutMs);

/** Looked up at each call, because tests replace the global `fetch`. */
const platformFetch: Fetch = (url, init) => fetch(url, init);

/** The text up to and including the piece that exceeds `most` bytes. */
async function textOf(pieces: AsyncIterable<Uint8Array>, most: number) {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    bytes += piece.length;
    if (bytes > most) return { text, isWhole: false };
  }
  return { text: text + decoder.decode(), isWhole: true };
}

const abandonedByCaller = (): ObserverError => interrupted("The caller stopped waiting for n8n's answer.");

/** n8n's refusals are one sentence; a longer body is not from n8n. */
const MAX_REFUSAL_BYTES = 4 * 1024;

/** Answers whose body tells who refused, and why. */
const TOLD = new Set([200, 400, 401, 403, 404, 429]);

/** The beginning of the body; empty for any other status. */
async function readRefusalAndRelease(status: number, body: AnswerBody): Promise<string> {
  try {
    return TOLD.has(status) ? (await textOf(body.pieces(), MAX_REFUSAL_BYTES)).text : "";
  } finally {
    await body.release();
  }
}

function toQuery(parameters: QueryParameters): string {
  // A lone surrogate in a caller's value is replaced, as `URLSearchParams` does.
  const members = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value).toWellFormed())}`],
  );
  return members.length === 0 ? "" : `?${members.join("&")}`;
}
