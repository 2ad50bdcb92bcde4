/**
 * What databases and validators say of a value that they refuse: it is secret if the column, index or field is named
 * like a secret. PostgreSQL `Key (api_key)=(…) already exists.`, MySQL `Duplicate entry '…' for key 'users.api_key'`,
 * SQL Server `… unique index 'UQ_token'. The duplicate key value is (…).`, Joi `"password" with value "…" fails`.
 */
import type { KindOfKey } from "../key-rules.ts";
import type { TextRule } from "../text-rule.ts";
import { isOnlyMarks } from "./plausible-values.ts";

/** Up to its parenthesis or the end of the line; what has neither is taken all the same, so that this is linear. */
const VALUE = String.raw`([^\n]{1,3000}?(?=\)(?:[^\w)]|$)|$)|[^\n]{1,3000})`;
const COLUMNS = new RegExp(String.raw`(\(([^()\n]{1,500})\)=\()${VALUE}`, "g");
/** MySQL, Mongoose: the value, then the name. */
const ENTRIES: readonly RegExp[] = [
  /((?:duplicate entry|value:) ')([^'\n]{1,3000})(?=' for (?:key|column) '([^'\n]{1,200})')/gi,
  /(failed for value ")([^"]{1,3000})(?=" \(type \w{1,40}\) at path "([^"\n]{1,200})")/g,
];
/** Joi, Mongoose, Elasticsearch, pydantic, voluptuous: the name, then the value. */
const REFUSED: readonly RegExp[] = [
  /("([^"\n]{1,200})" with value ")([^"\n]{1,3000})(?=")/g,
  /(Path `([^`\n]{1,200})` \(`)([^`\n]{1,3000})(?=`)/g,
  /(failed to parse field \[([^\]\n]{1,200})\][^\n]{1,200}Preview of field's value: ')([^'\n]{1,3000})(?=')/g,
  /(\n([\w.]{1,200})\n[^\n]{1,300}input_value=)(["'\d][^\n]{0,3000}?)(?=, input_type=)/g,
  /(@ data[^\n]{0,200}\['([^'\n]{1,200})'\][,.] got ')([^'\n]{1,3000})(?=')/gi,
];
const IN_OBJECT = String.raw`(?:\. Cannot insert duplicate key in object '[^'\n]{1,200}')?`;
const INDEX = new RegExp(
  String.raw`('([^'\n]{1,200})'${IN_OBJECT}\. The duplicate key value is \()${VALUE}`,
  "g",
);

const isSecretIn = (kindOfKey: KindOfKey, index: string): boolean => {
  const name = index.slice(index.lastIndexOf(".") + 1).replace(/_(?:unique|uniq|idx|index)$/i, "");
  return kindOfKey(name.replace(/[\s"'`[\]\\]/g, "")) === "secret";
};

export const duplicateKeys: TextRule = (text, { mark, kindOfKey }) => {
  const hidden = (value: string): string => (isOnlyMarks(value) ? value : mark("key", value));
  const named = (all: string, before: string, name: string, value: string): string =>
    isSecretIn(kindOfKey, name) ? before + hidden(value) : all;
  const namedAfter = (all: string, before: string, value: string, name: string): string =>
    named(all, before, name, value);
  const told = REFUSED.reduce((result, pattern) => result.replace(pattern, named), text)
    .replace(COLUMNS, (_all, before: string, names: string, values: string) => {
      const secret = names.split(",").map((name) => isSecretIn(kindOfKey, name));
      if (!secret.includes(true)) return before + values;
      const cells = values.split(", ");
      // A value may have a comma, and the text may be cut: then it is unknown which value is whose.
      if (cells.length !== secret.length) return before + hidden(values);
      return before + cells.map((cell, index) => (secret[index] === true ? hidden(cell) : cell)).join(", ");
    })
    .replace(INDEX, named);
  return ENTRIES.reduce((result, pattern) => result.replace(pattern, namedAfter), told);
};
