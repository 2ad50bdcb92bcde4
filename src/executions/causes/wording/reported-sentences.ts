/** Whole sentences for failures that an output itself reports, and values that broke on their way. A row's argument type defines the fields of that fact. */

export const REPORTED_SENTENCES = {};
