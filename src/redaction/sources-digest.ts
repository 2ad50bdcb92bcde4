/** Made by `npm run generate`: whatever is changed in this folder, terms of the history index are made anew. */
export const SOURCES_DIGEST = "E7V_CkXko1Rs-b3YfqW8kH";
