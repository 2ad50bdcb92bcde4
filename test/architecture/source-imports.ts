/** Reads the imports of each file of `src`, and recognizes those that disappear when types are stripped. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";

const sourceDirectory = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "src");

export interface SourceImport {
  /** Relative to src. */
  readonly file: string;
  /** Relative to src, or the name of a library. */
  readonly target: string;
  readonly isLibrary: boolean;
  /** True when nothing of it remains at run time. */
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export async function readSourceFiles(): Promise<SourceFile[]> {
  const names = await readdir(sourceDirectory, { recursive: true });
  const paths = names
    .filter((name) => /(?<!\.d)\.tsx?$/.test(name))
    .map((name) => name.split(sep).join(posix.sep));
  return await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(sourceDirectory, path), "utf8") })),
  );
}

const STATEMENT = /^(?:import|export)\s+([^;"]*?)\s*from\s+"([^"]+)"/gm;
const SIDE_EFFECT = /^import\s+"([^"]+)"/gm;
const DYNAMIC = /\bimport\(\s*"([^"]+)"\s*\)/g;

/** True for `type …` before the clause or before every name in braces. */
function isTypeClause(clause: string): boolean {
  if (clause.startsWith("type ")) return true;
  const names = /^\{([\s\S]*)\}$/.exec(clause)?.[1];
  if (names === undefined) return false;
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .every((name) => name.startsWith("type "));
}

export function importsOf({ path, text }: SourceFile): SourceImport[] {
  const statements = [...text.matchAll(STATEMENT)].map(([, clause = "", specifier = ""]) => ({
    specifier,
    isTypeOnly: isTypeClause(clause),
  }));
  const bare = [...text.matchAll(SIDE_EFFECT), ...text.matchAll(DYNAMIC)].map(([, specifier = ""]) => ({
    specifier,
    isTypeOnly: false,
  }));
  return [...statements, ...bare].map(({ specifier, isTypeOnly }) => ({
    file: path,
    target: specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : libraryOf(specifier),
    isLibrary: !specifier.startsWith("."),
    isTypeOnly,
  }));
}

/** The package name of a specifier, without the path inside the package. */
function libraryOf(specifier: string): string {
  if (/^(node|cloudflare):/.test(specifier)) return specifier;
  const [first = "", second = ""] = specifier.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
