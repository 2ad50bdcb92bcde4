/** Faults of n8n: one kind at a time, each for a while. The fault in force answers in n8n's place. */
import { failure, jsonAnswer } from "../../support/fake-n8n.ts";
import { type LivingN8n, MINUTE_MS, SECOND_MS } from "./living-n8n.ts";

export const KINDS = ["errors", "broken", "key", "silent", "slow", "rate", "proxy"] as const;
type Kind = (typeof KINDS)[number];

const HTML = "<html><body>502 Bad Gateway</body></html>";

export class Faults {
  readonly #n8n: LivingN8n;
  #kind: Kind | null = null;
  /** Epoch ms. */
  #until = 0;
  /** Kinds that have occurred. */
  readonly seen = new Set<string>();

  constructor(n8n: LivingN8n) {
    this.#n8n = n8n;
  }

  /** Begins a fault now and then; to be called regularly. */
  maybeBegin(longestMs: number): void {
    const { random } = this.#n8n;
    if (this.#kind !== null || !this.#n8n.chance(0.04)) return;
    this.begin(random.pick(KINDS), random.below(longestMs));
  }

  begin(kind: Kind, milliseconds: number): void {
    this.#kind = kind;
    this.#until = this.#n8n.clock.time + milliseconds;
  }

  end(): void {
    this.#kind = null;
  }

  /** The answer of the fault in force, if it has one. Advances the clock. */
  async answer(url: URL): Promise<Response | undefined> {
    const { random, clock, isDown } = this.#n8n;
    if (this.#kind !== null && clock.time >= this.#until) this.end();
    clock.time += 5 + random.below(this.#kind === "slow" ? 9 * SECOND_MS : 300);
    if (isDown) {
      this.seen.add("down");
      throw new TypeError("connect ECONNREFUSED");
    }
    if (this.#kind === null) return undefined;
    const answer = this.#answerOf(this.#kind, url);
    if (answer !== undefined || this.#kind === "slow") this.seen.add(this.#kind);
    return answer;
  }

  #answerOf(kind: Kind, url: URL): Response | undefined {
    const { clock } = this.#n8n;
    const often = this.#n8n.chance(0.5);
    if (kind === "key") return failure(401);
    if (kind === "errors") return often ? failure(500) : undefined;
    if (kind === "proxy")
      return often ? new Response(HTML, { headers: { "content-type": "text/html" } }) : undefined;
    if (kind === "rate") return often ? failure(429, { "retry-after": "2" }) : undefined;
    if (kind === "broken")
      return often && url.searchParams.has("includeData") ? jsonAnswer('{"data":[{"id":"1","da') : undefined;
    if (kind === "silent" && often) {
      this.seen.add(kind);
      clock.time += 25 * SECOND_MS;
      throw new DOMException("The operation timed out.", "TimeoutError");
    }
    return undefined;
  }
}

export const LONGEST_FAULT_MS = 25 * MINUTE_MS;
