/** A line of the operator's log: no payload, no token. */
export const log = (line: Readonly<Record<string, unknown>>): void => console.error(JSON.stringify(line));
