/** Paths of the server's files in stack traces: of V8 (`at f (/path:1:2)`), and of Python (`File "/path", line 1`). */
import type { TextRule } from "../text-rule.ts";

const PATH = String.raw`(?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])`;
/** https://v8.dev/docs/stack-trace-api: `at name (place)`, or `at place` without a name. */
const PLACE = new RegExp(String.raw`\((${PATH}[^()\n]{1,400}?)(:\d+:\d+\))`, "g");
const MAX_NAME = 200;
const BARE_FRAME = new RegExp(String.raw`(\bat (?:async )?)(${PATH}[^\s():]{1,400})(:\d+:\d+)`, "g");
const PYTHON_FRAME = /(\bFile \\?")((?:\/|[A-Za-z]:[\\/])[^"\n]{1,400}?)(\\?", line \d+)/g;

function isFrame(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_NAME), at);
  return /\bat [^()\n]*$/.test(before.slice(Math.max(0, before.lastIndexOf("at ") - 1)));
}

export const stackPaths: TextRule = (text, { mark }) => {
  const replace = (_match: string, before: string, _path: string, after: string): string =>
    before + mark("path") + after;
  let result = text;
  if (result.includes("at ")) {
    result = result
      .replace(PLACE, (match: string, _path: string, after: string, at: number, whole: string) =>
        isFrame(whole, at) ? `(${mark("path")}${after}` : match,
      )
      .replace(BARE_FRAME, replace);
  }
  return result.includes("File ") ? result.replace(PYTHON_FRAME, replace) : result;
};
