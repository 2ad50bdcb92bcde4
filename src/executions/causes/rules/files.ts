/**
 * Fact: Read/Write Files says `No file(s) found` and `The file(s) could not be accessed…`, and keeps no code of the system.
 * Any node that takes a file from its input says `… contain a binary file 'data', but none was found`, or `The item has no binary
 * field 'data'`, with the item's index: what stands before it sent the item without a file.
 */
import { quoted } from "../../../platform/display-name.ts";
import { itemsFailedOn } from "../failed-items.ts";
import { ownField, textsOf } from "../field-references.ts";
import { allTextsOf, failedName, messageOf, onFailed } from "../rule.ts";

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^No file\(s\) found$/, "no file is at the path that it was given"],
  [
    /^Access to (?:the|this) file is not allowed/,
    "n8n's own settings do not allow it the path that it was given",
  ],
  [
    /^(?:The file|File .{0,200}) (?:is not allowed|not found)/,
    "the file does not exist, or n8n may not read it",
  ],
  [
    /^You don't have the permissions to (?:access|write)/,
    "n8n may not read or write at the path that it was given",
  ],
  [/^The file is too large$/, "the file is larger than n8n can read"],
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

const NO_FILE =
  /^(?:This operation expects the node's input data to contain a binary file '(.{1,100}?)', but none was found|The item has no binary field '(.{1,100}?)'|The path '(.{1,100}?)' does not resolve to a binary data object)/;

/** The engine's words for a member of what is not there. */
const UNDEFINED = /^Cannot read properties of undefined \(reading '([\w$]{1,60})'\)/;

/** Code that reads `item.binary.data` of an item without files. What an item holds is not read, so it is observed alone. */
export const missingFileInCode = onFailed((_view, { node, error, name }) => {
  const [member] = allTextsOf(error).flatMap((text) => UNDEFINED.exec(text)?.[1] ?? []);
  const isFile = textsOf(node?.parameters).some((text) => text.includes(`.binary.${member ?? ""}`));
  if (member === undefined || !isFile) return [];
  return [
    {
      cause: "file",
      node: name,
      sentence: `${failedName(name)} because it reads the file ${quoted(`binary.${member}`)}, and an item that it was given holds no file.`,
      confidence: "observed",
    },
  ];
});

export const missingFile = onFailed((view, failed) => {
  const [field] = allTextsOf(failed.error).flatMap((text) => {
    const [, first, second, third] = NO_FILE.exec(text) ?? [];
    return first ?? second ?? third ?? [];
  });
  if (field === undefined) return [];
  const isOwn = textsOf(failed.node?.parameters).some((text) => text.includes(field));
  const [item] = itemsFailedOn(view, failed, ownField([]));
  const from = item === undefined ? "" : `, and the item that ${quoted(item.from)} sent has none`;
  return [
    {
      cause: "file",
      node: item?.from ?? failed.name,
      failedNode: failed.name,
      sentence: `${failedName(failed.name)} because it needs a file${isOwn ? ` in the field ${quoted(field)}` : ""} of its input${from}.`,
      confidence: "exact",
    },
  ];
});
