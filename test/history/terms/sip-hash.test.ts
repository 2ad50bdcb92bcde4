import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_HASHED, SipHash } from "../../../src/history/terms/sip-hash.ts";

/** 00 01 02 … 0f, as in the paper (Aumasson and Bernstein, 2012, appendix A) and its test vectors. */
const key = Uint8Array.from({ length: 16 }, (_, index) => index);

/** SipHash-2-4 of the bytes 00 01 02 … in each length from 0 to 63: `vectors_sip64` of its authors. */
const VECTORS = `
    310e0edd47db6f72 fd67dc93c539f874 5a4fa9d909806c0d 2d7efbd796666785
    b7877127e09427cf 8da699cd64557618 cee3fe586e46c9cb 37d1018bf50002ab
    6224939a79f5f593 b0e4a90bdf82009e f3b9dd94c5bb5d7a a7ad6b22462fb3f4
    fbe50e86bc8f1e75 903d84c02756ea14 eef27a8e90ca23f7 e545be4961ca29a1
    db9bc2577fcc2a3f 9447be2cf5e99a69 9cd38d96f0b3c14b bd6179a71dc96dbb
    98eea21af25cd6be c7673b2eb0cbf2d0 883ea3e395675393 c8ce5ccd8c030ca8
    94af49f6c650adb8 eab8858ade92e1bc f315bb5bb835d817 adcf6b0763612e2f
    a5c91da7acaa4dde 716595876650a2a6 28ef495c53a387ad 42c341d8fa92d832
    ce7cf2722f512771 e37859f94623f3a7 381205bb1ab0e012 ae97a10fd434e015
    b4a31508beff4d31 81396229f0907902 4d0cf49ee5d4dcca 5c73336a76d8bf9a
    d0a704536ba93e0e 925958fcd6420cad a915c29bc8067318 952b79f3bc0aa6d4
    f21df2e41d4535f9 87577519048f53a9 10a56cf5dfcd9adb eb75095ccd986cd0
    51a9cb9ecba312e6 96afadfc2ce666c7 72fe52975a4364ee 5a1645b276d592a1
    b274cb8ebf87870a 6f9bb4203de7b381 eaecb2a30b22a87f 9924a43cc1315724
    bd838d3aafbf8db7 0b1a2a3265d51aea 135079a3231ce660 932b2846e4d70666
    e1915f5cb1eca46c f325965ca16d629f 575ff28e60381be5 724506eb4c328a95
`
  .trim()
  .split(/\s+/);

const toHex = ({ high, low }: SipHash): string =>
  Buffer.from(new Int32Array([low, high]).buffer).toString("hex");

test("equals its authors' test vectors for each length", () => {
  const hash = new SipHash(key);
  expect(VECTORS).toHaveLength(64);
  for (const [length, expected] of VECTORS.entries()) {
    hash.hash(String.fromCharCode(...Array.from({ length }, (_, code) => code)));
    expect([length, toHex(hash)]).toEqual([length, expected]);
  }
});

const MASK = (1n << 64n) - 1n;
const rotated = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (64n - by))) & MASK;

/** A literal implementation of the paper. */
function inWholeNumbers(bytes: Uint8Array): string {
  const words = new DataView(key.buffer);
  const [k0, k1] = [words.getBigUint64(0, true), words.getBigUint64(8, true)];
  let v = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const round = (): void => {
    let [v0 = 0n, v1 = 0n, v2 = 0n, v3 = 0n] = v;
    v0 = (v0 + v1) & MASK;
    v1 = rotated(v1, 13n) ^ v0;
    v0 = rotated(v0, 32n);
    v2 = (v2 + v3) & MASK;
    v3 = rotated(v3, 16n) ^ v2;
    v0 = (v0 + v3) & MASK;
    v3 = rotated(v3, 21n) ^ v0;
    v2 = (v2 + v1) & MASK;
    v1 = rotated(v1, 17n) ^ v2;
    v2 = rotated(v2, 32n);
    v = [v0, v1, v2, v3];
  };
  const padded = new Uint8Array((bytes.length & ~7) + 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length;
  const blocks = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += 8) {
    const block = blocks.getBigUint64(at, true);
    v[3] = (v[3] ?? 0n) ^ block;
    round();
    round();
    v[0] = (v[0] ?? 0n) ^ block;
  }
  v[2] = (v[2] ?? 0n) ^ 0xffn;
  for (let left = 4; left > 0; left -= 1) round();
  const result = Buffer.alloc(8);
  result.writeBigUInt64LE(v.reduce((sum, each) => sum ^ each, 0n));
  return result.toString("hex");
}

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.string({ unit: "binary", maxLength: 80 }),
);

test("hashes the UTF-8 of any text", () => {
  const hash = new SipHash(key);
  fc.assert(
    fc.property(anyText, (text) => {
      fc.pre(text.length <= MAX_HASHED);
      hash.hash(text);
      expect(toHex(hash)).toBe(inWholeNumbers(new TextEncoder().encode(text)));
    }),
  );
});

test("the hash of a range equals the hash of its text alone", () => {
  const [whole, part] = [new SipHash(key), new SipHash(key)];
  fc.assert(
    fc.property(anyText, fc.nat(80), fc.nat(80), (text, one, other) => {
      const [from, to] = [Math.min(one, other, text.length), Math.min(Math.max(one, other), text.length)];
      whole.hash(text, from, to);
      part.hash(text.slice(from, to));
      expect([whole.high, whole.low]).toEqual([part.high, part.low]);
    }),
  );
});

test("another key gives another hash", () => {
  const [one, other] = [new SipHash(key), new SipHash(key.map((byte) => byte ^ 1))];
  one.hash("C-20417");
  other.hash("C-20417");
  expect(toHex(one)).not.toBe(toHex(other));
});

test("keys of another length and overlong texts are rejected", () => {
  expect(() => new SipHash(key.subarray(1))).toThrow(RangeError);
  const hash = new SipHash(key);
  expect(() => hash.hash("漢".repeat(MAX_HASHED))).not.toThrow();
  expect(() => hash.hash("a".repeat(MAX_HASHED + 1))).toThrow(RangeError);
});
