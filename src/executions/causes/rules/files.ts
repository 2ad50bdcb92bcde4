/**
 * Fact: Read/Write Files says `No file(s) found` and `The file(s) could not be accessed…`, without the system's error code.
 * Any node that takes a file from its input says `… contain a binary file 'data', but none was found`, or `The item has no binary
 * field 'data'`, with the item's index: the node before it sent the item without a file.
 */
import { pattern } from "../../../platform/pattern.ts";
import type { ExecutionView, SentItem } from "../execution-view.ts";
import { failedOn, itemBefore, sameItemIn } from "../field-origin.ts";
import { ownField, textsOf } from "../field-references.ts";
import { allTextsOf, firstCapture, messageOf, onFailed } from "../rule.ts";

const READS_FILES = /\.(?:readWriteFile|readBinaryFiles?|writeBinaryFile|localFileTrigger)$/;
const FORMS = [
  { says: /^No file\(s\) found$/, kind: "file.no_match" },
  { says: /^Access to (?:the|this) file is not allowed/, kind: "file.not_allowed" },
  { says: /^(?:The file|File .{0,200}) (?:is not allowed|not found)/, kind: "file.not_there" },
  { says: /^You don't have the permissions to (?:access|write)/, kind: "file.no_rights" },
  { says: /^The file is too large$/, kind: "file.too_large" },
  { says: /^The resource you are requesting could not be found$/, kind: "file.no_address" },
] as const;
/** Compression says so of a damaged archive; other nodes, of a connection that was cut. */
const CUT_OFF = /^unexpected EOF$/;

export const files = onFailed(({ error, name, node }) => {
  if (/\.compression$/.test(node?.type ?? "") && CUT_OFF.test(messageOf(error)))
    return { kind: "invalid_request.encoding", node: name };
  if (!READS_FILES.test(node?.type ?? "")) return null;
  const form = FORMS.find(({ says }) => says.test(messageOf(error)));
  return form === undefined ? null : { kind: form.kind, node: name };
});

const NO_FILE = pattern()`
  ^(?:
    This operation expects the node's input data to contain a binary file '(.{1,100}?)', but none was
    [ ]found
    |The item has no binary field '(.{1,100}?)'
    |The path '(.{1,100}?)' does not resolve to a binary data object
  )
`;

/** The engine's message for reading a member of undefined. */
const UNDEFINED = /^Cannot read properties of undefined \(reading '([\w$]{1,60})'\)/;

/** Code that reads a file of an item without files. Files are not read, so this is only `observed`. */
export const missingFileInCode = onFailed(({ node, error, name }) => {
  const member = firstCapture(allTextsOf(error), UNDEFINED);
  const isFile = textsOf(node?.parameters).some((text) => text.includes(`.binary.${member ?? ""}`));
  return member === undefined || !isFile
    ? null
    : { kind: "file.in_code", node: name, member, confidence: "observed" };
});

const MAX_STEPS = 20;

/** These only pass items on; any other node could have made the file, and is the one to report. */
const PASSES_ON = /\.(?:filter|if|switch|merge|splitInBatches|sort|limit|removeDuplicates|noOp|wait)$/;

/** The first item without the file, before nodes that passed it on unchanged. */
function firstWithoutFile(view: ExecutionView, item: SentItem): SentItem {
  let made = item;
  for (let step = 0; step < MAX_STEPS && PASSES_ON.test(view.typeOf(made.from)); step += 1) {
    const before = itemBefore(view, made);
    if (before === null || before.files !== undefined || sameItemIn([before], made) === null) break;
    made = before;
  }
  return made;
}

export const missingFile = onFailed((failed) => {
  const named = firstCapture(allTextsOf(failed.error), NO_FILE);
  if (named === undefined) return null;
  const isOwn = textsOf(failed.node?.parameters).some((text) => text.includes(named));
  const [item] = failedOn(failed, ownField([])).items;
  const node = item === undefined ? failed.name : firstWithoutFile(failed.view, item).from;
  const input = isOwn ? named : null;
  return { kind: "file", node, failedNode: failed.name, input, isSent: item !== undefined };
});
