import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { answerOutside } from "./test/worker/outside-world.ts";
import { TEST_BINDINGS } from "./test/worker/secrets.ts";
import { INSTANCES_BINDINGS } from "./test/worker-instances/n8ns.ts";
import { answerAsN8n } from "./test/worker-instances/outside-world.ts";

/** What takes long however little of it is run: other users beside a slow one, and time-outs of a running Worker. */
const HEAVY_ONLY = [
  "test/clients/load.test.ts",
  "test/clients/n8n-silence.test.ts",
  "test/clients/slow-texts.test.ts",
];
/** What an operator does, from end to end: set-up at a terminal, serving, upgrading, each command of the documentation. */
const OPERATIONS = [
  "test/clients/dev.test.ts",
  "test/clients/documented-commands.test.ts",
  "test/clients/serve.test.ts",
  "test/clients/setup.test.ts",
  "test/clients/upgrade.test.ts",
  "test/scripts/setup/cloudflare.test.ts",
  "test/scripts/setup/local.test.ts",
];
/** What asks about whole recordings, works up to a limit, or waits for one: seconds a file, where others take less than one. */
const THOROUGH = [
  "test/access/random-rules.test.ts",
  "test/architecture/bundle-ways-out.test.ts",
  "test/features/agent-run/agent-kinds.test.ts",
  "test/features/audit-workflow/any-workflow.test.ts",
  "test/features/audit-workflow/rules.test.ts",
  "test/features/bad-input.test.ts",
  "test/features/failure-digest/incidents.test.ts",
  "test/features/failure-digest/quiet-troubles.test.ts",
  "test/features/living-counts/more-lives.test.ts",
  "test/features/payload-without-scope.test.ts",
  "test/features/search-executions/known-history.test.ts",
  "test/features/trace-request/bad-input.test.ts",
  "test/features/trace-request/guesses.test.ts",
  "test/features/trace-request/older-traces.test.ts",
  "test/features/trace-request/only-running.test.ts",
  "test/features/trace-request/read-oracle.test.ts",
  "test/features/trace-request/waiting.test.ts",
  "test/history/background-sync.test.ts",
  "test/history/known-history.test.ts",
  "test/history/night.test.ts",
  "test/history/no-canary.test.ts",
  "test/history/query/equals-arrays.test.ts",
  "test/history/reading/repeated-page.test.ts",
  "test/history/scan/direct-pages.test.ts",
  "test/history/scan/ends-between-lists.test.ts",
  "test/history/scan/more-than-a-thousand-run.test.ts",
  "test/history/scan/much-runs.test.ts",
  "test/history/scan/quiet-looks.test.ts",
  "test/history/scan/slow-executions.test.ts",
  "test/history/scan/slow-n8n.test.ts",
  "test/history/scan/woke-in-window.test.ts",
  "test/history/search/going-on.test.ts",
  "test/history/search/room-made-meanwhile.test.ts",
  "test/history/store/failing-writes.test.ts",
  "test/history/store/json-chunks.test.ts",
  "test/history/strangers.test.ts",
  "test/history/terms/execution-terms.test.ts",
  "test/history/terms/term-query.test.ts",
  "test/json/json-walker-limits.test.ts",
  "test/json/key-table.test.ts",
  "test/kinds/answers-fit.test.ts",
  "test/kinds/explained.test.ts",
  "test/kinds/hold-out.test.ts",
  "test/mcp/largest-answers.test.ts",
  "test/mcp/no-canary.test.ts",
  "test/mcp/nothing-but-get.test.ts",
  "test/mcp/read-only-caller.test.ts",
  "test/n8n/explanation-plans.test.ts",
  "test/recorded-n8n/server.test.ts",
  "test/redaction/linear.test.ts",
  "test/redaction/long-values.test.ts",
  "test/scripts/given-n8n.test.ts",
  "test/scripts/setup/unattended.test.ts",
  "test/scripts/subcommands.test.ts",
];
/** The same in workerd: each tool for each kind of person, and hosts that are waited for until a limit. */
const THOROUGH_IN_WORKERD = [
  "test/worker/access-rules.test.ts",
  "test/worker/call-limit.test.ts",
  "test/worker/documents.test.ts",
  "test/worker/oidc/hostile-provider.test.ts",
  "test/worker/operator/index.test.ts",
  "test/worker/other-users.test.ts",
  "test/worker/own-keys.test.ts",
  "test/worker/purge-clients.test.ts",
  "test/worker/registration-flood.test.ts",
  "test/worker/replays.test.ts",
  "test/worker/spans.test.ts",
  "test/worker/strangers-index.test.ts",
];
/** What Node cannot read by itself: JSX, and a module that is to be loaded anew. */
const THROUGH_VITE = [
  "test/pages/app/show-page.test.ts",
  "test/pages/sample-trace.test.ts",
  "test/redaction/patterns.test.ts",
  "test/scripts/doctor/diagnose.test.ts",
  "test/scripts/setup/pieces.test.ts",
];
/** What runs a part of its cases in `npm test`, and the rest in the heavy lane: the tests that bear its mark. */
const IN_BOTH = globSync("test/**/*.test.ts").filter((path) =>
  /\/lane\.ts"/.test(readFileSync(path, "utf8")),
);
const inClients = (path: string): boolean => path.startsWith("test/clients/");

const heavy = { env: { TEST_LANE: "heavy" }, testTimeout: 600_000, hookTimeout: 180_000 };
/** How long a test may take says nothing of the code: a machine may be busy. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000 };

/** Random tests draw the same values in each run, except in the heavy lane. */
const SEEDED = ["test/support/set-property-seed.ts"];

/** Files share one process or thread, and read each module once. None leaves anything that another would trip over. */
const shared = { isolate: false };

/**
 * Pure code, and servers that run in Node, as Node itself reads them. Vite would make each use of an imported constant
 * a call, which the loops over bytes and characters cannot bear.
 */
const inNode = { experimental: { viteModuleRunner: false, nodeLoader: false }, pool: "threads" as const };

/** Inside workerd: Durable Objects, and the Worker as a black box. */
const inWorkerd = () => ({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: { bindings: TEST_BINDINGS, outboundService: answerOutside },
    }),
  ],
});

/** In workerd, objects keep what their users have done: that is all a file leaves, and a workerd a file takes seconds. */
const RESET_AFTER_FILE = "test/worker/reset-after-file.ts";

const forWorkerd = {
  ...patient,
  ...shared,
  setupFiles: [RESET_AFTER_FILE],
  globalSetup: ["test/worker/oidc/start-providers.ts", "test/worker/start-recorded-n8n.ts"],
};

export default defineConfig({
  test: {
    // One more than there are processors, so that others use them while a file waits for workerd or a timer.
    // vitest's default is one less.
    maxWorkers: availableParallelism() + 1,
    tags: [{ name: "heavy", description: "runs in the heavy lane: `test/support/lane.ts`" }],
    projects: [
      {
        test: {
          ...patient,
          ...shared,
          ...inNode,
          name: "unit",
          setupFiles: SEEDED,
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/worker/**",
            "test/worker-instances/**",
            "test/clients/**",
            "test/browser/**",
            "test/mermaid/**",
            "test/real-n8n/**",
            ...OPERATIONS,
            ...THROUGH_VITE,
            ...THOROUGH,
          ],
        },
      },
      {
        test: { ...patient, ...shared, ...inNode, name: "thorough", setupFiles: SEEDED, include: THOROUGH },
      },
      {
        test: {
          ...patient,
          ...shared,
          name: "unit-vite",
          setupFiles: SEEDED,
          include: THROUGH_VITE,
          pool: "threads",
        },
      },
      {
        ...inWorkerd(),
        test: {
          ...forWorkerd,
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          exclude: THOROUGH_IN_WORKERD,
        },
      },
      {
        ...inWorkerd(),
        test: { ...forWorkerd, name: "thorough-worker", include: THOROUGH_IN_WORKERD },
      },
      {
        // The same Worker in front of two n8ns, which its objects find in their own settings.
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: INSTANCES_BINDINGS, outboundService: answerAsN8n },
          }),
        ],
        test: {
          ...patient,
          ...shared,
          name: "worker-instances",
          setupFiles: [RESET_AFTER_FILE],
          include: ["test/worker-instances/**/*.test.ts"],
          globalSetup: ["test/worker-instances/start-n8ns.ts"],
        },
      },
      {
        // Real MCP clients over HTTP against the Worker in workerd and the recorded n8n.
        test: {
          ...patient,
          ...shared,
          name: "clients",
          include: ["test/clients/**/*.test.ts"],
          exclude: [...HEAVY_ONLY, ...OPERATIONS],
        },
      },
      {
        test: { ...patient, ...shared, name: "operations", include: OPERATIONS },
      },
      {
        // A real Chromium in front of the Worker: one at a time, and beside nothing else. With others it fails to
        // take pictures now and then.
        test: {
          ...patient,
          ...shared,
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/browser/support/global-setup.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Mermaid, which is installed for this alone, in a real Chromium.
        test: {
          ...patient,
          name: "mermaid",
          include: ["test/mermaid/**/*.test.ts"],
          hookTimeout: 600_000,
        },
      },
      {
        // What `npm test` leaves of the cases. Needs `--tags-filter heavy`: without, it repeats all else of these files.
        test: {
          ...heavy,
          ...shared,
          name: "heavy",
          setupFiles: SEEDED,
          include: IN_BOTH.filter((path) => !inClients(path)),
          pool: "threads",
        },
      },
      {
        // The same over HTTP, one file after the other: some of them compare times.
        test: {
          ...heavy,
          name: "heavy-clients",
          include: [...HEAVY_ONLY, ...IN_BOTH.filter(inClients)],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
