/** Shows the progress of a call: in a terminal one line that is overwritten, else one line per message. */
import { toPlainText } from "./plain-text.ts";

const CLEAR_LINE = "\r\u001B[K";
const DEFAULT_COLUMNS = 80;

/** The part of a stream that is needed. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

export interface ProgressLine {
  readonly show: (message: string) => void;
  /** Removes the line, so that the answer can be printed. */
  readonly clear: () => void;
}

export function createProgressLine(stream: ProgressStream): ProgressLine {
  if (!stream.isTTY) {
    return { show: (message) => stream.write(`${toPlainText(message)}\n`), clear: () => {} };
  }
  return {
    show: (message) =>
      stream.write(CLEAR_LINE + toPlainText(message, (stream.columns || DEFAULT_COLUMNS) - 1)),
    clear: () => stream.write(CLEAR_LINE),
  };
}
