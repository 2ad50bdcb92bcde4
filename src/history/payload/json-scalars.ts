/** The texts and numbers of a JSON value with their paths, however deep it is. Pure. */
import type { PathSegment } from "../request-ids/request-id-paths.ts";

export interface FoundScalar {
  /** A number as its digits. */
  readonly text: string;
  /** Made when it is asked for: most are not. */
  readonly path: () => readonly PathSegment[];
}

interface Link {
  readonly before: Link | null;
  readonly segment: PathSegment;
}

/** JSON held in a string, inside JSON held in a string: deeper nesting was never seen. */
export const MAX_NESTED_JSON = 3;

/** In the order in which they stand. */
export function* scalarsIn(root: unknown, rootPath: readonly PathSegment[]): Generator<FoundScalar, void> {
  const open: { value: unknown; link: Link | null }[] = [{ value: root, link: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, link } = next;
    if (typeof value === "string" || typeof value === "number") {
      yield { text: String(value), path: () => [...rootPath, ...toPath(link)] };
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1)
        open.push({ value: value[index], link: { before: link, segment: index } });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries<unknown>({ ...value }).reverse())
        open.push({ value: member, link: { before: link, segment: key } });
    }
  }
}

function toPath(link: Link | null): PathSegment[] {
  const path: PathSegment[] = [];
  for (let at = link; at !== null; at = at.before) path.push(at.segment);
  return path.reverse();
}

/** The object or array that a text is JSON of; undefined when it is not. */
export function parseContainer(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // It only looked like JSON.
    return undefined;
  }
}
