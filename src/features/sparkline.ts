/** Draws a series of numbers as one line of text, and says their range in words. Pure. */

/** The lowest mark stands for zero only, so that one failure among thousands is visible. */
const MARKS = "▁▂▃▄▅▆▇█";
/** Each costs about a token. */
const MAX_MARKS = 48;

/** @param by what each number counts, such as an hour @returns undefined if there is nothing to draw */
export function sparklineOf(numbers: readonly number[], counted: string, by: string): string | undefined {
  const [least, most] = [Math.min(...numbers), Math.max(0, ...numbers)];
  if (numbers.length < 2 || most === 0) return undefined;
  const numbersPerMark = Math.ceil(numbers.length / MAX_MARKS);
  const marks = Array.from({ length: Math.ceil(numbers.length / numbersPerMark) }, (_one, index) => {
    const highest = Math.max(...numbers.slice(index * numbersPerMark, (index + 1) * numbersPerMark));
    return MARKS[Math.ceil((highest / most) * (MARKS.length - 1))];
  });
  const range = `${least.toLocaleString("en-US")} to ${most.toLocaleString("en-US")} ${counted} by ${by}`;
  return `${marks.join("")} ${range}${numbersPerMark === 1 ? "" : `; each mark is the highest of ${numbersPerMark}`}`;
}
