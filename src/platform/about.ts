/** Where this project lives: what pages, and clients that ask who this is, may point to. No I/O. */

/** The public repository. Who runs a fork changes it here alone. */
export const SOURCE_URL = "https://github.com/n8n-observer/n8n-observer";

/** @param page path below `docs`, with its anchor if it has one: `deploy.md`, `settings.md#sign-in` */
export const docsUrl = (page: string): string => `${SOURCE_URL}/blob/main/docs/${page}`;
