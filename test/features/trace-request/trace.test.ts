/** Every request sent during the recording, on the n8n version that most people run. */
import { describe } from "vitest";
import { defaultN8nVersion } from "../../real-n8n/versions.ts";
import { testTracesOn } from "./recorded-traces.ts";

describe("on the default n8n", async () => await testTracesOn(defaultN8nVersion));
