import { definePrompt } from "../../mcp/define-prompt.ts";

export const whatHappened = definePrompt({
  name: "what_happened",
  title: "What happened to …?",
  description: "What became of a request: outcome, failing node, and why.",
  arguments: {
    request: {
      description:
        "Request id, execution id or n8n address, session id, trace id, or another value it carried",
    },
  },
  text: ({ request }, has) =>
    [
      `What happened in n8n to the request ${request}?`,
      `Begin with trace_request({"requestId":${request}}). If it is not found yet, continue with the traceId of the answer.`,
      has("explain_failure")
        ? "If it failed, or succeeded and did nothing, call explain_failure with the execution that decided."
        : "If it failed, call get_execution_by_node with the failing node.",
      "Answer in a few sentences: what happened, where, why, and the address of the execution in n8n. Say what could not be read.",
    ].join("\n"),
});
