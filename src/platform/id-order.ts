/** Execution ids are ascending whole numbers of any length, and are compared as such. Pure. */

export const isNewer = (id: string, other: string): boolean =>
  id.length === other.length ? id > other : id.length > other.length;

export const newestFirst = (id: string, other: string): number =>
  id === other ? 0 : isNewer(id, other) ? -1 : 1;

export const higherOf = (id: string, other: string): string => (isNewer(id, other) ? id : other);

export const lowerOf = (id: string, other: string): string => (isNewer(id, other) ? other : id);
