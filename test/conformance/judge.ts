/** Holds what the suite found against what is expected of each scenario. Pure. */
import { type Applies, type DoesNotApply, type Expectation, isApplying, type Target } from "./scenarios.ts";
import type { Check, Results, Revision } from "./suite.ts";

export interface Verdict {
  readonly scenario: string;
  readonly outcome: "passed" | "failed" | "does not apply";
  /** What is wrong, one line each. */
  readonly problems: readonly string[];
}

/** Scenario → what it applies to, as the suite says. */
export type Listing = ReadonlyMap<string, readonly string[]>;
type Expectations = Readonly<Record<string, Expectation>>;

/** The suite adds them to every scenario; they say nothing about what it is for. */
const OF_EVERY_SCENARIO = ["wire-schema-valid", "wire-schema-harness-error"];
const AMISS: readonly Check["status"][] = ["FAILURE", "WARNING"];

/** Where the table and the suite do not name the same scenarios. */
export function findDisagreements(listing: Listing, expectations: Expectations): string[] {
  const unknown = [...listing.keys()].filter((name) => !Object.hasOwn(expectations, name));
  const gone = Object.keys(expectations).filter((name) => !listing.has(name));
  return [
    ...unknown.map((name) => `${name}: the suite has it, test/conformance/scenarios.ts does not`),
    ...gone.map((name) => `${name}: test/conformance/scenarios.ts has it, the suite does not`),
  ];
}

export interface RunToJudge {
  readonly listing: Listing;
  readonly expectations: Expectations;
  readonly target: Target;
  readonly revision: Revision;
  readonly results: Results;
}

/** A verdict for each scenario of the revision that this target answers for. */
export function judgeRun({ listing, expectations, target, revision, results }: RunToJudge): Verdict[] {
  return Object.entries(expectations)
    .filter(([scenario]) => listing.get(scenario)?.includes(revision))
    .filter(([, expectation]) => target === (isApplying(expectation) ? expectation.on : "worker"))
    .map(([scenario, expectation]) =>
      judge(scenario, at(revision, expectation), results.get(scenario) ?? []),
    );
}

/** What is expected at one revision. */
function at(revision: Revision, expectation: Expectation): Expectation {
  const reason = isApplying(expectation) ? expectation.except?.[revision] : undefined;
  return reason === undefined ? expectation : { reason };
}

function judge(scenario: string, expectation: Expectation, checks: readonly Check[]): Verdict {
  const applies = isApplying(expectation);
  const problems = applies ? judgeApplying(expectation, checks) : judgeNotApplying(expectation, checks);
  const outcome = problems.length > 0 ? "failed" : applies ? "passed" : "does not apply";
  return { scenario, outcome, problems };
}

function judgeApplying({ excused = {} }: Applies, checks: readonly Check[]): string[] {
  const amiss = checks.filter(({ status }) => AMISS.includes(status));
  const stale = Object.keys(excused).filter((id) => !amiss.some((check) => check.id === id));
  return [
    ...amiss
      .filter(({ id }) => !Object.hasOwn(excused, id))
      .map(({ status, id, errorMessage = "" }) => `${status} ${id}: ${errorMessage}`),
    ...stale.map((id) => `${id} is excused, and passes: take it off the list`),
    ...(hasSuccess(checks) ? [] : ["nothing was checked"]),
  ];
}

function judgeNotApplying({ passesAnyway }: DoesNotApply, checks: readonly Check[]): string[] {
  const passes = hasSuccess(checks) && !checks.some(({ status }) => AMISS.includes(status));
  if (passes === (passesAnyway === true)) return [];
  return [
    passes ? "is listed as not applying, and passes" : "is listed as passing anyway, and does not pass",
  ];
}

function hasSuccess(checks: readonly Check[]): boolean {
  return checks.some(({ id, status }) => status === "SUCCESS" && !OF_EVERY_SCENARIO.includes(id));
}
