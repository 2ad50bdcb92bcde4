/** Serves the prompts. Wrong arguments are answered in few words of the SDK's, which quote no value. */
import type { McpServer } from "@modelcontextprotocol/server";
import type { Prompt } from "./define-prompt.ts";

/** @param tools names of the tools that there are */
export function registerPrompts(
  server: McpServer,
  prompts: readonly Prompt[],
  tools: ReadonlySet<string>,
): void {
  for (const { name, title, description, schema, render } of prompts)
    server.registerPrompt(name, { title, description, argsSchema: schema }, (args) => ({
      description,
      messages: [{ role: "user", content: { type: "text", text: render(args, (tool) => tools.has(tool)) } }],
    }));
}
