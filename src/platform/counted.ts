/** A count with its noun: `1 run`, `2 runs`, `0 retries`. The noun may include a verb: `1 id is`. Pure. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** A count out of a total; `atLeast` if not all were checked. */
export interface Part {
  readonly count: number;
  readonly of: number;
  readonly atLeast: boolean;
}

export const countedPart = ({ count, of, atLeast }: Part, one: string): string =>
  `${atLeast ? "at least " : ""}${count} of ${counted(of, one)}`;
