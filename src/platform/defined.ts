type Defined<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> };

/** Leaves out the members that are undefined, which JSON and exact optional types need. */
export function defined<Members extends object>(members: Members): Defined<Members>;
export function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
