/** Names that stand twice in one object of a JSON text: `JSON.parse` keeps the last of them and says nothing. Pure. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

interface Container {
  readonly path: readonly string[];
  readonly names: Set<string>;
  /** The last one that was met; empty in a list. */
  name: string;
}

/** @param json that `JSON.parse` takes @returns the path of each name that was there before, from the outermost object */
export function repeatedNames(json: string): string[][] {
  const repeated: string[][] = [];
  const open: Container[] = [];
  let text = '""';
  for (const [token] of json.matchAll(TOKEN)) {
    const container = open.at(-1);
    if (token.startsWith('"')) text = token;
    else if (token === "{" || token === "[") open.push(below(container));
    else if (token === "}" || token === "]") open.pop();
    else if (container !== undefined) {
      // An escape spells the same name in another way.
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
