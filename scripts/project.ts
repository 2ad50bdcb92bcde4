/** Paths in this project, so that commands work from any current folder. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));

export function inProject(...path: string[]): string {
  return join(projectDirectory, ...path);
}
