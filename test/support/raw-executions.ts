/**
 * Executions as n8n itself sends them, for comparison, read as a whole by code that the observer does not use.
 */
import * as z from "zod";

const items = z.array(z.looseObject({ json: z.unknown() }));
const connections = z.record(z.string(), z.array(items.nullable()));

const run = z.looseObject({
  executionStatus: z.string().optional(),
  source: z.array(
    z
      .looseObject({
        previousNode: z.string(),
        previousNodeOutput: z.number().optional(),
        previousNodeRun: z.number().optional(),
      })
      .nullable(),
  ),
  data: connections.optional(),
  inputOverride: connections.optional(),
});
export type RawRun = z.infer<typeof run>;

const rawExecution = z.looseObject({
  id: z.string(),
  status: z.string(),
  workflowData: z.looseObject({
    name: z.string(),
    nodes: z.array(z.looseObject({ name: z.string(), type: z.string(), parameters: z.unknown() })),
  }),
  data: z.looseObject({
    resultData: z.looseObject({ runData: z.record(z.string(), z.array(run)).default({}) }),
  }),
});
export type RawExecution = z.infer<typeof rawExecution>;

const list = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

async function get(n8n: Access, path: string): Promise<unknown> {
  const response = await fetch(`${n8n.baseUrl}/api/v1${path}`, { headers: { "X-N8N-API-KEY": n8n.apiKey } });
  return await response.json();
}

/** The ids of all executions, including running ones. */
export async function rawExecutionIds(n8n: Access): Promise<string[]> {
  const ended = list.parse(await get(n8n, "/executions?limit=250"));
  const running = list.parse(await get(n8n, "/executions?limit=250&status=running"));
  return [...ended.data, ...running.data].map(({ id }) => id);
}

export async function readRawExecution(n8n: Access, id: string): Promise<RawExecution> {
  return rawExecution.parse(await get(n8n, `/executions/${id}?includeData=true`));
}

/** The `json` of the items of one output. */
export function sentBy(sender: RawRun | undefined, output: number): unknown[] {
  const byType = sender?.data ?? {};
  const outputs = byType.main ?? Object.values(byType)[0] ?? [];
  return (outputs[output] ?? []).map(({ json }) => json);
}

/** The input of a run, according to n8n. */
export function givenTo(receiver: RawRun, execution: RawExecution): unknown[] {
  const override = Object.values(receiver.inputOverride ?? {})[0]?.[0];
  if (override !== undefined && override !== null) return override.map(({ json }) => json);
  return receiver.source.flatMap((source) => {
    if (source === null) return [];
    const runs = execution.data.resultData.runData[source.previousNode];
    return sentBy(runs?.[source.previousNodeRun ?? 0], source.previousNodeOutput ?? 0);
  });
}
