/** Completes workflow names, by calling `list_workflows`, and instance names. The SDK's handler does not know the caller. */
import type { CompleteRequest, CompleteResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Prompt } from "./define-prompt.ts";
import type { Envelope } from "./envelope.ts";
import { type ResourceDefinition, uriTemplateOf } from "./resources.ts";

const MAX_NAMES = 20;
/** Arguments of prompts and resources that are a workflow's name. */
const WORKFLOW_NAMES = new Set(["workflow", "workflowName"]);

interface CompletionOptions {
  readonly prompts: readonly Prompt[];
  readonly resources: readonly ResourceDefinition[];
  readonly call: (tool: string, args: unknown, request: ServerContext) => Promise<Envelope>;
  readonly instances: readonly string[];
}

const listed = z.looseObject({
  status: z.literal("success"),
  data: z.looseObject({
    workflows: z.array(z.looseObject({ name: z.string() })),
    nextCursor: z.string().nullable(),
  }),
});

const completion = (values: readonly string[], hasMore = false): CompleteResult => ({
  completion: { values: [...new Set(values)], hasMore },
});

export function registerCompletions(server: McpServer, options: CompletionOptions): void {
  server.server.setRequestHandler("completion/complete", async ({ params }, request) => {
    const { argument, context } = params;
    if (argument.name === "instance")
      return completion(options.instances.filter((name) => name.startsWith(argument.value)));
    if (!isWorkflowName(params, options)) return completion([]);
    return await namesLike(argument.value, context?.arguments?.instance, request, options);
  });
}

function isWorkflowName(
  { ref, argument }: CompleteRequest["params"],
  { prompts, resources, instances }: CompletionOptions,
): boolean {
  if (!WORKFLOW_NAMES.has(argument.name)) return false;
  return ref.type === "ref/prompt"
    ? prompts.some((prompt) => prompt.name === ref.name && Object.hasOwn(prompt.arguments, argument.name))
    : resources.some((each) => uriTemplateOf(each, instances) === ref.uri && each.argument === argument.name);
}

/** Returns no names if the call fails; using the prompt or resource then shows the reason. */
async function namesLike(
  value: string,
  instance: string | undefined,
  request: ServerContext,
  { call }: CompletionOptions,
): Promise<CompleteResult> {
  const args = {
    limit: MAX_NAMES,
    ...(value === "" ? {} : { name: value }),
    ...(instance ? { instance } : {}),
  };
  const answer = listed.safeParse(await call("list_workflows", args, request));
  if (!answer.success) return completion([]);
  const { workflows, nextCursor } = answer.data.data;
  return completion(
    workflows.map(({ name }) => name),
    nextCursor !== null,
  );
}
