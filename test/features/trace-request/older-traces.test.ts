/** Every request sent during the recording, on each older n8n. */
import { describe } from "vitest";
import { defaultN8nVersion, recordedVersions } from "../../real-n8n/versions.ts";
import { testTracesOn } from "./recorded-traces.ts";

describe.each(recordedVersions.filter((version) => version !== defaultN8nVersion))("on n8n %s", testTracesOn);
