/** Reads single values out of a node's parameters, whose shape depends on the node's type and version. Pure. */
import { isReadObject, Omitted, type ReadValue } from "../json/omitted.ts";

export type NodeParameters = Readonly<Record<string, ReadValue>>;

/** The value below these keys; undefined when there is none. */
export function parameterAt(
  parameters: ReadValue | undefined,
  ...path: readonly string[]
): ReadValue | undefined {
  let value = parameters;
  for (const key of path) {
    if (!isReadObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The text below these keys; undefined when it is none. */
export function textAt(parameters: NodeParameters, ...path: readonly string[]): string | undefined {
  const value = parameterAt(parameters, ...path);
  return typeof value === "string" ? value : undefined;
}

/** The items below these keys: of no list, none. */
export function listAt(parameters: NodeParameters, ...path: readonly string[]): readonly ReadValue[] {
  const value = parameterAt(parameters, ...path);
  return Array.isArray(value) ? value.filter((item) => !(item instanceof Omitted)) : [];
}
