/** All kinds in the order of play; those that end n8n itself come last. */
import { comparedKinds } from "./compared.ts";
import { dataKinds } from "./data.ts";
import { crashKind, flowKinds } from "./flow.ts";
import { httpKinds } from "./http.ts";
import { ordinaryKinds } from "./ordinary.ts";
import { silentKinds } from "./silent.ts";
import type { PlannedKind } from "./stage.ts";
import { systemKinds } from "./systems.ts";

export const plannedKinds: readonly PlannedKind[] = [
  ...dataKinds,
  ...httpKinds,
  ...flowKinds,
  ...systemKinds,
  ...comparedKinds,
  ...silentKinds,
  ...ordinaryKinds,
  crashKind,
];
