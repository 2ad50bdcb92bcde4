/** Audits the example book of workflows, as defined or changed, without an n8n. */

import { auditWorkflow, type Finding, type Unjudged } from "../../../src/features/audit-workflow/audit.ts";
import { type PastRuns, toPastRuns } from "../../../src/features/audit-workflow/past-runs.ts";
import { plainSecrets } from "../../../src/features/audit-workflow/plain-secrets.ts";
import { RULES } from "../../../src/features/audit-workflow/rules/index.ts";
import { type FindSecrets, instanceFacts, toSubject } from "../../../src/features/audit-workflow/subject.ts";
import { executionWithData } from "../../../src/n8n/schemas.ts";
import { toWorkflowWithNodes, type WorkflowWithNodes } from "../../../src/n8n/workflow-schemas.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { outlineOf } from "../../../src/workflows/workflow-outline.ts";
import { type Book, variants } from "../../real-n8n/by-the-book/variants.ts";
import {
  type BookKey,
  type BookWorld,
  bookDefinitions,
  bookKeys,
} from "../../real-n8n/by-the-book/workflows.ts";

export { variants };

export const bookIds: Record<BookKey, string> = {
  errorHandler: "id-errorHandler",
  getUser: "id-getUser",
  createEvent: "id-createEvent",
  routeAction: "id-routeAction",
  searchContact: "id-searchContact",
  contacts: "id-contacts",
  server: "id-server",
};
const world: BookWorld = {
  ids: bookIds,
  baseUrl: "http://n8n.example",
  upstreamUrl: "http://upstream.example",
  bearerCredential: { id: "credential", name: "Household bearer" },
};

/** A fresh copy of the book's definitions. */
export function newBook(): Book {
  const entries = bookKeys.map((key) => [key, bookDefinitions[key](world)] as const);
  return structuredClone(Object.fromEntries(entries)) as Book;
}

/** The workflow as n8n returns it, published. */
function asRead(
  key: BookKey,
  { name, nodes, connections, settings, tags, isDraft }: Book[BookKey],
): WorkflowWithNodes {
  const read = {
    id: bookIds[key],
    name,
    active: isDraft !== true,
    description: null,
    nodes,
    connections,
    settings,
    tags: tags.map((tag) => ({ name: tag })),
  };
  return toWorkflowWithNodes(JSON.parse(JSON.stringify(read)));
}

export interface AuditedBook {
  readonly findings: readonly Finding[];
  readonly unjudged: readonly Unjudged[];
}

export function auditBook(book: Book): AuditedBook {
  return auditAll(bookKeys.map((key) => asRead(key, book[key])));
}

const redact = createRedactor([]);
const findSecrets: FindSecrets = (parameters) => plainSecrets(parameters, (value) => redact(value).value);

/** The runs of each node of these workflows in two executions, each of `ms` milliseconds. */
export function runsOf(workflows: readonly WorkflowWithNodes[], ms = 1_000): PastRuns {
  const names = [...new Set(workflows.flatMap(({ nodes }) => nodes.map(({ name }) => name)))];
  const run = { startTime: 1, executionTime: ms, source: [] };
  const runData = Object.fromEntries(names.map((name) => [name, [run]]));
  const raw = (day: string) => ({
    ...{ id: "1", workflowId: "w", mode: "webhook", status: "success", startedAt: `${day}T00:00:00.000Z` },
    data: { resultData: { runData } },
  });
  return toPastRuns(["2026-11-02", "2026-11-01"].map((day) => executionWithData.parse(raw(day))));
}

/** @param pastRuns undefined if no executions were read */
export function auditAll(
  workflows: readonly WorkflowWithNodes[],
  pastRuns: PastRuns | undefined = runsOf(workflows),
): AuditedBook {
  const outlines = workflows.map(outlineOf);
  const instance = instanceFacts({
    workflows: new Map(outlines.map((outline) => [outline.id, outline])),
    unreadIds: new Set(),
    isComplete: true,
  });
  const audits = workflows.map((workflow) =>
    auditWorkflow(toSubject(workflow, instance, findSecrets, pastRuns), RULES),
  );
  return {
    findings: audits.flatMap(({ findings }) => findings),
    unjudged: audits.flatMap(({ unjudged }) => unjudged),
  };
}
