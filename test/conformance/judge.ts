/** Compares the suite's results with the expectations for each scenario. Pure. */
import { type Applies, type DoesNotApply, type Expectation, isApplying, type Target } from "./scenarios.ts";
import type { Check, Results, Revision } from "./suite.ts";

export interface Verdict {
  readonly scenario: string;
  readonly outcome: "passed" | "failed" | "does not apply";
  /** One line each. */
  readonly problems: readonly string[];
}

/** Scenario → what it applies to, according to the suite. */
export type Listing = ReadonlyMap<string, readonly string[]>;
type Expectations = Readonly<Record<string, Expectation>>;

/** The suite adds these checks to every scenario; they prove nothing about its subject. */
const OF_EVERY_SCENARIO = ["wire-schema-valid", "wire-schema-harness-error"];
const PROBLEMATIC: readonly Check["status"][] = ["FAILURE", "WARNING"];

/** Scenarios that are only in the suite or only in the table. */
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

/** A verdict for each scenario of the revision that runs against this target. */
export function judgeRun({ listing, expectations, target, revision, results }: RunToJudge): Verdict[] {
  return Object.entries(expectations)
    .filter(([scenario]) => listing.get(scenario)?.includes(revision))
    .filter(([, expectation]) => target === (isApplying(expectation) ? expectation.on : "worker"))
    .map(([scenario, expectation]) =>
      judge(scenario, at(revision, expectation), results.get(scenario) ?? []),
    );
}

/** The expectation at one revision. */
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
  const problematic = checks.filter(({ status }) => PROBLEMATIC.includes(status));
  const stale = Object.keys(excused).filter((id) => !problematic.some((check) => check.id === id));
  return [
    ...problematic
      .filter(({ id }) => !Object.hasOwn(excused, id))
      .map(({ status, id, errorMessage = "" }) => `${status} ${id}: ${errorMessage}`),
    ...stale.map((id) => `${id} is excused, and passes: take it off the list`),
    ...(hasSuccess(checks) ? [] : ["nothing was checked"]),
  ];
}

function judgeNotApplying({ passesAnyway }: DoesNotApply, checks: readonly Check[]): string[] {
  const passes = hasSuccess(checks) && !checks.some(({ status }) => PROBLEMATIC.includes(status));
  if (passes === (passesAnyway === true)) return [];
  return [
    passes ? "is listed as not applying, and passes" : "is listed as passing anyway, and does not pass",
  ];
}

function hasSuccess(checks: readonly Check[]): boolean {
  return checks.some(({ id, status }) => status === "SUCCESS" && !OF_EVERY_SCENARIO.includes(id));
}
