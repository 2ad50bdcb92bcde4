/** Finds duplicate keys in the objects of a JSON text, of which `JSON.parse` silently keeps the last. Pure. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

interface Container {
  readonly path: readonly string[];
  readonly names: Set<string>;
  /** The last key read; empty in an array. */
  name: string;
}

/** @param json valid JSON @returns the path of each duplicate key, from the outermost object */
export function duplicateKeys(json: string): string[][] {
  const repeated: string[][] = [];
  const open: Container[] = [];
  let text = '""';
  for (const [token] of json.matchAll(TOKEN)) {
    const container = open.at(-1);
    if (token.startsWith('"')) text = token;
    else if (token === "{" || token === "[") open.push(below(container));
    else if (token === "}" || token === "]") open.pop();
    else if (container !== undefined) {
      // Escapes can spell the same key differently.
      container.name = String(JSON.parse(text));
      if (container.names.has(container.name)) repeated.push([...container.path, container.name]);
      container.names.add(container.name);
    }
  }
  return repeated;
}

function below(container: Container | undefined): Container {
  const { path = [], name = "" } = container ?? {};
  return { path: name === "" ? path : [...path, name], names: new Set(), name: "" };
}
