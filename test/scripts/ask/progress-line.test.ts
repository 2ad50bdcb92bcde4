import { expect, test } from "vitest";
import { createProgressLine } from "../../../scripts/ask/progress-line.ts";

function record(stream: { isTTY?: boolean; columns?: number }): string[] {
  const written: string[] = [];
  const line = createProgressLine({ ...stream, write: (text) => written.push(text) });
  line.show("Read 100 executions\u001B[2J");
  line.clear();
  return written;
}

test("without a terminal, each message is a line", () => {
  expect(record({})).toEqual(["Read 100 executions\uFFFD[2J\n"]);
});

test("in a terminal, one line is overwritten, never wrapped, and finally cleared", () => {
  expect(record({ isTTY: true, columns: 10 })).toEqual(["\r\u001B[KRead 100…", "\r\u001B[K"]);
});
