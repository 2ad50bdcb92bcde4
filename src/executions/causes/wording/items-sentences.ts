/** Whole sentences for items that were lost, repeated, mixed or decided wrongly. A row's argument type defines the fields of that fact. */

export const ITEMS_SENTENCES = {};
