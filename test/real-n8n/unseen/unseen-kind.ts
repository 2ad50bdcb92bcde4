/**
 * Kinds unknown to the authors of the rules, each with the content of a true explanation, written down before any
 * was explained.
 */
import type { CauseId } from "../../../src/executions/causes/fact.ts";
import type { PlannedKind } from "../kinds/stage.ts";
import type { ScriptedModel } from "../scripted-model.ts";
import type { OddServices } from "./odd-services.ts";

export interface Expected {
  /** Possible root nodes. */
  readonly roots: readonly string[];
  /** The node at which it shows. */
  readonly symptoms?: readonly string[];
  /** All have to match the first or second sentence. */
  readonly says: readonly RegExp[];
  readonly alsoSays?: readonly RegExp[];
  readonly neverSays?: readonly RegExp[];
  /** Possible causes of the first finding. */
  readonly causes: readonly CauseId[];
}

export interface UnseenKind extends PlannedKind {
  /** The truth about failures and silent successes. */
  readonly expected?: Expected;
}

export interface UnseenParts {
  readonly odd: OddServices;
  readonly model: ScriptedModel;
  /** The newest agent version of this n8n. */
  readonly agentVersion: number;
}
