/**
 * The secrets that tests plant in workflows and payloads, so that one word reveals a leak.
 * Every value contains "canary" in some case, is unique, and is under a sensitive key or in a
 * sensitive form (Bearer, Basic). Nothing else that is seeded contains that word, so an answer that matches
 * `canaryPattern` has leaked one.
 */
export const canaryPattern = /canary/i;

/** Place of a canary → its whole value as n8n stores it. */
export const canaries = {
  nodeAuthorizationHeader: "Bearer sk-live-51H8zzCanaryNodeBearer01",
  nodeApiKeyHeader: "canary-node-x-api-key-02",
  inboundAuthorization: "Bearer inbound-CANARY-bearer-03",
  inboundCookie: "session=canary-inbound-cookie-04",
  inboundApiKey: "canary-inbound-x-api-key-05",
  inboundBasic: "Basic dXNlcjpCanaryBasicPair06",
  bodyPassword: "canary-body-password-07",
  bodyToken: "canary-body-token-08",
  bodyApiKey: "canary-body-apiKey-09",
  bodyClientSecret: "Canary-body-client-secret-10",
  errorMessageBearer: "Bearer eyJ.canary-error-message-11",
  upstreamToken: "canary-upstream-token-12",
  upstreamSetCookie: "upstream=canary-set-cookie-13; HttpOnly",
} as const;

export const canaryValues: readonly string[] = Object.values(canaries);
