/** Whole sentences for what came before a failure and what came of it: edits, resolved parameters, retries, error workflows. A row's argument type defines the fields of that fact. */

export const CHAIN_SENTENCES = {};
