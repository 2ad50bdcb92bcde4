/** Reads the links, the anchors and the fenced blocks of a Markdown document. Pure. */

export interface Fence {
  /** The word behind the fence: `sh`, `json`; empty without one. */
  readonly language: string;
  readonly text: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
}

export interface Link {
  /** As it is written. */
  readonly target: string;
  /** From 1. */
  readonly line: number;
}

interface Parts {
  readonly fences: readonly Fence[];
  /** The document with every line of a fenced block empty, so that lines keep their numbers. */
  readonly prose: readonly string[];
}

const OPENING = /^\s*(`{3,}|~{3,})\s*([\w-]*)/;

/** Blocks may be indented, as in lists; their text loses the indentation of the opening fence. */
export function readParts(document: string): Parts {
  const fences: Fence[] = [];
  const prose: string[] = [];
  let open: { mark: string; language: string; line: number; indent: number; lines: string[] } | undefined;
  for (const [index, line] of document.split("\n").entries()) {
    const [, mark = "", language = ""] = OPENING.exec(line) ?? [];
    if (open === undefined && mark === "") {
      prose.push(line);
      continue;
    }
    prose.push("");
    if (open === undefined) {
      open = { mark, language, line: index + 1, indent: line.search(/\S/), lines: [] };
    } else if (mark.startsWith(open.mark) && language === "") {
      fences.push({ language: open.language, line: open.line, text: open.lines.join("\n") });
      open = undefined;
    } else {
      open.lines.push(line.slice(Math.min(open.indent, Math.max(0, line.search(/\S/)))));
    }
  }
  return { fences, prose };
}

const LINKS = [
  /\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/g,
  /\b(?:src|srcset|href)="([^"]+)"/g,
];

/** Links and images, of Markdown and HTML, outside of code. */
export function readLinks(document: string): Link[] {
  return readParts(document).prose.flatMap((line, index) => {
    const plain = line.replace(/(`+)(?:(?!\1).)+\1/g, (code) => " ".repeat(code.length));
    return LINKS.flatMap((form) =>
      [...plain.matchAll(form)].map(([, target = ""]) => ({ target, line: index + 1 })),
    );
  });
}

/** Anchors: headings, as GitHub converts them, and elements with an id. */
export function readAnchors(document: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of readParts(document).prose) {
    const [, heading] = /^#{1,6}\s+(.+?)\s*#*$/.exec(line) ?? [];
    if (heading !== undefined) anchors.add(unique(toAnchor(heading), anchors));
    for (const [, id = ""] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  }
  return anchors;
}

function toAnchor(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

function unique(anchor: string, taken: ReadonlySet<string>): string {
  let name = anchor;
  for (let count = 1; taken.has(name); count += 1) name = `${anchor}-${count}`;
  return name;
}
