/**
 * Replaces src/wiring/endpoint.ts in the test-only Worker: the same endpoint with the suite's tools instead of
 * ours. Everything in front of it (routes, sign-in, Host and Origin checks) is the Worker's own.
 */
import { createToolServer } from "../../../src/wiring/endpoint.ts";
import { FIXTURE_TOOLS } from "./tools.ts";

export const { serve: handleMcp, ...toolsForPage } = createToolServer(FIXTURE_TOOLS);
