/** Audits a whole instance as an agent would: through the one boundary, page by page. */
import * as z from "zod";
import { auditWorkflow } from "../../src/features/audit-workflow/audit-workflow.ts";
import type { Fetch } from "../../src/n8n/requests.ts";
import { sumOf } from "../../src/platform/sum-of.ts";
import { createCaller, settingsFor } from "../../test/support/call-recorded.ts";
import { countTokens } from "../../test/support/token-counts.ts";
import { fetchUncompressed, type N8nAccess } from "./n8n-access.ts";

const page = z.looseObject({ findings: z.array(z.unknown()), nextCursor: z.string().nullable() });

export interface AuditedPage {
  readonly findings: number;
  readonly nextCursor: string | null;
  /** Of the whole answer, by a real tokenizer. */
  readonly text: string;
}

/** Asks for a page. @throws Error when the answer is no success */
export async function auditPage(n8n: N8nAccess, fetch: Fetch, cursor?: string): Promise<AuditedPage> {
  const caller = createCaller({ settings: settingsFor(n8n), tools: [auditWorkflow], fetch });
  const envelope = await caller.call("audit_workflow", cursor === undefined ? {} : { cursor });
  const text = JSON.stringify(envelope);
  if (envelope.status !== "success") throw new Error(`The audit failed: ${text.slice(0, 500)}`);
  const { findings, nextCursor } = page.parse(envelope.data);
  return { findings: findings.length, nextCursor, text };
}

export async function readAllPages(n8n: N8nAccess, first: AuditedPage) {
  const pages = [first];
  for (let cursor = first.nextCursor; cursor !== null; cursor = pages.at(-1)?.nextCursor ?? null) {
    pages.push(await auditPage(n8n, fetchUncompressed, cursor));
  }
  return {
    findings: sumOf(pages, ({ findings }) => findings),
    pages: pages.length,
    largestPageTokens: Math.max(...pages.map(({ text }) => countTokens(text))),
  };
}
