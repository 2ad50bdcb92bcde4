/**
 * One page of a node run's input and output. The execution is read twice: first its outline, which shows how
 * much each source sent, and then only the items of the page. Pure.
 */
import type { ReadValue } from "../json/omitted.ts";
import type { ItemRange, OutputPlace } from "../n8n/read-plans.ts";
import type { ExecutionWithData, NodeRun } from "../n8n/schemas.ts";
import { sumOf } from "../platform/sum-of.ts";
import { type InputSource, itemsAt, overrideOf, sourcesOf } from "./node-data.ts";

export interface ItemPage {
  readonly items: readonly ReadValue[];
  readonly total: number;
}

interface Slice extends ItemRange {
  readonly place: OutputPlace;
}

const isSamePlace = (a: OutputPlace, b: OutputPlace): boolean =>
  a.nodeName === b.nodeName && a.run === b.run && a.output === b.output;

/** The items of each source that a page of the joined input holds; a page may span several sources. */
function sliceSources(sources: readonly InputSource[], page: ItemRange): Slice[] {
  let before = 0;
  return sources.map((place) => {
    const clamp = (at: number): number => Math.min(place.count, Math.max(0, at - before));
    const slice = { place, from: clamp(page.from), to: clamp(page.to) };
    before += place.count;
    return slice;
  });
}

export function planNodePage(outline: ExecutionWithData, run: NodeRun, place: OutputPlace, page: ItemRange) {
  const sources = overrideOf(run) === undefined ? sourcesOf(run, outline) : [];
  const given = sliceSources(sources, page);
  const sent = { ...page, place };
  const requested: Slice[] = [sent, { ...page, place: { ...place, output: 0 } }, ...given];

  // The same output is requested twice if it leads to two inputs of one node.
  const rangeOf = (at: OutputPlace): ItemRange | undefined => {
    const here = requested.filter((slice) => slice.from < slice.to && isSamePlace(slice.place, at));
    if (here.length === 0) return undefined;
    return { from: Math.min(...here.map(({ from }) => from)), to: Math.max(...here.map(({ to }) => to)) };
  };
  const itemsOf = (execution: ExecutionWithData, slice: Slice): readonly ReadValue[] => {
    const start = rangeOf(slice.place)?.from ?? 0;
    return itemsAt(execution, slice.place).items.slice(slice.from - start, slice.to - start);
  };
  return {
    rangeOf,
    take(execution: ExecutionWithData, readRun: NodeRun) {
      const override = overrideOf(readRun);
      const joined = {
        items: given.flatMap((slice) => itemsOf(execution, slice)),
        length: sumOf(sources, ({ count }) => count),
      };
      const { items, length: total } = override ?? joined;
      const output: ItemPage = { items: itemsOf(execution, sent), total: itemsAt(execution, place).length };
      return { input: { items, total, sources }, output };
    },
  };
}
