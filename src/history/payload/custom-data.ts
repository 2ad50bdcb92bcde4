/**
 * The custom data of an execution as it passes by: its values are remembered like request ids, but only those that
 * redaction leaves standing. All of it is redacted whatever is asked for, so that a right guess at a secret costs
 * and tells what a wrong one does.
 */
import * as z from "zod";
import type { PayloadPlace } from "../../n8n/execution-walk.ts";
import type { Look } from "./look.ts";
import type { RedactLarge } from "./payload-search.ts";

/** n8n keeps ten values of 512 characters at most, so an execution with more holds something else. */
const MAX_CHARACTERS = 64 * 1024;

const redactedData = z.object({ customData: z.record(z.string(), z.unknown()) });

const isMember = ({ run, item, path }: PayloadPlace): boolean =>
  run === null && item === null && path.length === 2 && path[0] === "customData";

export class CustomData {
  readonly #members = new Map<string, string>();
  #characters = 0;

  see(value: string | number, place: PayloadPlace): void {
    if (!isMember(place)) return;
    const [key, text] = [String(place.path[1]), String(value)];
    this.#characters += key.length + text.length;
    if (this.#characters <= MAX_CHARACTERS) this.#members.set(key, text);
  }

  /** Work for when the execution has passed; null when it has no custom data. */
  work(redact: RedactLarge, look: Look): (() => Promise<void>) | null {
    if (this.#characters > MAX_CHARACTERS) look.missPart();
    if (this.#members.size === 0) return null;
    return async () => {
      const customData = Object.fromEntries(this.#members);
      const left = redactedData.safeParse(await redact({ customData })).data?.customData ?? {};
      for (const [key, value] of this.#members)
        if (Object.hasOwn(left, key) && left[key] === value) look.seeCustomValue(key, value);
    };
  }
}
