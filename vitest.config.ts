import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { answerOutside } from "./test/worker/outside-world.ts";
import { TEST_BINDINGS } from "./test/worker/secrets.ts";

export default defineConfig({
  test: {
    projects: [
      {
        // Pure code, and servers that run in Node.
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/worker/**", "test/clients/**", "test/browser/**", "test/real-n8n/**"],
        },
      },
      {
        // Inside workerd: Durable Objects, and the Worker as a black box.
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: TEST_BINDINGS, outboundService: answerOutside },
          }),
        ],
        test: {
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          globalSetup: ["test/worker/oidc/start-providers.ts", "test/worker/start-recorded-n8n.ts"],
        },
      },
      {
        // Real MCP clients over HTTP against `wrangler dev` and the recorded n8n.
        test: {
          name: "clients",
          include: ["test/clients/**/*.test.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        // A real Chromium in front of `wrangler dev`.
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/browser/support/global-setup.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
