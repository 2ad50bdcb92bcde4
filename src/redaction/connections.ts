/**
 * n8n's connections, which stand under the names of nodes: `{ "Get access token": { "main": [[{ "node": "Call",
 * "type": "main", "index": 0 }]] } }`. The name of a node says nothing of what is below it. Pure.
 */

function isTarget(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  return (
    Object.keys(value).every((key) => key === "node" || key === "type" || key === "index") &&
    "node" in value &&
    typeof value.node === "string" &&
    "type" in value &&
    typeof value.type === "string" &&
    "index" in value &&
    typeof value.index === "number"
  );
}

function isOutput(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.every(isTarget));
}

/** True for what n8n keeps of the connections of one node, and for nothing in which a secret stood. */
export function isConnections(value: object): boolean {
  const types: unknown[] = Object.values(value);
  return types.length > 0 && types.every((outputs) => Array.isArray(outputs) && outputs.every(isOutput));
}
