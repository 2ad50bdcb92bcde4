/** What a tool may use where there are several n8n instances: each of them, by its name, and never two in one. */
import type { CallContext } from "../mcp/define-tool.ts";
import type { ToolContext } from "./tool-context.ts";

export interface InstancesContext extends CallContext {
  /** What a tool may use of one n8n. @param name as the settings have it */
  readonly of: (name: string) => ToolContext;
  /** Names of n8n instances that were given the same key. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly withOneKey: () => readonly (readonly string[])[];
}

/** The n8n instances that there are, and the tools that have to be told of which they are asked. */
export interface Instances {
  /** In the order of the setting; two or more. */
  readonly names: readonly string[];
  readonly toolsThatTakeOne: ReadonlySet<string>;
}
