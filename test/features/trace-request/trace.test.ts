/** Every request that was sent while recording, on the n8n that most people run. */
import { describe } from "vitest";
import { defaultN8nVersion } from "../../real-n8n/versions.ts";
import { testTracesOn } from "./recorded-traces.ts";

describe("on this n8n", async () => await testTracesOn(defaultN8nVersion));
