/** Loads a library from the folder where the lane installed it, as it is no dependency of the project. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import type { InstalledClients } from "./install.ts";

/**
 * A class or function exported by a module.
 * @throws when there is none. Its signature is not checked: a wrong one fails when the lane calls it.
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
