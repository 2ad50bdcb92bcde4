/** Libraries of the lane are not among the project's own: they are loaded from where they were installed. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import type { InstalledClients } from "./install.ts";

/**
 * A class or function of a module, by its name.
 * @throws when there is none. That it takes what `Export` says is this lane's to see: it calls it.
 */
export async function exportOf<Export>(
  { directory }: InstalledClients,
  path: string,
  name: string,
): Promise<Export> {
  const loaded: unknown = await import(pathToFileURL(join(directory, "node_modules", path)).href);
  const found: unknown = Reflect.get(Object(loaded), name);
  return z.custom<Export>((value) => typeof value === "function", `${path} has no ${name}`).parse(found);
}
