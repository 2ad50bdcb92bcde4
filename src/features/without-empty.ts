/** Omits members that are undefined or an empty list. Pure. */
export function withoutEmpty(entry: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
