import { CLOUDS } from "./clouds.ts";
import { IDENTITY } from "./identity.ts";
import { LINKS } from "./links.ts";
import { ORDINARY } from "./ordinary.ts";
import { PAYMENTS } from "./payments.ts";
import { PRODUCTS } from "./products.ts";
import type { WrittenDocument } from "./written-document.ts";

export const DOCUMENTS: readonly WrittenDocument[] = [
  ...PAYMENTS,
  ...IDENTITY,
  ...CLOUDS,
  ...LINKS,
  ...PRODUCTS,
  ...ORDINARY,
];
