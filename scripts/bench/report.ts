/** Measured and wanted figures, for a terminal and for a document. Pure. */

export type Bound = { readonly most: number } | { readonly least: number };

export interface Row {
  readonly what: string;
  readonly measured: string;
  /** Empty without a bound. */
  readonly wanted: string;
  readonly isMet: boolean;
}

export type Format = (value: number) => string;

const rounded = (value: number, digits: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });

export const asTimes: Format = (value) => `${rounded(value, value < 20 ? 2 : 0)} ×`;
export const asMilliseconds: Format = (value) => `${rounded(value, value < 20 ? 1 : 0)} ms`;
export const asMegabytes: Format = (value) => `${rounded(value / 1_000_000, 1)} MB`;
export const asMebibytes: Format = (value) => `${rounded(value / 2 ** 20, 1)} MiB`;
export const asCount: Format = (value) => rounded(value, 0);

export class Report {
  readonly #rows: Row[] = [];

  get rows(): readonly Row[] {
    return this.#rows;
  }

  get missed(): readonly Row[] {
    return this.#rows.filter(({ isMet }) => !isMet);
  }

  tell(what: string, measured: string): void {
    this.#rows.push({ what, measured, wanted: "", isMet: true });
  }

  check(what: string, value: number, bound: Bound, format: Format): void {
    const isMet = "most" in bound ? value <= bound.most : value >= bound.least;
    const wanted = "most" in bound ? `≤ ${format(bound.most)}` : `≥ ${format(bound.least)}`;
    this.#rows.push({ what, measured: format(value), wanted, isMet });
  }
}

export function toLines(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ what }) => what.length));
  return rows
    .map(({ what, measured, wanted, isMet }) => {
      const mark = wanted === "" ? "    " : isMet ? "ok  " : "MISS";
      return `${mark} ${what.padEnd(width)}  ${measured}${wanted === "" ? "" : `  (wanted ${wanted})`}`;
    })
    .join("\n");
}

export function toTable(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ what, measured, wanted, isMet }) =>
      `| ${what} | ${measured} | ${wanted}${isMet ? "" : " **missed**"} |`,
  );
  return ["| what | measured | wanted |", "|---|---|---|", ...lines].join("\n");
}
