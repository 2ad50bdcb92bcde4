/** Fact: Read/Write Files says `No file(s) found` and `The file(s) could not be accessed…`, and keeps no code of the system. */
import { failedName, messageOf, onFailed } from "../rule.ts";

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^No file\(s\) found$/, "no file is at the path that it was given"],
  [
    /^(?:The file|Access to the file|File .{0,200}) (?:is not allowed|not found)/,
    "the file does not exist, or n8n may not read it",
  ],
  [/^The resource you are requesting could not be found$/, "the file or address does not exist"],
];

export const files = onFailed((_view, { error, name, node }) => {
  if (!/\.(?:readWriteFile|readBinaryFiles?|writeBinaryFile|localFileTrigger)$/.test(node?.type ?? ""))
    return [];
  const because = FORMS.find(([form]) => form.test(messageOf(error)))?.[1];
  return because === undefined
    ? []
    : [
        {
          cause: "file",
          node: name,
          sentence: `${failedName(name)} because ${because}.`,
          confidence: "exact",
        },
      ];
});
