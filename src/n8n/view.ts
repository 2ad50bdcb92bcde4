/**
 * What a caller may see of one n8n: which workflows, and the payload of which of them. Everything read from n8n or from
 * its history is read through a view. Pure.
 *
 * Fails closed: a workflow that is missing from n8n's list, is younger than the list, or lacks a fact that a rule
 * selects by, is granted only by a rule that names its id or grants all workflows.
 */
import type { Scope, WorkflowSelector } from "../settings/index.ts";
import type { WorkflowFacts } from "./workflow-schemas.ts";

/** What one rule grants in one n8n. */
export interface Grant {
  /** Undefined for all. */
  readonly workflows?: WorkflowSelector | undefined;
  readonly scopes: readonly Scope[];
}

type Ids = ReadonlySet<string> | null;

export interface ViewParts {
  readonly seen: readonly string[] | null;
  readonly data: readonly string[] | null;
}

export class View {
  static readonly everything = new View(null, null);
  /** Null for all. */
  readonly ids: readonly string[] | null;
  readonly #seen: Ids;
  readonly #data: Ids;
  #key: string | undefined;

  private constructor(seen: Ids, data: Ids) {
    this.ids = seen && [...seen];
    this.#seen = seen;
    this.#data = data;
  }

  static from({ seen, data }: ViewParts): View {
    return new View(seen && new Set(seen), data && new Set(data));
  }

  /** @param workflows every workflow of this n8n; unused if `needsWorkflows` is false */
  static of(grants: readonly Grant[], workflows: readonly WorkflowFacts[]): View {
    const withData = grants.filter(({ scopes }) => scopes.includes("n8n:data"));
    return new View(idsGivenBy(grants, workflows), idsGivenBy(withData, workflows));
  }

  /** The workflows whose payload may be seen: for a search, which shows nothing else. */
  get withData(): View {
    return new View(this.#data, this.#data);
  }

  get isWhole(): boolean {
    return this.#seen === null && this.#data === null;
  }

  /** As plain data, to be sent to another Durable Object. */
  get parts(): ViewParts {
    return { seen: this.ids, data: this.#data && [...this.#data] };
  }

  /** A cache key: the same for the same workflows, in whatever order n8n lists them. */
  get key(): string {
    this.#key ??= JSON.stringify([this.#seen, this.#data].map((ids) => ids && [...ids].toSorted()));
    return this.#key;
  }

  has(workflowId: string | null | undefined): boolean {
    return this.#seen === null || (typeof workflowId === "string" && this.#seen.has(workflowId));
  }

  /** @param workflowId null for all visible workflows */
  mayReadData(workflowId: string | null): boolean {
    if (this.#data === null) return true;
    if (workflowId !== null) return this.has(workflowId) && this.#data.has(workflowId);
    return this.#seen !== null && [...this.#seen].every((id) => this.#data?.has(id) === true);
  }
}

function idsGivenBy(grants: readonly Grant[], workflows: readonly WorkflowFacts[]): Ids {
  if (grants.some(({ workflows: selector }) => selector === undefined)) return null;
  const all = grants.flatMap(({ workflows: selector = {} }) => [
    ...(selector.ids ?? []),
    ...workflows.filter((workflow) => isSelected(workflow, selector)).map(({ id }) => id),
  ]);
  return new Set(all);
}

function isSelected(
  { name, tags, projects = [], folder = [] }: WorkflowFacts,
  selector: WorkflowSelector,
): boolean {
  return (
    tags.some((tag) => selector.tags?.includes(tag)) ||
    projects.some((project) => selector.projects?.includes(project)) ||
    folder.some((part) => selector.folders?.includes(part)) ||
    (selector.names ?? []).some((pattern) => matchesName(name, pattern))
  );
}

/** Selectors that match no workflow, such as `tags orders`, for the operator who wrote the rules. */
export function unmatchedBy(
  workflows: readonly WorkflowFacts[],
  grants: readonly Grant[],
): readonly string[] {
  const named = grants.flatMap(({ workflows: selector = {} }) =>
    Object.entries(selector).flatMap(([member, names = []]) => names.map((name) => ({ member, name }))),
  );
  const has = (workflow: WorkflowFacts, member: string, name: string) =>
    member === "ids" ? workflow.id === name : isSelected(workflow, { [member]: [name] });
  const unmatched = named.filter(({ member, name }) => !workflows.some((one) => has(one, member, name)));
  return [...new Set(unmatched.map(({ member, name }) => `${member} ${name}`))];
}

/** A `*` stands for any characters. Takes linear time: a pattern has no alternatives. */
function matchesName(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}

/** Whether a view of these grants needs n8n's list of workflows. */
export const needsWorkflows = (grants: readonly Grant[]): boolean =>
  !grants.some(({ workflows, scopes }) => workflows === undefined && scopes.includes("n8n:data")) &&
  grants.some(({ workflows }) => Object.keys(workflows ?? {}).some((member) => member !== "ids"));

/** Whether every granted workflow comes with its payload; undefined where only a view can tell. */
export function givePayloadOfAll(grants: readonly Grant[]): boolean | undefined {
  const withData = grants.filter(({ scopes }) => scopes.includes("n8n:data")).length;
  if (withData === 0) return false;
  return withData === grants.length ? true : undefined;
}

/** Facts that the grants select by and this n8n does not report. */
export function unreportedFacts(
  workflows: readonly WorkflowFacts[],
  grants: readonly Grant[],
): readonly ("projects" | "folders")[] {
  const selectsBy = (member: "projects" | "folders") =>
    grants.some(({ workflows: selector }) => selector?.[member] !== undefined);
  const reports = {
    projects: workflows.some(({ projects }) => projects !== undefined),
    folders: workflows.some(({ folder }) => folder !== undefined),
  };
  return (["projects", "folders"] as const).filter((member) => selectsBy(member) && !reports[member]);
}
