/** Stands in place of an n8n's name where all of them were asked. No n8n is called so. */
export const ALL_INSTANCES = "*";
