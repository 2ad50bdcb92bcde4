/** Made by `npm run generate`: whatever is changed in this folder, terms of the history index are made anew. */
export const SOURCES_DIGEST = "Dp4b1Ijj0U7DK1pZl54x1b";
