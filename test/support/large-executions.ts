/** Executions at their largest, as n8n sends them. */
import { type FakeExecution, fakeExecution } from "./fake-n8n.ts";

/** Prose and characters that cost a model the most tokens. */
export const JAPANESE =
  "ワークフローの注文を検証して顧客の住所を正規化し、在庫が足りなければ担当者へ通知します。憂鬱な薔薇の檸檬。";
export const EMOJI = "🚀🎉🧑🏽‍🚒🇯🇵";

/** The text repeated up to a length in characters. */
export const long = (text: string, length: number): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);

export interface LargeOptions {
  readonly nodes: number;
  readonly nodeName: (index: number) => string;
  /** The items that each node sends. */
  readonly items: (node: number) => readonly unknown[];
  readonly parameters?: unknown;
  readonly errorText?: string;
}

/** A chain of nodes, of which the one in the middle failed and all others succeeded. */
export function largeExecution(id: number, options: LargeOptions): FakeExecution {
  const { nodes, nodeName, items, parameters = {}, errorText = "The rate service said no" } = options;
  const failed = Math.floor(nodes / 2);
  const error = {
    name: "NodeApiError",
    message: errorText,
    description: errorText,
    httpCode: "502",
    stack: "at x (/usr/lib/node_modules/n8n/y.js:1:1)\n".repeat(5_000),
    node: { name: nodeName(failed), type: "n8n-nodes-base.code", parameters },
  };
  const indexes = Array.from({ length: nodes }, (_node, index) => index);
  const run = (index: number) => ({
    startTime: 1_790_000_000_000 + index,
    executionTime: 3,
    executionIndex: index,
    executionStatus: index === failed ? "error" : "success",
    source: index === 0 ? [] : [{ previousNode: nodeName(index - 1) }],
    data: { main: [items(index).map((json) => ({ json }))] },
    metadata: { subExecution: { executionId: String(90_000 + index), workflowId: "abcdefghijklmnop" } },
    ...(index === failed ? { error } : {}),
  });
  return fakeExecution(id, `r-${id}`, {
    status: "error",
    workflowData: {
      id: "w1",
      name: long(nodeName(0), 128),
      nodes: indexes.map((index) => ({ name: nodeName(index), type: "n8n-nodes-base.code", parameters })),
    },
    data: {
      parentExecution: { executionId: "77775", workflowId: "ponmlkjihgfedcba" },
      resultData: {
        error,
        lastNodeExecuted: nodeName(failed),
        runData: Object.fromEntries(indexes.map((index) => [nodeName(index), [run(index)]])),
      },
    },
  });
}

const count = (length: number, item: (index: number) => unknown): unknown[] =>
  Array.from({ length }, (_item, index) => item(index));

const wide = (text: string, members: number): unknown =>
  Object.fromEntries(Array.from({ length: members }, (_member, at) => [`${text.slice(0, 12)}${at}`, text]));

/**
 * Kinds of large executions by name.
 *
 * @param length that of the longest strings, in characters
 * @param items the number of items of nodes with many
 */
export const largeKinds = (length: number, items: number): Readonly<Record<string, LargeOptions>> => ({
  "500 nodes": {
    nodes: 500,
    nodeName: (index) => `Node number ${index}`,
    items: () => [wide("some words about an order", 20)],
  },
  "500 nodes with long Japanese names": {
    nodes: 500,
    nodeName: (index) => `${long(JAPANESE, 120)}${index}`,
    items: () => [wide(long(JAPANESE, 400), 10)],
    errorText: long(JAPANESE, 20_000),
  },
  "many items": {
    nodes: 3,
    nodeName: (index) => `Batch ${index}`,
    items: (node) => count(items, (index) => ({ node, index, text: `order ${index} of a customer` })),
  },
  "many wide items in Japanese": {
    nodes: 3,
    nodeName: (index) => `一括処理${index}`,
    items: (node) => count(items, (index) => ({ node, index, text: long(JAPANESE, 300) })),
    errorText: long(JAPANESE, 3_000),
  },
  "long strings everywhere": {
    nodes: 3,
    nodeName: (index) => `Huge ${index}`,
    items: () => [{ headers: {}, body: { text: long("word after word ", length) } }],
    parameters: { jsCode: long("const a = 1;\n", length) },
    errorText: long("it failed and failed ", length),
  },
  "long strings in Japanese, of emoji, and of base64": {
    nodes: 3,
    nodeName: (index) => `${long(JAPANESE, 250)}${index}`,
    items: () => [
      { text: long(JAPANESE, length / 3) },
      { text: long(EMOJI, length / 4) },
      { text: long("q8Zr7vN1cYp6H+/3k", length) },
    ],
    parameters: { text: long(JAPANESE, 100_000) },
    errorText: long(EMOJI, 100_000),
  },
});
