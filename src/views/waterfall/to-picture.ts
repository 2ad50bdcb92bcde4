/** Converts an answer's `structuredContent` to a picture; undefined if the answer has none. */
import { agentRunPicture, isAgentRun } from "./agent-run-picture.ts";
import { countsPicture, isCounts } from "./counts-picture.ts";
import { digestPicture, isDigest } from "./digest-picture.ts";
import { explanationPicture, isExplanation } from "./explanation-picture.ts";
import { type Members, membersAt, textAt } from "./members.ts";
import type { Picture } from "./picture.ts";
import { isTrace, tracePicture } from "./trace-picture.ts";

export function toPicture(envelope: Members): Picture | undefined {
  if (envelope.status !== "success") return undefined;
  const data = membersAt(envelope, "data");
  const sentence = textAt(envelope, "message") ?? "";
  if (isTrace(data)) return tracePicture(data, sentence);
  if (isExplanation(data)) return explanationPicture(data, sentence);
  if (isAgentRun(data)) return agentRunPicture(data, sentence);
  if (isDigest(data)) return digestPicture(data, sentence);
  const isWhole = !("leftOut" in membersAt(envelope, "meta"));
  return isCounts(data) ? countsPicture(data, sentence, isWhole) : undefined;
}
