/** The project's public addresses, for pages and for clients that ask about the server. No I/O. */

/** The public repository. A fork changes it only here. */
export const SOURCE_URL = "https://github.com/n8n-observer/n8n-observer";

/** @param page path below `docs`, with its anchor if it has one: `deploy.md`, `settings.md#sign-in` */
export const docsUrl = (page: string): string => `${SOURCE_URL}/blob/main/docs/${page}`;
