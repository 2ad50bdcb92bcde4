/** The bytes of a body; `undefined` once it turns out to be larger than `most` bytes, and then it is not read further. */
export async function readWithin(most: number, { body }: Response): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
