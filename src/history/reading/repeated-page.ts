/**
 * Caches the readings of a page that every look requests, such as that of the running executions. While n8n sends the
 * same bytes, they are reported and searched again without parsing and redacting the page.
 *
 * Promises: the events are the same as if the page was read. Readings are held in memory only: ids, facts, and redacted
 * payload. Nothing is held of a page above `MAX_BYTES`, or of one that could not be searched completely.
 */
import type { ExecutionQuery } from "../../n8n/client.ts";
import type { ByteSink, PayloadPlace } from "../../n8n/execution-walk.ts";
import { sha256Text } from "../../platform/sha256.ts";
import type { PayloadItem } from "../payload/payload-items.ts";
import { type Reading, type ReadingEvents, type ReadOptions, replaceRead } from "./reading.ts";
import { StreamReader, streamInto } from "./stream-reader.ts";

const MAX_BYTES = 256 * 1024;

interface SearchedItem {
  readonly item: PayloadItem;
  readonly place: PayloadPlace;
}

interface ReadExecution {
  readonly reading: Reading;
  readonly items: readonly SearchedItem[];
}

/** Options that change how a page is read. */
type ReadWith = Pick<ReadOptions, "paths" | "redactLarge">;

interface LastPage extends ReadWith {
  readonly digest: string;
  readonly executions: readonly ReadExecution[];
}

export class RepeatedPage {
  #last: LastPage | null = null;

  /** @throws ObserverError when n8n fails */
  async read(query: ExecutionQuery, options: ReadOptions, events: ReadingEvents): Promise<void> {
    const last = this.#lastReadWith(options);
    const executions: ReadExecution[] = [];
    let items: SearchedItem[] = [];
    const noting = replaceRead(events, (reading) => {
      executions.push({ reading, items });
      items = [];
      events.read(reading);
    });
    const reader = new StreamReader("list", options, noting, (item, place) => {
      if (!page.isLarge) items.push({ item, place });
    });
    const page = new BufferedPage(reader.walk, last?.digest ?? null);
    await streamInto(reader, options, (limits) => options.client.streamExecutions(query, page, limits));
    const unchanged = page.isUnchanged ? last : null;
    if (unchanged === null) this.#last = await lastPageOf(page, reader, executions, options);
    else await reportAgain(unchanged, options, events);
    options.pageSize.note(unchanged?.executions.length ?? reader.seen.length, page.byteLength);
  }

  #lastReadWith({ paths, redactLarge }: ReadWith): LastPage | null {
    const last = this.#last;
    return last?.paths === paths && last.redactLarge === redactLarge ? last : null;
  }
}

/** Null for a page that was not read, or not searched, completely. */
async function lastPageOf(
  { digest }: BufferedPage,
  { seen, withoutId }: StreamReader,
  executions: readonly ReadExecution[],
  { paths, redactLarge }: ReadWith,
): Promise<LastPage | null> {
  const isSearched = ({ reading: { searched } }: ReadExecution): boolean =>
    searched?.isWhole === true && !searched.isPartial;
  const isWhole = executions.length === seen.length + withoutId && executions.every(isSearched);
  if (digest === null || !isWhole) return null;
  return { digest, executions: await Promise.all(executions.map(withoutSecrets)), paths, redactLarge };
}

async function withoutSecrets({ reading, items }: ReadExecution): Promise<ReadExecution> {
  const redacted = items.map(async ({ item, place }) => ({ item: await item.withoutSecrets(), place }));
  return { reading, items: await Promise.all(redacted) };
}

async function reportAgain(
  { executions }: LastPage,
  { search, countExecution }: ReadOptions,
  events: ReadingEvents,
): Promise<void> {
  for (const { reading, items } of executions) {
    countExecution?.();
    const searching = search?.begin();
    for (const { item, place } of items) await searching?.see(item, () => place)?.();
    events.read({ ...reading, searched: searching?.result() ?? null });
  }
}

/** Buffers a page until its end, and forwards it unless it is unchanged. A large one is forwarded as it arrives. */
class BufferedPage implements ByteSink {
  readonly #sink: ByteSink;
  readonly #digestBefore: string | null;
  #chunks: Uint8Array[] = [];
  byteLength = 0;
  /** SHA-256 of the whole page; null before its end, and for a large one. */
  digest: string | null = null;

  constructor(sink: ByteSink, digestBefore: string | null) {
    this.#sink = sink;
    this.#digestBefore = digestBefore;
  }

  get isLarge(): boolean {
    return this.byteLength > MAX_BYTES;
  }

  get isUnchanged(): boolean {
    return this.digest !== null && this.digest === this.#digestBefore;
  }

  write(chunk: Uint8Array): void {
    this.byteLength += chunk.length;
    this.#chunks.push(chunk);
    if (this.isLarge) this.#forward();
  }

  end(): void {
    this.digest = this.isLarge ? null : sha256Text("base64", ...this.#chunks);
    if (this.isUnchanged) return;
    this.#forward();
    this.#sink.end();
  }

  #forward(): void {
    for (const chunk of this.#chunks.splice(0)) this.#sink.write(chunk);
  }
}
