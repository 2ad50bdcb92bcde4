/**
 * Judges what `explain_failure` says of a kind of a hold-out, by the patterns that came with it. Pure.
 * `explained` requires the root and the reason in the first sentence or the first two pieces of evidence, and nothing
 * listed as untrue. A healthy kind is `calm` only if nothing is claimed of it.
 */
import * as z from "zod";
import type { HoldOutKind } from "../recorded-n8n/hold-out.ts";

const finding = z.looseObject({
  sentence: z.string(),
  node: z.string().nullable(),
  cause: z.string(),
  confidence: z.string(),
});
const answer = z.looseObject({
  status: z.literal("success"),
  message: z.string(),
  data: z.looseObject({ explanation: finding, evidence: z.array(finding) }),
});

export interface HoldOutJudgement {
  readonly kind: string;
  readonly verdict: "explained" | "missed" | "untrue" | "calm" | "alarm";
  readonly why: string;
  /** The message, and then the findings. */
  readonly sentences: readonly string[];
}

/** Causes that mean nothing was found. */
const FOUND_NOTHING = new Set(["nothing_found", "too_large", "no_data", "withheld"]);

const NAMED = /^Execution \S+ of ".*?" (?=(?:succeeded|failed|was|is|has)\b)/;

const ALARMS = new Set(["exact", "likely"]);
/** Causes that are no alarm: a failure that was handled, or nothing found. */
const CALM = new Set(["error_handled", ...FOUND_NOTHING]);

export function judgeHoldOut(kind: HoldOutKind, answered: unknown): HoldOutJudgement {
  const parsed = answer.safeParse(answered);
  if (!parsed.success) {
    const refusal = JSON.stringify(answered).slice(0, 400);
    return { kind: kind.kind, verdict: "missed", why: "refused", sentences: [refusal] };
  }
  const { message, data } = parsed.data;
  const findings = [data.explanation, ...data.evidence];
  const sentences = findings.map(({ sentence }) => sentence);
  const judged = (verdict: HoldOutJudgement["verdict"], why: string): HoldOutJudgement => ({
    kind: kind.kind,
    verdict,
    why,
    sentences: [
      message,
      ...findings.map(({ cause, confidence, sentence }) => `[${cause}/${confidence}] ${sentence}`),
    ],
  });
  // The workflow's name is removed, as it may contain the expected words.
  const first = [message.replace(NAMED, ""), ...sentences.slice(0, 3)].join("\n");
  const untrue = kind.mustNot.find((form) => form.test([message, ...sentences].join("\n")));
  if (untrue !== undefined) return judged("untrue", `says ${String(untrue)}`);
  if (kind.expect === "healthy") {
    const alarm = findings.find(({ cause, confidence }) => ALARMS.has(confidence) && !CALM.has(cause));
    return alarm === undefined ? judged("calm", "") : judged("alarm", alarm.sentence);
  }
  if (FOUND_NOTHING.has(data.explanation.cause)) return judged("missed", "finds nothing");
  const roots = [kind.rootNode ?? "", ...kind.alsoRoot].filter((name) => name !== "");
  const isNamed = roots.some((name) => first.includes(name) || data.explanation.node === name);
  if (roots.length > 0 && !isNamed) return judged("missed", `does not name ${roots.join(" or ")}`);
  const unsaid = [kind.reason, ...kind.must].find((form) => form && !form.test(first));
  return unsaid ? judged("missed", `does not say ${String(unsaid)}`) : judged("explained", "");
}
