/**
 * Calls to a Durable Object. A deployment, a move or a platform fault resets a running object. The caller then gets an
 * error that does not say whether the call was carried out: an idempotent call is retried, any other ends in an error
 * that says what to do next. Nothing else is retried: no error that the object itself throws, and no call to an object
 * that is overloaded or whose storage is full.
 * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
import { systemClock } from "./clock.ts";
import { interrupted, ObserverError } from "./errors.ts";
import { log } from "./log.ts";

/** Milliseconds before each retry. The first is immediate, so that calls keep their order: the object restarts at once. */
const PAUSES_MS = [0, 500];

/** A call through a stub; the stub is unusable once a call has failed. */
type Call<Stub, Result> = (stub: Stub) => Promise<Result>;

/** The calls to one object. They arrive in order as long as none fails. */
export class ObjectCalls<Stub extends object> {
  readonly #name: string;
  readonly #open: () => Stub;
  #stub: Stub | undefined;

  /** @param name for the operator's log */
  constructor(name: string, open: () => Stub) {
    this.#name = name;
    this.#open = open;
  }

  /** Makes an idempotent call. @throws ObserverError `INTERRUPTED` when no try completed */
  async repeatable<Result>(call: Call<Stub, Result>): Promise<Result> {
    return await this.#call(call, PAUSES_MS);
  }

  /** Makes a call at most once. @throws ObserverError `INTERRUPTED` when its outcome is unknown */
  async once<Result>(call: Call<Stub, Result>): Promise<Result> {
    return await this.#call(call, []);
  }

  async #call<Result>(call: Call<Stub, Result>, [pause, ...pauses]: readonly number[]): Promise<Result> {
    this.#stub ??= this.#open();
    const stub = this.#stub;
    try {
      return await call(stub);
    } catch (error) {
      if (this.#stub === stub) this.#stub = undefined;
      if (isStorageFull(error)) {
        log({ event: "storage_full", object: this.#name });
        throw storageFull();
      }
      if (says(error, "overloaded")) throw overloaded();
      if (!isInterruption(error)) throw error;
      console.warn(
        JSON.stringify({ event: "object_interrupted", object: this.#name, triesAgain: pause !== undefined }),
      );
      if (pause === undefined)
        throw interrupted("The server was updated in the middle of this call.", { retryAfter: 1 });
    }
    if (pause > 0) await systemClock.sleep(pause);
    return await this.#call(call, pauses);
  }
}

const says = (error: unknown, mark: string): boolean =>
  error instanceof Error && Reflect.get(error, mark) === true;

/**
 * Reads workerd's marks on an error. `retryable`: the connection was lost. `durableObjectReset`: the object was ended;
 * during a call this is the only mark. `overloaded`: another call would make it worse.
 */
const isInterruption = (error: unknown): boolean =>
  says(error, "retryable") || says(error, "durableObjectReset");

/** Whether the machine's disk is full, or the object has reached Cloudflare's limit. */
const isStorageFull = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("SQLITE_FULL");

/** Reads still work. */
export class StorageFull extends ObserverError {}

export const storageFull = (): StorageFull =>
  new StorageFull("TOOL_EXECUTION_FAILED", "The storage of this server is full.", {
    solution:
      "Whoever runs the server makes room on its disk, then call again. A lower INDEX_MAX_EXECUTIONS keeps the history index smaller.",
  });

const overloaded = (): ObserverError =>
  new ObserverError("RATE_LIMITED", "Too many calls wait for this server.", {
    retryAfter: 10,
    solution: "Wait 10 seconds, then call again, one call after the other.",
  });
