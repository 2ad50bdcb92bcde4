/**
 * A file of another kind than in all of the last successes, or an empty one. Facts: n8n names a file's kind by its MIME
 * type (`fileType`: image, audio, video, json, text, pdf, html; none for others), and its size in words (`0 B`). A service
 * that answers with a page (sign in, maintenance) instead of the document is a success to n8n.
 */
import { isReadObject } from "../../../../json/omitted.ts";
import type { ExecutionView } from "../../execution-view.ts";
import { ofNodes } from "../../rule.ts";
import { largestOutputOf } from "./usual.ts";

/** n8n's own words; others are not shown. */
const KINDS: ReadonlySet<unknown> = new Set(["image", "audio", "video", "json", "text", "pdf", "html"]);

export const filesUnlikeBefore = ofNodes((view, node) => {
  const [before, ...others] = view.successes.filter(({ runs }) => runs.has(node));
  const own = kindsOf(view, node);
  // Reported only for the node that got the file: later ones pass it on.
  if (before === undefined || own.length === 0 || isHandedOn(view, node)) return null;
  const usual = [before, ...others].map((success) => kindsOf(success, node));
  const now = own.find((kind) => usual.every((kinds) => kinds.length > 0 && !kinds.includes(kind)));
  const had = usual[0]?.[0];
  return now === undefined || had === undefined
    ? null
    : { kind: "differs.file", node, before: before.execution.id, now, had, confidence: "compared" };
});

function kindsOf(view: ExecutionView, node: string): string[] {
  const files = largestOutputOf(view, node).items.flatMap(({ files: held }) =>
    isReadObject(held) ? Object.values(held).filter(isReadObject) : [],
  );
  return files.flatMap(({ fileType, fileSize }) =>
    fileSize === "0 B" ? ["empty"] : typeof fileType === "string" && KINDS.has(fileType) ? [fileType] : [],
  );
}

const isHandedOn = (view: ExecutionView, node: string): boolean =>
  (view.runsOf(node)[0]?.source ?? []).some(
    (source) => source !== null && kindsOf(view, source.previousNode).join() === kindsOf(view, node).join(),
  );
