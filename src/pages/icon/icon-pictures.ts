/** The icon as PNG, base64, as `node scripts/draw-icon.ts` draws it. Do not edit. */
export const PNG_SMALL = "";
export const PNG_LARGE = "";
