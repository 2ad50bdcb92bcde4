/** The two n8n instances of the Worker under test, as its settings name them. */
import { TEST_BINDINGS } from "../worker/secrets.ts";

export const N8NS = {
  newer: { baseUrl: "https://newer.n8n.example", apiKey: "api-key-of-the-newer-n8n" },
  /** An n8n 1.123.81: the same ids of executions as in the other, and none of its executions. */
  older: { baseUrl: "https://older.n8n.example", apiKey: "api-key-of-the-older-n8n" },
} as const;
export type Name = keyof typeof N8NS;
export const NAMES: readonly Name[] = ["newer", "older"];

/** Request ids that were sent to one of the two alone while they were recorded. */
export const ONLY: Readonly<Record<Name, string>> = {
  newer: "01a1f965-dfda-7be4-99f2-0cd917bc0935",
  older: "01a20187-4d35-7c8b-ad18-ae3549802999",
};

/** The environment variable that says where an n8n really is. */
export const placeVariable = (name: string): string => `RECORDED_N8N_${name.toUpperCase()}`;

export const instancesOf = (instances: Readonly<Record<string, object>>): { N8N_INSTANCES: string } => ({
  N8N_INSTANCES: JSON.stringify(instances),
});

const { N8N_BASE_URL: _baseUrl, N8N_API_KEY: _apiKey, ...others } = TEST_BINDINGS;
/** Objects of the Worker find the n8n instances in their own settings. */
export const INSTANCES_BINDINGS = { ...others, ...instancesOf(N8NS) };
