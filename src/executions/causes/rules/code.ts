/**
 * Fact: n8n wraps what code throws in a `WrappedExecutionError` (or `ExecutionError`) whose description is the class, with
 * `lineNumber`; a fault in the code itself is a `SyntaxError` without one. `… is not defined`, `Module '…' is disallowed`,
 * `Code doesn't return items properly` and `A 'json' property isn't an object` are n8n's and the engine's own sentences.
 */
import { quoted } from "../../../platform/display-name.ts";
import { toErrorFacts } from "../../error-sentence.ts";
import { parameterOf } from "../execution-view.ts";
import { textsOf } from "../field-references.ts";
import type { CauseId, Finding } from "../finding.ts";
import { allTextsOf, type Failed, failedName, isOfClass, onFailed } from "../rule.ts";

/** JavaScript's words, and Python's. */
const UNDEFINED_NAME = /^(?:name ')?([A-Za-z_$][\w$]{0,60})'? is not defined/;
const NO_KEY = /^'([^'\n]{1,100})'/;
const MODULE = /^(?:Module '([^'\n]{1,100})' is disallowed|Cannot find module '([^'\n]{1,100})')/;
const RETURN =
  /^(?:Code doesn't return|A 'json' property isn't an object|Unknown top-level item key|The returned data|.{0,40}doesn't return (?:items|an object|a single object) properly)/i;
const TOO_DEEP = /^Maximum call stack size exceeded(?: \[|$)/;
const CODE = /\.(?:code|function|functionItem|toolCode|codeTool)$/;

export const code = onFailed((_view, failed) => {
  const { node, error, name } = failed;
  const texts = allTextsOf(error);
  const isCode = CODE.test(node?.type ?? "");
  const own = textsOf(node?.parameters).join("\n");
  const line = toErrorFacts(error).lineNumber;
  const at = line === null ? "" : ` (line ${line})`;
  const found = (cause: CauseId, because: string): Finding[] => [
    { cause, node: name, sentence: `${failedName(name)} because ${because}.`, confidence: "exact" },
  ];
  const [undefinedName] = texts.flatMap((text) => UNDEFINED_NAME.exec(text)?.[1] ?? []);
  if (undefinedName !== undefined && own.includes(undefinedName))
    return found("code_undefined_name", `it uses ${quoted(undefinedName)}, which is defined nowhere${at}`);
  const [key] = isOfClass(error, "KeyError") ? texts.flatMap((text) => NO_KEY.exec(text)?.[1] ?? []) : [];
  if (key !== undefined && own.includes(key))
    return found("field_missing", `it reads the key ${quoted(key)}, which is not there${at}`);
  const [moduleName] = texts.flatMap((text) => {
    const [, disallowed, missing] = MODULE.exec(text) ?? [];
    return disallowed ?? missing ?? [];
  });
  if (moduleName !== undefined && own.includes(moduleName))
    return found(
      "code_module",
      `its code asks for the module ${quoted(moduleName)}, which this n8n does not allow or does not have${at}`,
    );
  if (texts.some((text) => RETURN.test(text)))
    return found(
      "code_return",
      parameterOf(node, "mode") === "runOnceForEachItem"
        ? "its code does not return what n8n takes for an item: it runs for each item, and has to return one object, and no list"
        : "its code does not return what n8n takes for items: a list of objects with `json`",
    );
  if (isCode && texts.some((text) => TOO_DEEP.test(text)) && !throwsItself(failed))
    return found("code_threw", `its code, or what it calls, calls itself without end${at}`);
  if (isCode && isOfClass(error, "SyntaxError") && line === null)
    return found("code_syntax", "its code is not valid: there is a fault in its syntax");
  return isCode && throwsItself(failed) && !isOfClass(error, "TypeError", "ReferenceError", "SyntaxError")
    ? found("code_threw", `its own code threw an error${at}`)
    : [];
});

function throwsItself({ node }: Failed): boolean {
  const text = [
    parameterOf(node, "jsCode"),
    parameterOf(node, "functionCode"),
    parameterOf(node, "pythonCode"),
  ];
  return text.flatMap((value) => textsOf(value)).some((source) => /\bthrow\b|\braise\b/.test(source));
}
