/** Made by `npm run generate`: whatever is changed in this folder, terms of the history index are made anew. */
export const SOURCES_DIGEST = "ZIh0vM3WpK_qY5xhr1pzFb";
