import * as z from "zod";
import { ObserverError } from "../errors.ts";
import { defineTool, type ToolContext } from "../mcp/define-tool.ts";
import type { N8nClient } from "../n8n/client.ts";

const check = z.looseObject({
  check: z.string(),
  status: z.enum(["pass", "warning", "fail", "skipped"]),
  detail: z.string(),
  solution: z.string().optional(),
});
type Check = z.infer<typeof check>;

/** Scopes that only read. Whatever else a key has, it has too much. */
const READING_SCOPE = /:(read|list)$/;
/** No execution starts after this: a list that has one was not filtered. */
const FAR_FUTURE = "2999-01-01T00:00:00.000Z";

type Finding = Pick<Check, "status" | "detail" | "solution">;

async function attempt(name: string, body: () => Promise<Finding>): Promise<Check> {
  try {
    return { check: name, ...(await body()) };
  } catch (error) {
    // Says nothing of n8n: the check could not be made.
    if (!(error instanceof ObserverError) || error.code === "RATE_LIMITED") throw error;
    return { check: name, status: "fail", detail: error.message, solution: error.details.solution };
  }
}

function checkSettings(context: ToolContext): Check[] {
  const problems = context.settingProblems();
  if (problems.length === 0)
    return [{ check: "settings", status: "pass", detail: "All settings are there and well-formed." }];
  return problems.map(({ setting, problem, solution }) => ({
    check: `setting ${setting}`,
    status: "fail",
    detail: problem,
    solution,
  }));
}

async function checkReachable(client: N8nClient): Promise<Check> {
  return await attempt("n8n reachable", async () => {
    try {
      await client.listExecutions({ limit: 1 });
    } catch (error) {
      // An answer, even a refusal of the key, shows that n8n is there; what stands in front of it refuses otherwise.
      if (!(error instanceof ObserverError && error.details.field === "N8N_API_KEY")) throw error;
    }
    return { status: "pass", detail: "n8n answers at N8N_BASE_URL." };
  });
}

async function checkKey(client: N8nClient): Promise<Check> {
  return await attempt("key valid", async () => {
    try {
      await client.listExecutions({ limit: 1 });
    } catch (error) {
      // A key without this one scope is a valid key.
      const isScope = error instanceof ObserverError && error.code === "N8N_FORBIDDEN";
      if (!isScope || error.details.field !== "N8N_API_KEY") throw error;
    }
    return { status: "pass", detail: "n8n accepts N8N_API_KEY." };
  });
}

async function checkWorkflows(client: N8nClient): Promise<Check> {
  return await attempt("workflows readable", async () => {
    await client.listWorkflows({ limit: 1 });
    return { status: "pass", detail: "Workflows can be listed." };
  });
}

async function checkExecutions(client: N8nClient): Promise<Check> {
  return await attempt("executions readable", async () => {
    const { executions } = await client.listExecutions({ limit: 1 });
    const [first] = executions;
    if (first === undefined)
      return { status: "pass", detail: "Executions can be listed; there are none yet." };
    await client.readExecutionItem(first.id);
    return { status: "pass", detail: "Executions can be listed and read." };
  });
}

const MAX_SCOPES = 10;
const MAX_SCOPE_LENGTH = 60;

/** They come from n8n: as much of them as always fits into an answer. */
function someOf(scopes: readonly string[]): string {
  const shown = scopes.slice(0, MAX_SCOPES).map((scope) => scope.slice(0, MAX_SCOPE_LENGTH));
  return [...shown, ...(scopes.length > MAX_SCOPES ? ["…"] : [])].join(", ");
}

async function checkKeyScopes(client: N8nClient): Promise<Check> {
  return await attempt("key only reads", async () => {
    const scopes = await client.discoverScopes();
    if (scopes === undefined) {
      return {
        status: "skipped",
        detail: "This n8n does not tell a key's scopes.",
        solution: "Look at the key under Settings > n8n API.",
      };
    }
    const writing = scopes.filter((scope) => !READING_SCOPE.test(scope));
    if (writing.length === 0)
      return { status: "pass", detail: `The key has only reading scopes: ${someOf(scopes)}.` };
    return {
      status: "warning",
      detail: `The key can do more than read: ${someOf(writing)}.`,
      solution:
        "Nothing here uses it, but a key that only reads is safer: create one with workflow:read, workflow:list, execution:read, execution:list, tag:list.",
    };
  });
}

async function checkDateFilters(client: N8nClient): Promise<Check> {
  return await attempt("n8n filters by date", async () => {
    const without = {
      status: "warning",
      detail: "This n8n does not filter executions by date; dates are compared while paging.",
      solution: "Traces still work, but a window far back takes longer. n8n 2.36 or later filters.",
    } as const;
    try {
      const { executions } = await client.listExecutions({ limit: 1, startedAfter: FAR_FUTURE });
      return executions.length === 0 ? { status: "pass", detail: "Windows by date are cheap." } : without;
    } catch (error) {
      if (error instanceof ObserverError && error.details.httpStatus === 400) return without;
      throw error;
    }
  });
}

/** A tool that writes would be named for it; the client has no method but GET besides. */
const WRITING_NAME =
  /(^|_)(create|update|delete|remove|activate|deactivate|retry|stop|run|execute|set|add|write|move|transfer)(_|$)/;

function checkTools(toolNames: readonly string[]): Check {
  const writing = toolNames.filter((name) => WRITING_NAME.test(name));
  if (writing.length === 0) {
    return {
      check: "no tool writes",
      status: "pass",
      detail: `${toolNames.length} tools, all read-only; the n8n client can send nothing but GET.`,
    };
  }
  return {
    check: "no tool writes",
    status: "fail",
    detail: `These tools are named as if they wrote: ${writing.join(", ")}.`,
    solution: "Tell the operator: this should not be.",
  };
}

const N8N_CHECKS = [
  checkReachable,
  checkKey,
  checkWorkflows,
  checkExecutions,
  checkKeyScopes,
  checkDateFilters,
];

async function checkN8n(context: ToolContext): Promise<Check[]> {
  const checks: Check[] = [];
  let client: N8nClient;
  try {
    client = context.n8n();
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return [
      {
        check: "n8n reachable",
        status: "skipped",
        detail: "n8n is not configured.",
        solution: error.details.solution,
      },
    ];
  }
  for (const [index, run] of N8N_CHECKS.entries()) {
    checks.push(await run(client));
    await context.progress(index + 1, `${index + 1} of ${N8N_CHECKS.length} checks made`);
    // What does not answer is not asked again and again.
    if (run === checkReachable && checks[0]?.status === "fail") break;
  }
  return checks;
}

export const checkConnection = defineTool({
  name: "check_connection",
  title: "Check the connection to n8n",
  description:
    "Checks settings, n8n, its key and the key's scopes, each line pass or fail with its fix. Use it when another tool fails, or right after setting up.",
  scope: "n8n:read",
  maxTokens: 4_000,
  audited: {},
  input: z.strictObject({}),
  output: z.looseObject({ ready: z.boolean(), checks: z.array(check) }),
  async run(_input, context) {
    const checks = [...checkSettings(context), ...(await checkN8n(context)), checkTools(context.toolNames)];
    const failed = checks.filter((line) => line.status === "fail" || line.status === "skipped");
    const ready =
      checks.every((line) => line.status !== "fail") &&
      !checks.some((line) => line.check === "n8n reachable" && line.status === "skipped");
    const passed = checks.filter((line) => line.status === "pass").length;
    const next = ready ? "Ready." : `Not ready: ${failed.map((line) => line.check).join(", ")}.`;
    return { message: `${passed} of ${checks.length} checks passed. ${next}`, data: { ready, checks } };
  },
});
