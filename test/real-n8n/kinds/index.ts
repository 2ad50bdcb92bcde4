/** All kinds, in the order in which they are played: what ends n8n itself comes last. */
import { dataKinds } from "./data.ts";
import { httpKinds } from "./http.ts";
import type { PlannedKind } from "./stage.ts";

export const plannedKinds: readonly PlannedKind[] = [...dataKinds, ...httpKinds];
