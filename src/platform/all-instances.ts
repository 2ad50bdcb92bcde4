/** Stands for the instance name when all were queried. No instance can have this name. */
export const ALL_INSTANCES = "*";
