/** Made by `npm run generate`: whatever is changed in this folder, terms of the history index are made anew. */
export const SOURCES_DIGEST = "AHNnXYTCr0b9kSh1O3Ikv0";
