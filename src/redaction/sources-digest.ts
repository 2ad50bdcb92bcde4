/** Made by `npm run generate`: whatever is changed in this folder, terms of the history index are made anew. */
export const SOURCES_DIGEST = "KW_T6s2vR6cdXALuD7PSOu";
