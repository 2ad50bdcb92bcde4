/** The two n8n instances of the Worker under test, as in its settings. */
import { TEST_BINDINGS } from "../worker/secrets.ts";

export const N8NS = {
  newer: { baseUrl: "https://newer.n8n.example", apiKey: "api-key-of-the-newer-n8n" },
  /** An n8n 1.123.81 with the same execution ids as the other, for other executions. */
  older: { baseUrl: "https://older.n8n.example", apiKey: "api-key-of-the-older-n8n" },
} as const;
export type Name = keyof typeof N8NS;
export const NAMES: readonly Name[] = ["newer", "older"];

/** Request ids that were recorded in one of the two only. */
export const ONLY: Readonly<Record<Name, string>> = {
  newer: "01a1f965-dfda-7be4-99f2-0cd917bc0935",
  older: "01a20187-4d35-7c8b-ad18-ae3549802999",
};

/** The environment variable with the real address of an n8n. */
export const placeVariable = (name: string): string => `RECORDED_N8N_${name.toUpperCase()}`;

export const instancesOf = (instances: Readonly<Record<string, object>>): { N8N_INSTANCES: string } => ({
  N8N_INSTANCES: JSON.stringify(instances),
});

const { N8N_BASE_URL: _baseUrl, N8N_API_KEY: _apiKey, ...others } = TEST_BINDINGS;
/** The Worker's objects find the instances in these settings. */
export const INSTANCES_BINDINGS = { ...others, ...instancesOf(N8NS) };
