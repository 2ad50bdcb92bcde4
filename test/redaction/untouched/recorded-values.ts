/** Everything that the recorded n8n answered, value by value. */
import { readRecording } from "../../recorded-n8n/recording.ts";

/** Each object and list that a walk comes by, the whole executions first. */
export async function recordedValues(): Promise<unknown[]> {
  const { executions, snapshots, workflows } = await readRecording();
  const whole: unknown[] = [...executions.map(({ answer }) => answer), ...snapshots, ...workflows];
  return [...whole, ...executions.flatMap(({ answer }) => itemsIn(answer))];
}

/** The `json` of each item, wherever it stands. */
function itemsIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const items = "json" in value ? [value.json] : [];
  return [...items, ...Object.values(value).flatMap(itemsIn)];
}
