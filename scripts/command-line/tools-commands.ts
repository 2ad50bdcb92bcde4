/** The sub-commands of `npm run tools`. */
import type { Subcommands } from "./subcommands.ts";

type Tool = Subcommands["names"][string];

/** @param projects of vitest.config.ts */
const tests = (about: string, projects: readonly string[], ...more: readonly string[]): Tool => ({
  about,
  file: "node_modules/vitest/vitest.mjs",
  args: ["run", ...projects.map((project) => `--project=${project}`), ...more],
});

const script = (about: string, file: string): Tool => ({ about, file });

export const TOOLS: Subcommands = {
  command: "npm run tools",
  about: "Lanes of tests, benchmarks and recordings. docs/testing.md says which test proves what.",
  names: {
    "test:unit": tests("the tests that need no Worker", ["unit", "unit-vite"]),
    "test:thorough": tests("random cases and large sets; two n8n instances", [
      "thorough",
      "thorough-worker",
      "worker-instances",
    ]),
    "test:clients": tests("MCP clients and commands, over HTTP", ["clients"]),
    "test:browser": tests("the pages, in Chromium", ["browser"]),
    "test:operations": tests("what operators do", ["operations"]),
    "test:heavy": tests(
      "the cases that npm test leaves out",
      ["heavy", "heavy-clients"],
      "--tags-filter=heavy",
    ),
    "test:mermaid": tests("the charts, read by Mermaid; installs it", ["mermaid"]),
    "test:model": script("random histories, as many as you like", "scripts/tools/test-model.ts"),
    "test:n8n": script("the server in front of a real n8n; installs it", "test/real-n8n/main.ts"),
    "test:real-clients": script("real MCP clients; installs them", "test/real-clients/main.ts"),
    conformance: script("the official MCP conformance suite", "test/conformance/main.ts"),
    bench: script("cost of traces and summaries", "scripts/tools/bench.ts"),
    "bench:calls": script("what a call costs, and 50 at once", "scripts/tools/bench-calls.ts"),
    "bench:n8n": script("cost of traces on a real n8n", "scripts/tools/bench-n8n.ts"),
    "bench:index": script("the history index over a million executions", "scripts/tools/bench-index.ts"),
    "bench:query": script("what query_executions takes over a million", "scripts/tools/bench-query.ts"),
    "bench:load": script("fifty users at once", "scripts/tools/bench-load.ts"),
    "bench:audit": script("cost of auditing 300 workflows", "scripts/tools/bench-audit.ts"),
    "bench:redaction": script("what redaction finds, and how fast", "scripts/tools/bench-redaction.ts"),
    "bench:answers": script("tokens of answers: docs/text-answers.md", "scripts/tools/measure-answers.ts"),
    "fuzz:redaction": script("searches for texts that redact slowly", "scripts/tools/fuzz-redaction.ts"),
    record: script("records answers of a real n8n", "scripts/tools/record.ts"),
    "record:kinds": script("records each kind of failure and agent run", "scripts/tools/record-kinds.ts"),
    "record:failures": script("records failures and silent successes", "scripts/tools/record-failures.ts"),
    "record:queue": script("records n8n in queue mode", "scripts/tools/record-queue.ts"),
    "record:agents": script("records agent runs", "scripts/tools/record-agents.ts"),
    eval: script("an agent answers operators' questions: eval/README.md", "scripts/tools/eval.ts"),
    "judge:kinds": script("how often explain_failure is right", "scripts/tools/judge-kinds.ts"),
    "judge:hold-out": script("the same, of kinds that others recorded", "scripts/tools/judge-hold-out.ts"),
    release: script("version, changelog, commit and tag; --dry-run shows them", "scripts/tools/release.ts"),
    icon: script("draws the icon's pictures", "scripts/tools/draw-icon.ts"),
    screenshots: {
      ...tests("retakes the pictures of the pages", ["browser"]),
      env: { WRITE_SCREENSHOTS: "1" },
    },
  },
};
