/**
 * Fact: n8n wraps what code throws in a `WrappedExecutionError` (or `ExecutionError`) whose description is the class, with
 * `lineNumber`; a syntax error in the code is a `SyntaxError` without one. `… is not defined`, `Module '…' is disallowed`,
 * `Code doesn't return items properly` and `A 'json' property isn't an object` are n8n's and the engine's own sentences.
 */
import { pattern } from "../../../platform/pattern.ts";
import { blankLiterals, parametersIn } from "../code-parts.ts";
import { parameterOf } from "../execution-view.ts";
import { textsOf } from "../field-references.ts";
import { isWordOf } from "../names-in-error.ts";
import { allTextsOf, type Failed, firstCapture, isOfClass, matchesAny, onFailed } from "../rule.ts";

/** JavaScript's and Python's messages. */
const UNDEFINED_NAME = /^(?:name ')?([A-Za-z_$][\w$]{0,60})'? is not defined/;
const NO_KEY = /^'([^'\n]{1,100})'/;
const MODULE = /^(?:Module '([^'\n]{1,100})' is disallowed|Cannot find module '([^'\n]{1,100})')/;
const RETURN = pattern("i")`
  ^(?:
    Code doesn't return|A 'json' property isn't an object|Unknown top-level item key|The returned data
    |.{0,40}doesn't return (?:items|an object|a single object) properly
  )
`;
const TOO_DEEP = /^Maximum call stack size exceeded(?: \[|$)/;
const CODE = /\.(?:code|function|functionItem|toolCode|codeTool)$/;

export const code = onFailed((failed) => {
  const { error, name: node, line } = failed;
  const texts = allTextsOf(error);
  const own = textsOf(failed.node?.parameters).join("\n");
  const isOwn = (text: string | undefined): text is string => text !== undefined && own.includes(text);
  const name = firstCapture(texts, UNDEFINED_NAME);
  if (isOwn(name)) return { kind: "code_undefined_name", node, name, line, isElsewhere: declares(own, name) };
  const key = isOfClass(error, "KeyError") ? firstCapture(texts, NO_KEY) : undefined;
  if (isOwn(key)) return { kind: "field_missing.key", node, key, line };
  const module = firstCapture(texts, MODULE);
  if (isOwn(module)) return { kind: "code_module", node, module, line };
  if (matchesAny(texts, RETURN)) {
    const isForEach = parameterOf(failed.node, "mode") === "runOnceForEachItem";
    return { kind: isForEach ? "code_return.item" : "code_return.items", node };
  }
  if (!CODE.test(failed.node?.type ?? "")) return null;
  const isThrown = throwsItself(failed);
  if (matchesAny(texts, TOO_DEEP) && !isThrown) return { kind: "code_threw.too_deep", node, line };
  if (isOfClass(error, "SyntaxError") && line === null) return { kind: "code_syntax", node };
  return isThrown && !isOfClass(error, "TypeError", "ReferenceError", "SyntaxError")
    ? { kind: "code_threw", node, line }
    : null;
});

/** Declared names: a list, or a destructuring pattern without defaults. */
const DECLARED =
  /\b(?:const|let|var|function|class)\s{1,20}([\w$]{1,60}(?:\s{0,20},\s{0,20}[\w$]{1,60}){0,20}|\{[^{}=]{1,200}\}|\[[^[\]=]{1,200}\])/g;

/** Whether code declares a name anywhere, even in another block. */
const declares = (source: string, name: string): boolean =>
  parametersIn(blankLiterals(source)).has(name) ||
  [...blankLiterals(source).matchAll(DECLARED)].some(([, declared = ""]) => isWordOf(declared, name));

/** Whether the code throws at the line of the error; anywhere, if n8n names no line or the code has no such line. */
export const throwsItself = ({ node, line }: Failed): boolean =>
  ["jsCode", "functionCode", "pythonCode"]
    .flatMap((name) => textsOf(parameterOf(node, name)))
    .some((source) => {
      const written = line === null ? undefined : source.split("\n")[line - 1];
      return THROWS.test(source) && (written === undefined || MAKES_ERROR.test(written));
    });

const THROWS = /\b(?:throw|raise)\b/;
/** An error names the line where it was made. */
export const MAKES_ERROR = /\b(?:throw|raise)\b|Error\(|\bsuper\(/;
