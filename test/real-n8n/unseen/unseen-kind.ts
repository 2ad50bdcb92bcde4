/**
 * Kinds that nobody had in view who wrote the rules, each with what a true explanation says, written down before any
 * was explained.
 */
import type { CauseId } from "../../../src/executions/causes/fact.ts";
import type { PlannedKind } from "../kinds/stage.ts";
import type { ScriptedModel } from "../scripted-model.ts";
import type { OddServices } from "./odd-services.ts";

export interface Expected {
  /** Where it began, any of them. */
  readonly roots: readonly string[];
  /** Where it shows. */
  readonly symptoms?: readonly string[];
  /** Each in the first or second sentence. */
  readonly says: readonly RegExp[];
  readonly alsoSays?: readonly RegExp[];
  readonly neverSays?: readonly RegExp[];
  /** Any of them, as cause of the first finding. */
  readonly causes: readonly CauseId[];
}

export interface UnseenKind extends PlannedKind {
  /** Of failures and silent successes. */
  readonly expected?: Expected;
}

export interface UnseenParts {
  readonly odd: OddServices;
  readonly model: ScriptedModel;
  /** The newest agent that this n8n has. */
  readonly agentVersion: number;
}
