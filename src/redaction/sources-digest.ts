/** Made by `npm run generate`: whatever is changed in this folder, terms of the history index are made anew. */
export const SOURCES_DIGEST = "kMjUNG6tTyC7rL9k24vjaV";
