/**
 * What a trace or search has read itself, call after call. It looks for something in the payload of executions, of
 * which no row tells, so that it reads all of them whatever is known. Pure.
 */
import * as z from "zod";
import type { Scope } from "../store/known-stretches.ts";
import { type Stretch, union } from "../store/stretches.ts";
import { isNewer } from "../store/traced-execution.ts";

const stretch = z.object({ high: z.string(), low: z.string(), isBottom: z.boolean() });

export const ownStretches = z.object({
  /** Need not be listed again: nothing can have been missed in them. */
  settled: z.array(stretch),
  /** Their executions need not be read again. */
  read: z.array(stretch),
  epoch: z.number(),
  scope: z.enum(["listed", "hidden"]),
  /** Digest of the view that it was read with: what that hides was passed over. */
  view: z.string().default(""),
});
export type OwnStretches = z.infer<typeof ownStretches>;

export class OwnReading {
  #stretches: OwnStretches;

  /** @param view digest of what the caller may see now */
  constructor(stretches: OwnStretches, view: string) {
    this.#stretches = stretches.view === view ? stretches : { ...stretches, settled: [], read: [], view };
  }

  get stretches(): OwnStretches {
    return this.#stretches;
  }

  /** What was read of another history, or under another scope, does not count. */
  open(epoch: number, scope: Scope): OwnStretches {
    if (this.#stretches.epoch !== epoch || this.#stretches.scope !== scope)
      this.#stretches = { ...this.#stretches, settled: [], read: [], epoch, scope };
    return this.#stretches;
  }

  claim(kind: "settled" | "read", claimed: Stretch): void {
    this.#stretches = { ...this.#stretches, [kind]: joined(this.#stretches[kind], claimed) };
  }
}

const touches = (one: Stretch, other: Stretch): boolean =>
  !isNewer(other.low, one.high) && !isNewer(one.low, other.high);

function joined(stretches: readonly Stretch[], claimed: Stretch): Stretch[] {
  const touching = stretches.filter((one) => touches(one, claimed));
  return [...stretches.filter((one) => !touches(one, claimed)), union([claimed, ...touching])];
}
