/**
 * Finds dead links of the documentation: missing files, anchors and images, unknown commands, pages that the index does
 * not list, pictures that no page shows. Works offline: links to other sites are not checked.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import * as z from "zod";
import { ADMIN } from "../command-line/admin-commands.ts";
import { TOOLS } from "../command-line/tools-commands.ts";
import { readAnchors, readLinks } from "./markdown.ts";

const INDEX = join("docs", "README.md");
const manifest = z.object({ scripts: z.record(z.string(), z.string()) });
const SUBCOMMANDS = [ADMIN, TOOLS].flatMap(({ command, names }) =>
  Object.keys(names).map((name) => `${command} ${name}`),
);

/** @param directory the project @returns a line per fault, `file:line: what`; empty when all is well */
export function findDeadLinks(directory: string): string[] {
  const read = (file: string): string => readFileSync(join(directory, file), "utf8");
  const documents = globSync(["*.md", "docs/**/*.md"], { cwd: directory }).sort();
  const linked = new Set<string>();
  const faults = documents.flatMap((file) =>
    readLinks(read(file)).flatMap(({ target, line }) => {
      if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
      const [path = "", anchor] = target.split("#");
      const to = path === "" ? file : normalize(join(dirname(file), decodeURIComponent(path)));
      linked.add(to);
      if (file === INDEX) linked.add(`${INDEX} ${to}`);
      const fault = faultOf(directory, to, anchor);
      return fault === undefined ? [] : [`${file}:${line}: ${target}: ${fault}`];
    }),
  );
  return [
    ...faults,
    ...documents.flatMap((file) =>
      unknownCommands(file, read(file), manifest.parse(JSON.parse(read("package.json"))).scripts),
    ),
    ...documents
      .filter((file) => file.startsWith("docs") && file !== INDEX && !linked.has(`${INDEX} ${file}`))
      .map((file) => `${file}: ${INDEX} does not link to it`),
    ...globSync("docs/images/*", { cwd: directory })
      .filter((file) => !linked.has(file))
      .map((file) => `${file}: no page shows it`),
    ...namedInCode(directory, read),
  ];
}

function faultOf(directory: string, to: string, anchor: string | undefined): string | undefined {
  const file = join(directory, to);
  if (relative(directory, file).startsWith("..")) return "it lies outside of the project";
  if (!existsSync(file)) return "there is no such file";
  if (anchor === undefined || !to.endsWith(".md")) return undefined;
  return readAnchors(readFileSync(file, "utf8")).has(anchor) ? undefined : "there is no such heading";
}

function unknownCommands(file: string, text: string, scripts: Readonly<Record<string, string>>): string[] {
  // These documents name commands of earlier versions, too.
  if (["CHANGELOG.md", join("docs", "decisions.md"), join("docs", "upgrading.md")].includes(file)) return [];
  const known = new Set([...Object.keys(scripts).map((name) => `npm run ${name}`), ...SUBCOMMANDS]);
  const named = [...text.matchAll(/\bnpm run (?:(?:admin|tools) )?[a-z][\w:-]*/g)].map(
    ([command]) => command,
  );
  return [...new Set(named)]
    .filter((command) => !known.has(command))
    .map((command) => `${file}: ${command}: there is no such command`);
}

/** Faults in names of documents in code, given as a path or by `docsUrl(…)`. */
function namedInCode(directory: string, read: (file: string) => string): string[] {
  const files = globSync(["src/**/*.{ts,tsx}", "scripts/**/*.ts", ".dev.vars.example"], { cwd: directory });
  return files.flatMap((file) => {
    const text = read(file);
    const targets = [
      ...[...text.matchAll(/docsUrl\("([^"]+)"\)/g)].map(([, page = ""]) => `docs/${page}`),
      ...[...text.matchAll(/(?<![\w/.])docs\/[a-z0-9/-]+\.md/g)].map(([page]) => page),
    ];
    return [...new Set(targets)].flatMap((target) => {
      const [path = "", anchor] = target.split("#");
      const fault = faultOf(directory, normalize(path), anchor);
      return fault === undefined ? [] : [`${file}: ${target}: ${fault}`];
    });
  });
}
