/**
 * What databases say of a value that is already there or not there: the value is secret if the column or the index is
 * named like a secret. PostgreSQL `Key (api_key)=(…) already exists.`, MySQL `Duplicate entry '…' for key 'users.api_key'`,
 * SQL Server `… unique index 'UQ_token'. The duplicate key value is (…).`
 */
import type { KindOfKey } from "../key-rules.ts";
import type { TextRule } from "../text-rule.ts";
import { isOnlyMarks } from "./plausible-values.ts";

/** Up to its parenthesis or the end of the line; what has neither is taken all the same, so that this is linear. */
const VALUE = String.raw`([^\n]{1,3000}?(?=\)(?:[^\w)]|$)|$)|[^\n]{1,3000})`;
const COLUMNS = new RegExp(String.raw`(\(([^()\n]{1,500})\)=\()${VALUE}`, "g");
const ENTRY = /(duplicate entry ')([^'\n]{1,3000})(?=' for key '([^'\n]{1,200})')/gi;
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
  return text
    .replace(COLUMNS, (_all, before: string, names: string, values: string) => {
      const secret = names.split(",").map((name) => isSecretIn(kindOfKey, name));
      if (!secret.includes(true)) return before + values;
      const cells = values.split(", ");
      // A value may have a comma, and the text may be cut: then it is unknown which value is whose.
      if (cells.length !== secret.length) return before + hidden(values);
      return before + cells.map((cell, index) => (secret[index] === true ? hidden(cell) : cell)).join(", ");
    })
    .replace(ENTRY, (all, before: string, value: string, index: string) =>
      isSecretIn(kindOfKey, index) ? before + hidden(value) : all,
    )
    .replace(INDEX, (all, before: string, index: string, value: string) =>
      isSecretIn(kindOfKey, index) ? before + hidden(value) : all,
    );
};
