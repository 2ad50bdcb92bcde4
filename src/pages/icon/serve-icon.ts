/** Serves the icon in the formats that browsers and apps request, cached for a week: it is constant within a version. */
import { ICON_SVG } from "./icon.ts";
import { FAVICON, PNG_LARGE } from "./icon-pictures.ts";

export const ICON_SVG_PATH = "/icon.svg";
export const ICON_PNG_PATH = "/icon.png";
export const FAVICON_PATH = "/favicon.ico";

export const serveIconSvg = (): Response => answer(ICON_SVG, "image/svg+xml");
export const serveIconPng = (): Response => answer(bytesOf(PNG_LARGE), "image/png");
export const serveFavicon = (): Response => answer(bytesOf(FAVICON), "image/x-icon");

function answer(body: BodyInit, type: string): Response {
  return new Response(body, {
    headers: {
      "Content-Type": type,
      "Cache-Control": "public, max-age=604800",
      // An SVG that is opened directly is a page: nothing may run in it, and nothing may frame it.
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
      "X-Frame-Options": "DENY",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
