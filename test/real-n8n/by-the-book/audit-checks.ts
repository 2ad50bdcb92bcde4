/**
 * The audit on a real n8n: the server by the book has no findings; with each variant, applied to the stored
 * workflows as a person would in the editor, the audit finds exactly that one. Each variant is reverted afterwards.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { RULES } from "../../../src/features/audit-workflow/rules/index.ts";
import type { AgentClient } from "../../support/agent-client.ts";
import type { RunningN8n } from "../boot.ts";
import { type ApiAccess, callApi } from "../n8n-api.ts";
import { start } from "./parts.ts";
import { createBookWorkflow, createTags, type SeededBook } from "./seed.ts";
import { type Book, DELETED, ruleSetOf, type Variant, variants, WITHOUT_VARIANT } from "./variants.ts";
import { type BookDefinition, type BookKey, bookDefinitions, bookKeys } from "./workflows.ts";

const audited = z.looseObject({
  score: z.number().nullable(),
  findings: z.array(
    z.looseObject({
      rule: z.string(),
      node: z.string().nullable(),
      workflow: z.looseObject({ id: z.string(), name: z.string() }),
    }),
  ),
  notJudged: z.array(z.looseObject({ rule: z.string(), reason: z.string() })),
  nextCursor: z.string().nullable(),
});
type Audited = z.infer<typeof audited>;

/** The label of the printed row. */
export interface VariantOutcome {
  readonly variant: Variant;
  readonly hasPassed: boolean;
  /** The findings, or n8n's message when it refused. */
  readonly said: string;
}

/** The longest wait for n8n to have unpublished a workflow. */
const UNPUBLISH_PATIENCE_MS = 15_000;

/** Both servers with everything they use, which is the whole book. */
async function auditBook(
  client: AgentClient,
  { ids }: SeededBook,
  rules: "guide" | "n8n-3" = "guide",
): Promise<Audited> {
  const answers = await Promise.all(
    [ids.server, ids.contacts].map(async (workflowId) => {
      const { envelope } = await client.call("audit_workflow", { workflowId, rules });
      if (envelope.status !== "success") throw new Error(JSON.stringify(envelope).slice(0, 500));
      return audited.parse(envelope.data);
    }),
  );
  const scores = answers.map(({ score }) => score ?? 0);
  // The error workflow of both is audited twice.
  const findings = new Map(
    answers.flatMap((answer) => answer.findings).map((each) => [JSON.stringify(each), each]),
  );
  return {
    score: Math.min(...scores),
    findings: [...findings.values()],
    notJudged: answers.flatMap(({ notJudged }) => notJudged),
    nextCursor: answers.find(({ nextCursor }) => nextCursor !== null)?.nextCursor ?? null,
  };
}

/** @throws Error when anything is found in the unchanged book */
export async function checkBook(client: AgentClient, book: SeededBook): Promise<string> {
  const { score, findings, notJudged } = await auditBook(client, book);
  if (findings.length + notJudged.length > 0 || score !== 100)
    throw new Error(`found ${JSON.stringify({ score, findings, notJudged })}`);
  const whole = audited.parse((await client.call("audit_workflow")).envelope.data);
  const ofBook = whole.findings.filter(({ workflow }) => Object.values(book.ids).includes(workflow.id));
  if (ofBook.length > 0) throw new Error(`in the whole instance, found ${JSON.stringify(ofBook)}`);
  return `score ${score}; ${bookKeys.length} workflows`;
}

/** Applies, audits and reverts each variant. */
export async function checkVariants(
  client: AgentClient,
  n8n: RunningN8n,
  book: SeededBook,
): Promise<VariantOutcome[]> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const tagIds = await createTags(access);
  const outcomes: VariantOutcome[] = [];
  for (const variant of variants) {
    const changed = definitionsOf(book);
    variant.change(changed, book.ids);
    const keys = changedKeys(definitionsOf(book), changed);
    const refusal = await applyAll(access, book, changed, keys, tagIds);
    outcomes.push(
      refusal === undefined
        ? judge(variant, await auditBook(client, book, ruleSetOf(variant.rule)), book)
        : { variant, hasPassed: false, said: `n8n refuses: ${refusal}` },
    );
    await restore(access, book, keys, tagIds);
  }
  return outcomes;
}

/** The seeded definitions, to be changed in place. */
function definitionsOf({ world }: SeededBook): Book {
  const entries = bookKeys.map((key) => [key, bookDefinitions[key](world)] as const);
  return structuredClone(Object.fromEntries(entries)) as Book;
}

/** Node ids are created anew each time. */
const withoutIds = (definition: BookDefinition): string =>
  JSON.stringify(definition, (key, value: unknown) =>
    key === "id" || key === "webhookId" ? undefined : value,
  );

function changedKeys(before: Book, after: Book): BookKey[] {
  return bookKeys.filter((key) => withoutIds(before[key]) !== withoutIds(after[key]));
}

/** @returns n8n's message when it refuses */
async function applyAll(
  access: ApiAccess,
  { ids }: SeededBook,
  book: Book,
  keys: readonly BookKey[],
  tagIds: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  try {
    const deleted = callsDeleted(book, keys) ? await createForDeletion(access, tagIds) : undefined;
    for (const key of keys) await store(access, ids[key], named(book[key], deleted), tagIds);
    if (deleted !== undefined) await deleteWorkflow(access, deleted);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function callsDeleted(book: Book, keys: readonly BookKey[]): boolean {
  return keys.some((key) => JSON.stringify(book[key].nodes).includes(DELETED));
}

/** A published sub-workflow, which is deleted later. */
async function createForDeletion(access: ApiAccess, tagIds: ReadonlyMap<string, string>): Promise<string> {
  const nodes = [start([{ name: "request_id", type: "string", description: "" }])];
  const definition: BookDefinition = {
    name: "SWF_Deleted",
    nodes,
    connections: {},
    settings: {},
    tags: [],
  };
  return await createBookWorkflow(access, definition, tagIds);
}

async function refusalOf(access: ApiAccess, id: string): Promise<unknown> {
  return await callApi(access, "DELETE", `/workflows/${id}`).then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function deleteWorkflow(access: ApiAccess, id: string): Promise<void> {
  await callApi(access, "POST", `/workflows/${id}/deactivate`);
  const deadline = Date.now() + UNPUBLISH_PATIENCE_MS;
  // n8n continues unpublishing for a moment after its answer.
  for (
    let refusal = await refusalOf(access, id);
    refusal !== undefined;
    refusal = await refusalOf(access, id)
  ) {
    if (Date.now() > deadline) throw refusal;
    await sleep(200);
  }
}

function named(definition: BookDefinition, deleted: string | undefined): BookDefinition {
  if (deleted === undefined) return definition;
  const nodes = JSON.parse(JSON.stringify(definition.nodes).replaceAll(DELETED, deleted));
  return { ...definition, nodes };
}

/** Saves, tags, and publishes or unpublishes it. */
async function store(
  access: ApiAccess,
  id: string,
  { name, nodes: placed, connections, settings, tags, isDraft }: BookDefinition,
  tagIds: ReadonlyMap<string, string>,
): Promise<void> {
  const nodes = placed.map((each, index) => ({ ...each, position: [index * 220, 0] }));
  await callApi(access, "PUT", `/workflows/${id}`, { name, nodes, connections, settings });
  await callApi(
    access,
    "PUT",
    `/workflows/${id}/tags`,
    tags.map((tag) => ({ id: tagIds.get(tag) })),
  );
  await callApi(access, "POST", `/workflows/${id}/${isDraft === true ? "deactivate" : "activate"}`);
}

async function restore(
  access: ApiAccess,
  book: SeededBook,
  keys: readonly BookKey[],
  tagIds: ReadonlyMap<string, string>,
): Promise<void> {
  const refusal = await applyAll(access, book, definitionsOf(book), keys, tagIds);
  if (refusal !== undefined) throw new Error(`the book could not be restored: ${refusal}`);
}

function judge(variant: Variant, { findings }: Audited, { ids }: SeededBook): VariantOutcome {
  const { rule, where, alsoBreaks = [] } = variant;
  const isThere = findings.some((each) => each.rule === rule && each.workflow.id === ids[where]);
  const unrelated = findings.filter((each) => each.rule !== rule && !alsoBreaks.includes(each.rule));
  const said = findings.map((each) => `${each.rule} at ${each.node ?? each.workflow.name}`).join("; ");
  return { variant, hasPassed: isThere && unrelated.length === 0, said: said || "nothing" };
}

/** One line per variant. */
export function matrixOf(outcomes: readonly VariantOutcome[]): string {
  return outcomes
    .map(({ variant, hasPassed, said }) => {
      const what = `${variant.rule}: ${variant.what}`;
      return `    ${hasPassed ? "ok  " : "FAIL"} ${what.padEnd(82)} → ${said}`;
    })
    .join("\n");
}

/** @throws Error when a variant did not yield exactly its finding, or a rule has no variant */
export function checkMatrix(outcomes: readonly VariantOutcome[]): string {
  const failed = outcomes.filter(({ hasPassed }) => !hasPassed);
  if (failed.length > 0) throw new Error(`${failed.length} of ${outcomes.length} variants failed`);
  const broken = new Set(outcomes.map(({ variant }) => variant.rule));
  const missing = RULES.map(({ id }) => id).filter((id) => !broken.has(id) && !WITHOUT_VARIANT.includes(id));
  if (missing.length > 0) throw new Error(`no variant breaks ${missing.join(", ")}`);
  return `${RULES.length} rules, ${outcomes.length} variants`;
}
