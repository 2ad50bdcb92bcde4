/**
 * Edits the text of an env file, such as .dev.vars, line by line. Promises: all other content stays unchanged; each
 * setting occurs once; wrangler and Node read back exactly the written value. Pure.
 */

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;
const PLAIN = /^[A-Za-z0-9_.:/@%+,-]+$/;

/** Characters that cannot stand in an env file unchanged, even within quotes: dotenv expands `$NAME`. */
const NEVER_QUOTED = /['$\r\n\\]/;

/** True if the value can be written so that it is read back unchanged. */
export function canBeWritten(value: string): boolean {
  return !NEVER_QUOTED.test(value) && value === value.trim();
}

function toLine(name: string, value: string): string {
  if (!canBeWritten(value)) throw new TypeError(`The value of ${name} cannot be written into an env file.`);
  return `${name}=${PLAIN.test(value) || value === "" ? value : `'${value}'`}`;
}

/** Sets each setting: in place if it exists already, else at the end. */
export function withSettings(text: string, settings: Readonly<Record<string, string>>): string {
  const values = new Map(Object.entries(settings));
  const written = new Set<string>();
  const lines: string[] = [];
  for (const { name = "", source } of statements(text)) {
    const value = values.get(name);
    if (value === undefined) lines.push(...source);
    else if (!written.has(name)) lines.push(toLine(name, value));
    if (value !== undefined) written.add(name);
  }
  while (lines.at(-1) === "") lines.pop();
  const added = [...values].filter(([name]) => !written.has(name));
  lines.push(...added.map(([name, value]) => toLine(name, value)));
  return `${lines.join("\n")}\n`;
}

interface Statement {
  /** The setting's name; none for other lines. */
  readonly name?: string;
  /** Its lines: a quoted value may take several. */
  readonly source: readonly string[];
}

function statements(text: string): Statement[] {
  const lines = text.split(/\r?\n/);
  const found: Statement[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const [, name, rest = ""] = ASSIGNMENT.exec(line) ?? [];
    const length = name === undefined ? 1 : lineCount(rest, lines.slice(at + 1));
    const source = lines.slice(at, at + length);
    found.push(name === undefined ? { source } : { name, source });
    at += length;
  }
  return found;
}

/** How many lines an assignment takes: one if its quote is never closed, as dotenv reads it. */
function lineCount(rest: string, following: readonly string[]): number {
  const quote = /^\s*(['"`])/.exec(rest)?.[1];
  if (quote === undefined) return 1;
  const afterQuote = rest.slice(rest.indexOf(quote) + 1);
  if (closes(afterQuote, quote)) return 1;
  const end = following.findIndex((line) => closes(line, quote));
  return end === -1 ? 1 : end + 2;
}

function closes(text: string, quote: string): boolean {
  return text.replace(/\\./g, "").includes(quote);
}
