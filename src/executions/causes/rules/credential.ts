/**
 * Fact: a credential that was deleted gives `Credential with ID "…" does not exist for type "…"` (class
 * CredentialNotFoundError, which n8n keeps only on some paths); one that was never chosen gives
 * `Node does not have any credentials set` or `… credentials … not set`.
 */
import { isObject } from "../../../platform/is-object.ts";
import { settingOf } from "../execution-view.ts";
import { allTextsOf, type Failed, isOfClass, matchesAny, onFailed } from "../rule.ts";

const GONE = /^Credential with ID "[^"]{1,64}" does not exist(?: for type "[^"]{1,64}")?/;
const NOT_SET =
  /^(?:Node does not have any credentials set|Credentials? (?:of type )?.{0,64} (?:is|are) not set|.{0,64}credentials? (?:is|are) not set|Node type .{0,64} does not have any credentials)/i;
const NOT_READABLE = /^Credentials could not be decrypted/;

export const credential = onFailed((failed) => {
  const { error, name: node } = failed;
  // Code can throw any text.
  if (error.lineNumber != null) return null;
  const is = (form: RegExp, name: string): boolean =>
    matchesAny(allTextsOf(error), form) || isOfClass(error, name);
  const types = typesOf(failed);
  if (is(GONE, "CredentialNotFoundError")) return { kind: "credential.gone", node, types };
  if (is(NOT_SET, "CredentialMissingIdError")) return { kind: "credential.unset", node, types };
  return is(NOT_READABLE, "CredentialDataError") ? { kind: "credential.unreadable", node, types } : null;
});

function typesOf({ node }: Failed): string[] {
  const credentials = settingOf(node, "credentials");
  if (!isObject(credentials)) return [];
  return Object.keys(credentials)
    .filter((type) => /^[A-Za-z0-9]{1,64}$/.test(type))
    .slice(0, 3);
}
