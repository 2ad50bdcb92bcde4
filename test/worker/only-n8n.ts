/** The n8n of settings that have one. */
import { type N8nInstance, readInstances } from "../../src/settings/index.ts";

export function onlyN8nOf(settings: Env): N8nInstance {
  const [instance] = readInstances(settings).values();
  if (instance === undefined) throw new Error("The settings have no n8n.");
  return instance;
}
