/** The scopes of n8n's public API that the key needs, all of which only read. */
export const N8N_KEY_SCOPES = [
  "workflow:read",
  "workflow:list",
  "execution:read",
  "execution:list",
  "tag:list",
] as const;
