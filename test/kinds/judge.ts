/**
 * Judges what `explain_failure` says of a recorded kind against what was done to the workflow. Pure.
 * `explained` requires the root node to be named first or second, the reason in the first two sentences, and no untrue
 * sentence. An ordinary success is `calm` only if nothing is said to have gone wrong.
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

/** The judged part of an answer of `explain_failure`. */
const explained = z.looseObject({
  message: z.string().default(""),
  data: z.looseObject({
    explanation: finding.nullish(),
    evidence: z.array(finding).default([]),
    /** The failing node's own words, for callers who may read payloads. */
    error: z.unknown().optional(),
  }),
});

type Verdict = "explained" | "missed" | "wrong" | "calm" | "false alarm";

export interface Judgement {
  readonly verdict: Verdict;
  /** What the answer lacks, or says untruly. Empty if it is good. */
  readonly why: string;
  /** The first sentence. */
  readonly sentence: string;
}

/**
 * @param nodeNames of all its workflows: a sentence that quotes a node's name also names the node
 * @throws ZodError if it is no answer of this tool
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

  const firstSentences = findings
    .slice(0, 2)
    .map((each) => each.sentence)
    .join("\n");
  const unsaid = says.find((pattern) => !pattern.test(firstSentences));
  if (unsaid !== undefined) return judge("missed", `does not say ${String(unsaid)} first`);
  const everything = JSON.stringify([findings, error]);
  const nowhere = alsoSays.find((pattern) => !pattern.test(everything));
  return nowhere === undefined ? judge("explained", "") : judge("missed", `does not say ${String(nowhere)}`);
}

/** The nodes named, in order and each once. */
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

/** Words that claim something went wrong. */
const ALARM =
  /\b(fail(s|ed|ure|ures)?|errors?|went wrong|crash(ed)?|refused|swallow(ed|s)?|caught|timed out|broken?|threw|lost)\b/i;
/** Denials of such claims, which a calm sentence may contain. */
const DENIALS =
  /\b(nothing (has )?(failed|went wrong)|no (node |item )?(failure|error|failed|problem)s?( \w+)?|(no|none of) \w+ (failed|threw)|without (an |any )?(error|failure)s?|(did|does|has|have) ?n[o']t fail(ed)?|not a failure|never failed)\b/gi;

/** Ignores names and quotations, as a node may be called "On error". */
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
