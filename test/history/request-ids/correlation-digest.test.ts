import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCorrelationDigest } from "../../../src/history/request-ids/correlation-digest.ts";

const digest = createCorrelationDigest("the secret", "ann");

/** HMAC-SHA-256 by the Web Crypto API. */
async function hmac(key: Uint8Array<ArrayBuffer> | ArrayBuffer, text: string): Promise<ArrayBuffer> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text));
}

describe("a correlation digest", () => {
  test("is the same for the same id and key", () => {
    const again = createCorrelationDigest("the secret", "ann");
    fc.assert(
      fc.property(fc.string(), (id) => {
        expect(again(id)).toBe(digest(id));
      }),
    );
  });

  test("is an HMAC under a derived key, cut to 128 bits", async () => {
    const key = await hmac(new TextEncoder().encode("the secret"), "correlation ids of ann");
    const full = Buffer.from(await hmac(key, "請求-é-1"));
    expect(digest("請求-é-1")).toBe(full.subarray(0, 16).toString("base64url"));
  });

  test("has 22 characters of base64url", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600 }), (id) => {
        expect(digest(id)).toMatch(/^[\w-]{22}$/);
      }),
    );
  });

  test("differs by id, by purpose and by secret", () => {
    const digests = [
      digest("r-1"),
      digest("r-2"),
      digest("R-1"),
      digest(" r-1"),
      createCorrelationDigest("the secret", "bob")("r-1"),
      createCorrelationDigest("another secret", "ann")("r-1"),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  test("does not reveal that ids are alike", () => {
    const digests = Array.from({ length: 500 }, (_digest, index) => digest(`r-${index}`));
    expect(new Set(digests.map((text) => text.slice(0, 6))).size).toBe(digests.length);
  });
});
