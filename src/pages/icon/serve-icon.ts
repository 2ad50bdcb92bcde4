/** Serves the icon in the formats that browsers and apps request. It never changes within a version, and is cached for a week. */
import { ICON_SVG } from "./icon.ts";
import { PNG_LARGE, PNG_SMALL } from "./icon-pictures.ts";

export const ICON_SVG_PATH = "/icon.svg";
export const ICON_PNG_PATH = "/icon.png";
export const FAVICON_PATH = "/favicon.ico";

/** Width and height of the picture in `/favicon.ico`, in pixels. */
export const FAVICON_SIZE = 32;

export const serveIconSvg = (): Response => answer(ICON_SVG, "image/svg+xml");
export const serveIconPng = (): Response => answer(bytesOf(PNG_LARGE), "image/png");
export const serveFavicon = (): Response => answer(toIco(bytesOf(PNG_SMALL), FAVICON_SIZE), "image/x-icon");

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

const ICO_HEADER_BYTES = 6 + 16;

/** An ICO file with one picture, which may be a PNG since Windows Vista. All numbers are little-endian. */
function toIco(png: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const ico = new Uint8Array(ICO_HEADER_BYTES + png.length);
  const view = new DataView(ico.buffer);
  view.setUint16(2, 1, true); // an icon
  view.setUint16(4, 1, true); // with one picture
  view.setUint8(6, size);
  view.setUint8(7, size);
  view.setUint16(10, 1, true); // planes
  view.setUint16(12, 32, true); // bits per pixel
  view.setUint32(14, png.length, true);
  view.setUint32(18, ICO_HEADER_BYTES, true);
  ico.set(png, ICO_HEADER_BYTES);
  return ico;
}
