/** `INSERT INTO users (id, password) VALUES (1, '…')`: each value under its column. One pass over each statement. */

import { Edits } from "../edits.ts";
import type { TextRule } from "../text-rule.ts";
import { matchAt } from "./characters.ts";
import { isPossible, isReference } from "./plausible-values.ts";
import { quotedAt } from "./values-after.ts";

const COLUMNS =
  /\binto[ \t\r\n]{1,20}[\w.`"[\]]{1,100}[ \t\r\n]{0,20}\(([^()]{1,2000})\)[ \t\r\n]{0,20}values[ \t\r\n]{0,20}(?=\()/gi;
const SIGN = /[ \t\r\n]{0,100}([(),]|[^(),'"\s;][^(),'";\r\n]{0,500})/y;

export const inserts: TextRule = (text, { mark, kindOfKey }) => {
  const edits = new Edits(text);
  COLUMNS.lastIndex = 0;
  for (let match = COLUMNS.exec(text); match !== null; match = COLUMNS.exec(text)) {
    const secret = (match[1] ?? "")
      .split(",")
      .map((column) => kindOfKey(column.replace(/[\s"'`[\]]/g, "")) === "secret");
    let column = 0;
    let at = COLUMNS.lastIndex;
    for (let isOpen = true; isOpen && at < text.length; ) {
      const begin = at + (matchAt(/[ \t\r\n]{0,100}(?:N(?='))?/y, text, at)?.[0].length ?? 0);
      const quoted = quotedAt(text, begin);
      if (quoted !== undefined) {
        const value = text.slice(quoted.from, quoted.to);
        if (secret[column] === true && isPossible(value) && !isReference(value, false)) {
          edits.replace(quoted.from, quoted.to, mark("key", value));
        }
        at = quoted.to + 1;
        continue;
      }
      const [whole, sign = ""] = matchAt(SIGN, text, at) ?? [];
      isOpen = whole !== undefined;
      at += whole?.length ?? 0;
      if (sign === "(") column = 0;
      else if (sign === ",") column += 1;
    }
    COLUMNS.lastIndex = at;
  }
  return edits.result();
};
