import { definePrompt } from "../../mcp/define-prompt.ts";

export const whatBroke = definePrompt({
  name: "what_broke",
  title: "What broke since …?",
  description: "What failed in a time, and what has gone silent.",
  arguments: {
    since: { description: "ISO 8601 date or time, or words such as yesterday morning" },
    workflow: { description: "Only this workflow, by its name", isOptional: true },
  },
  text: ({ since, workflow }, has) =>
    [
      `What broke in n8n since ${since}${workflow === "" ? "" : `, in the workflow ${workflow}`}?`,
      "Make an ISO 8601 time of it, in UTC.",
      has("summarize_failures")
        ? "Begin with summarize_failures for that window: it groups what failed, and names what has gone silent."
        : 'Begin with get_workflow_executions({"status":"error"}), page by page as far as that time, and group what failed by workflow.',
      `For each group look at one execution, with ${has("explain_failure") ? "explain_failure" : "get_execution"}.`,
      "Answer with a list, worst first: workflow, what failed, how often, since when, why, and one address in n8n each.",
    ].join("\n"),
});
