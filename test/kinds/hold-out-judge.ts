/**
 * Judges what `explain_failure` says of a kind of a hold-out, by the expressions that came with it. Pure.
 * Promises: strict. `explained` needs the root in the first sentence or the first two pieces of evidence, the reason
 * there too, and nothing that was written down as untrue; a healthy one is `calm` only if nothing is claimed of it.
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
  /** The sentence, and then the evidence. */
  readonly told: readonly string[];
}

/** Causes by which an answer says that it found nothing. */
const FOUND_NOTHING = new Set(["nothing_found", "too_large", "no_data", "withheld"]);

const NAMED = /^Execution \S+ of ".*?" (?=(?:succeeded|failed|was|is|has)\b)/;

const ALARMS = new Set(["exact", "likely"]);
/** What went wrong and was taken care of. */
const CALM = new Set(["error_handled", ...FOUND_NOTHING]);

export function judgeHoldOut(kind: HoldOutKind, told: unknown): HoldOutJudgement {
  const parsed = answer.safeParse(told);
  if (!parsed.success)
    return { kind: kind.kind, verdict: "missed", why: "refused", told: [JSON.stringify(told).slice(0, 400)] };
  const { message, data } = parsed.data;
  const findings = [data.explanation, ...data.evidence];
  const sentences = findings.map(({ sentence }) => sentence);
  const judged = (verdict: HoldOutJudgement["verdict"], why: string): HoldOutJudgement => ({
    kind: kind.kind,
    verdict,
    why,
    told: [
      message,
      ...findings.map(({ cause, confidence, sentence }) => `[${cause}/${confidence}] ${sentence}`),
    ],
  });
  // The name of a workflow may say what is looked for.
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
