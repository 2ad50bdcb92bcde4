/** n8n is spared: a call has so many requests open at the same time, and no more. */
export const REQUESTS_AT_ONCE = 4;
