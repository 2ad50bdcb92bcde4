/** Made by `npm run generate`: whatever is changed in this folder, terms of the history index are made anew. */
export const SOURCES_DIGEST = "mnm6QG8g9qHcIug4qn2gUN";
