/**
 * Judges what `explain_failure` says of a recorded kind against what was done to the workflow. Pure.
 * Promises: strict. `explained` needs the root node named first or second, the reason in the first two sentences, and
 * no sentence that is not true; an ordinary success is `calm` only when nothing is said to have gone wrong.
 */
import * as z from "zod";
import type { Expectation } from "./expectations.ts";

const nodeName = z
  .union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)])
  .nullish()
  .transform((name) => name ?? undefined);
const finding = z.looseObject({
  sentence: z.string(),
  node: nodeName,
  confidence: z.string().optional(),
  cause: z.string().nullish(),
});
type Finding = z.infer<typeof finding>;

/** An answer of `explain_failure`, as far as it is judged. */
const explained = z.looseObject({
  message: z.string().default(""),
  data: z.looseObject({
    explanation: finding.nullish(),
    evidence: z.array(finding).default([]),
    /** What the failing node says itself, for who may read payloads. */
    error: z.unknown().optional(),
  }),
});

type Verdict = "explained" | "missed" | "wrong" | "calm" | "false alarm";

export interface Judgement {
  readonly verdict: Verdict;
  /** What it lacks, or says that is not true. Empty where all is well. */
  readonly why: string;
  /** The first sentence. */
  readonly sentence: string;
}

/**
 * @param nodeNames of all its workflows: a node is also named by a sentence that has its name in quotation marks
 * @throws ZodError when it is no answer of this tool
 */
export function judgeExplanation(
  answer: unknown,
  expectation: Expectation,
  nodeNames: readonly string[],
): Judgement {
  const { findings, sentence, error } = readAnswer(answer);
  const judge = (verdict: Verdict, why: string): Judgement => ({ verdict, why, sentence });
  const { roots, symptoms = [], says, alsoSays = [], neverSays = [] } = expectation;
  const all = findings.map((each) => each.sentence).join("\n");
  const untrue = neverSays.find((pattern) => pattern.test(all));
  if (untrue !== undefined) return judge("wrong", `says ${String(untrue)}`);
  if (findings.length === 0) return judge("missed", "says nothing");

  const named = namedIn(findings.slice(0, 2), nodeNames).slice(0, 2);
  const [first] = named;
  const isKnown = first === undefined || [...roots, ...symptoms].includes(first);
  if (roots.length > 0 && !isKnown) return judge("wrong", `blames ${first ?? "nothing"}`);
  if (roots.length > 0 && !named.some((name) => roots.includes(name)))
    return judge("missed", `names ${named.join(" and ") || "no node"}, not ${roots.join(" or ")}`);

  const heard = findings
    .slice(0, 2)
    .map((each) => each.sentence)
    .join("\n");
  const unsaid = says.find((pattern) => !pattern.test(heard));
  if (unsaid !== undefined) return judge("missed", `does not say ${String(unsaid)} first`);
  const everything = JSON.stringify([findings, error]);
  const nowhere = alsoSays.find((pattern) => !pattern.test(everything));
  return nowhere === undefined ? judge("explained", "") : judge("missed", `does not say ${String(nowhere)}`);
}

/** In the order in which they are told, each once. */
function namedIn(findings: readonly Finding[], nodeNames: readonly string[]): string[] {
  const named = findings.flatMap(({ node, sentence }) => {
    const places = nodeNames
      .map((name) => ({ name, at: sentence.indexOf(`"${name}"`) }))
      .filter(({ at }) => at >= 0)
      .sort((left, right) => left.at - right.at);
    return [...(node === undefined ? [] : [node]), ...places.map(({ name }) => name)];
  });
  return [...new Set(named)];
}

/** What sounds like a claim that something went wrong. */
const ALARM =
  /\b(fail(s|ed|ure|ures)?|errors?|went wrong|crash(ed)?|refused|swallow(ed|s)?|caught|timed out|broken?|threw|lost)\b/i;
/** The same, denied: what a calm sentence says. */
const DENIALS =
  /\b(nothing (has )?(failed|went wrong)|no (node |item )?(failure|error|failed|problem)s?( \w+)?|(no|none of) \w+ (failed|threw)|without (an |any )?(error|failure)s?|(did|does|has|have) ?n[o']t fail(ed)?|not a failure|never failed)\b/gi;

/**
 * Names in quotation marks are left aside: a node may be called "On error". An observation is no alarm; whether it
 * is one, its words decide, and that it claims no more than to have been observed.
 */
export function judgeOrdinary(answer: unknown, nodeNames: readonly string[]): Judgement {
  const { findings, sentence } = readAnswer(answer);
  const alarming = findings.find((each) => ALARM.test(withoutNames(each.sentence, nodeNames)));
  if (alarming !== undefined) return { verdict: "false alarm", why: alarming.sentence, sentence };
  return { verdict: "calm", why: "", sentence };
}

function withoutNames(sentence: string, nodeNames: readonly string[]): string {
  const unnamed = [...nodeNames]
    .sort((left, right) => right.length - left.length)
    .reduce((text, name) => text.replaceAll(name, "…"), sentence);
  return unnamed.replace(/"[^"]*"|“[^”]*”|`[^`]*`|«[^»]*»/g, "…").replace(DENIALS, "…");
}

function readAnswer(answer: unknown) {
  const { message, data } = explained.parse(answer);
  const findings = [...(data.explanation ? [data.explanation] : []), ...data.evidence];
  return { findings, sentence: data.explanation?.sentence ?? message, error: data.error };
}
