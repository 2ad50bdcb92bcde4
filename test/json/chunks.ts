/** Cuts bytes into chunks, as a network might. */
import fc from "fast-check";

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** As the readers decode: nothing is stripped, and invalid UTF-8 becomes the replacement character. */
export const decode = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true, fatal: false }).decode(bytes);

/** Sizes of the chunks, used in turn and repeatedly. At least one is not 0. */
export type ChunkSizes = readonly number[];

export const WHOLE: ChunkSizes = [Number.POSITIVE_INFINITY];
export const SINGLE_BYTES: ChunkSizes = [1];

const mixed = fc
  .tuple(fc.array(fc.nat(40), { maxLength: 5 }), fc.integer({ min: 1, max: 40 }))
  .map(([sizes, last]) => [...sizes, last]);

export const chunkSizes: fc.Arbitrary<ChunkSizes> = fc.oneof(fc.constant(WHOLE), fc.constant(SINGLE_BYTES), {
  arbitrary: mixed,
  weight: 3,
});

/** Each chunk is a copy, so that reading beyond its end would show. */
export function* chunksOf(bytes: Uint8Array, sizes: ChunkSizes): Generator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.slice(at, at + size);
    at += size;
  }
}

/** Chunks that end at these offsets. */
export function* chunksUpTo(bytes: Uint8Array, offsets: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const end of [...offsets].sort((a, b) => a - b)) {
    yield bytes.slice(start, end);
    start = Math.max(start, end);
  }
  yield bytes.slice(start);
}
