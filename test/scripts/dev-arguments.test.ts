import { expect, test } from "vitest";
import { readDevArguments } from "../../scripts/dev-server/dev-arguments.ts";

const PLAIN = { port: undefined, readsDevVars: true, speaksHttp: true, wranglerArguments: [] as string[] };

test.each([
  [[], PLAIN],
  [["--port", "9000"], { ...PLAIN, port: 9000 }],
  [["--port=9000", "--minify"], { ...PLAIN, port: 9000, wranglerArguments: ["--minify"] }],
  [["--ip", "0.0.0.0"], { ...PLAIN, wranglerArguments: ["--ip", "0.0.0.0"] }],
  [["--port", "none"], { ...PLAIN, wranglerArguments: ["--port", "none"] }],
  [["--env-file", "x"], { ...PLAIN, readsDevVars: false, wranglerArguments: ["--env-file", "x"] }],
  [["-e", "staging"], { ...PLAIN, readsDevVars: false, wranglerArguments: ["-e", "staging"] }],
  [["--help"], { ...PLAIN, readsDevVars: false, speaksHttp: false, wranglerArguments: ["--help"] }],
  [
    ["--local-protocol", "https"],
    { ...PLAIN, speaksHttp: false, wranglerArguments: ["--local-protocol", "https"] },
  ],
])("%j", (args, expected) => {
  expect(readDevArguments(args)).toEqual(expected);
});
