/**
 * Builds addresses at which people open workflows and executions, and finds the execution that an address names.
 * Pure: an address from a caller is never requested; only ids are taken from it.
 *
 * The addresses are those of n8n's editor (its router, n8n 1.100 to 2.40): `/workflow/<id>`,
 * `/workflow/<id>/executions/<id>/<node>`, `/workflow/<id>/debug/<id>`; and addresses that resume a waiting execution:
 * `/webhook-waiting/<id>`, `/form-waiting/<id>`.
 */
import { ObserverError } from "../platform/errors.ts";
import type { N8nSettings } from "../settings/index.ts";
import { isEngineV2Run } from "./schemas.ts";

export interface N8nUrls {
  /** Addresses with `{workflowId}` and `{executionId}` as placeholders, for answers that name many of them. */
  readonly templates: { readonly workflow: string; readonly execution: string };
  workflow(workflowId: string): string;
  execution(workflowId: string, executionId: string): string;
  /** Where the operator's tracing tool shows a trace; undefined without `TRACE_URL`. */
  trace(traceId: string): string | undefined;
  /**
   * The id of the execution that an address names. Undefined when the text is not an address.
   * @throws ObserverError `VALIDATION_ERROR` for an address of another n8n, or one that names no execution
   */
  executionIdIn(text: string): string | undefined;
}

export const urlFrom = (template: string, ids: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(ids[name] ?? whole));

const ID = "([1-9]\\d{0,18})";
/** The only group of each is the execution's id. */
const EXECUTION_PATHS = [
  `^(?:/projects/[^/]+)?/workflow/[^/]+/(?:executions(?:/debug)?|debug)/${ID}(?:/[^/]*)?/?$`,
  // n8n before 0.200, and the APIs.
  `^(?:/api/v1|/rest)?/executions?/${ID}/?$`,
  `^/(?:webhook|form)-waiting/${ID}(?:/.*)?$`,
].map((pattern) => new RegExp(pattern));
const WORKFLOW_PATH = /^(?:\/projects\/[^/]+)?\/workflow\/([A-Za-z0-9_-]{1,64})(?:\/|$)/;

type Addresses = Pick<N8nSettings, "baseUrl" | "editorUrl"> & Partial<Pick<N8nSettings, "traceUrl">>;

export function createN8nUrls({ baseUrl, editorUrl, traceUrl }: Addresses): N8nUrls {
  const workflowAt = (workflowId: string): string => `${editorUrl}/workflow/${workflowId}`;
  const executionAt = (workflowId: string, executionId: string): string =>
    `${workflowAt(workflowId)}/executions/${executionId}`;
  return {
    templates: {
      workflow: workflowAt("{workflowId}"),
      execution: executionAt("{workflowId}", "{executionId}"),
    },
    workflow: (workflowId) => workflowAt(encodeURIComponent(workflowId)),
    execution: (workflowId, executionId) => executionAt(encodeURIComponent(workflowId), executionId),
    trace: (traceId) => traceUrl?.replaceAll("{traceId}", () => encodeURIComponent(traceId)),
    executionIdIn(text) {
      if (!/^https?:\/\//i.test(text)) return undefined;
      const paths = [editorUrl, baseUrl].flatMap((own) => pathBelow(own, text) ?? []);
      if (paths.length === 0) throw ofAnotherN8n(editorUrl);
      const [id] = paths.flatMap(executionIdAt);
      if (id === undefined) throw ofNoExecution(paths);
      return id;
    },
  };
}

function pathBelow(own: string, text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const base = new URL(own);
  const { origin, pathname } = new URL(text);
  const root = base.pathname.replace(/\/$/, "");
  return origin === base.origin && pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : undefined;
}

const executionIdAt = (path: string): string[] =>
  EXECUTION_PATHS.flatMap((pattern) => pattern.exec(path)?.[1] ?? []).slice(0, 1);

const EXPECTED = "the address of an execution, as n8n's editor shows it: …/workflow/<id>/executions/<id>";

const invalidAddress = (message: string, solution: string): ObserverError =>
  new ObserverError("VALIDATION_ERROR", message, { field: "requestId", expected: EXPECTED, solution });

const ofAnotherN8n = (editorUrl: string): ObserverError =>
  invalidAddress(
    "This is not an address of this n8n.",
    `This server reads the n8n that people open at ${editorUrl}. If it is the same one under another address, have the operator set N8N_EDITOR_URL; otherwise ask the server of that n8n. The execution's id alone works, too.`,
  );

function ofNoExecution(paths: readonly string[]): ObserverError {
  if (paths.some((path) => path.split("/").some(isEngineV2Run)))
    return invalidAddress(
      "This is the address of a run of n8n's engine v2.",
      "n8n's public API shows no runs of engine v2 (setting engineType of the workflow): look at it in n8n.",
    );
  const [workflowId] = paths.flatMap((path) => WORKFLOW_PATH.exec(path)?.[1] ?? []);
  const args = workflowId === undefined || workflowId === "new" ? {} : { workflowId };
  return invalidAddress(
    "This address of n8n names no execution.",
    `List executions with get_workflow_executions(${JSON.stringify(args)}), or open one in n8n and copy its address.`,
  );
}
