/**
 * Fact: a credential that was deleted gives `Credential with ID "…" does not exist for type "…"` (class
 * CredentialNotFoundError, which n8n keeps on some paths alone); one that was never chosen
 * `Node does not have any credentials set` or `… credentials … not set`.
 */
import { isObject } from "../../../platform/is-object.ts";
import { settingOf } from "../execution-view.ts";
import { allTextsOf, type Failed, failedName, isOfClass, onFailed } from "../rule.ts";

const GONE = /^Credential with ID "[^"]{1,64}" does not exist(?: for type "[^"]{1,64}")?/;
const NOT_SET =
  /^(?:Node does not have any credentials set|Credentials? (?:of type )?.{0,64} (?:is|are) not set|.{0,64}credentials? (?:is|are) not set|Node type .{0,64} does not have any credentials)/i;
const NOT_READABLE = /^Credentials could not be decrypted/;

export const credential = onFailed((_view, failed) => {
  const { error, name } = failed;
  // Code throws what it was given.
  if (error.lineNumber != null) return [];
  const texts = allTextsOf(error);
  const says = (form: RegExp): boolean => texts.some((text) => form.test(text));
  const found = (because: string) => [
    {
      cause: "credential",
      node: name,
      sentence: `${failedName(name)} because ${because}${kindOf(failed)}.`,
      confidence: "exact",
    } as const,
  ];
  if (says(GONE) || isOfClass(error, "CredentialNotFoundError"))
    return found("the credential that it uses does not exist any more");
  if (says(NOT_SET) || isOfClass(error, "CredentialMissingIdError"))
    return found("no credential is chosen in it");
  return says(NOT_READABLE) || isOfClass(error, "CredentialDataError")
    ? found("n8n cannot read the credential that it uses (another encryption key)")
    : [];
});

/** The types of credentials that the node names: n8n's own words. */
function kindOf({ node }: Failed): string {
  const credentials = settingOf(node, "credentials");
  const types = isObject(credentials)
    ? Object.keys(credentials).filter((type) => /^[A-Za-z0-9]{1,64}$/.test(type))
    : [];
  return types.length === 0 ? "" : ` (${types.slice(0, 3).join(", ")})`;
}
