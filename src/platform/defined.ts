type Defined<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> };

/** The members that have a value: an optional member is left out, and not set to undefined. */
export function defined<Members extends object>(members: Members): Defined<Members>;
export function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
