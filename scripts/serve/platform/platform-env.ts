/** Additional bindings under `npm run serve`. */
import type { HourlyTask } from "./hourly-task.ts";
import type { KeyValueStore } from "./key-value-store.ts";

export interface PlatformEnv extends Env {
  readonly HOURLY_TASK: DurableObjectNamespace<HourlyTask>;
  readonly RATE_LIMITS: unknown;
  readonly KEY_VALUE_STORE: DurableObjectNamespace<KeyValueStore>;
}
