/** The estimate is never below real tokenizers on what answers contain, and not absurdly above them on JSON. */
import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/mcp/token-estimate.ts";
import { readRecording } from "../recorded-n8n/recording.ts";
import { threadSeconds } from "../support/thread-seconds.ts";
import { countTokens } from "../support/token-counts.ts";

const recording = await readRecording();

const times = (count: number, make: (index: number) => unknown): string =>
  JSON.stringify(Array.from({ length: count }, (_item, index) => make(index)));
const ratioOf = (text: string): number => estimateTokens(text) / countTokens(text);

const ORDINARY_JSON: Record<string, string> = {
  "recorded executions": JSON.stringify(recording.executions.slice(0, 8)),
  "recorded workflows": JSON.stringify(recording.workflows.slice(0, 6)),
  "recorded scenarios": JSON.stringify(recording.manifest.scenarios),
  "list of executions": times(100, (index) => ({
    id: String(1_000_000 - index),
    workflowId: randomBytes(12).toString("base64url"),
    workflowName: "orders.process",
    startedAt: new Date(1.8e12 - index * 54_321).toISOString(),
    stoppedAt: new Date(1.8e12 - index * 54_321 + 345).toISOString(),
    status: "success",
    mode: "webhook",
    durationMs: 345,
  })),
  "list of names": times(100, (index) => ({
    nodeName: `Read Order ${index}`,
    nodeType: "n8n-nodes-base.code",
    status: "success",
  })),
};

const SCRIPTS: Record<string, string> = {
  Japanese: "受注処理ワークフローで顧客の住所を検証できませんでした。再試行してください。".repeat(20),
  Katakana: "ノードエラーリクエストデータベースコネクション".repeat(20),
  Chinese: "订单处理失败：无法连接到数据库服务器，请稍后重试。".repeat(20),
  Korean: "주문 처리 워크플로에서 오류가 발생했습니다. ".repeat(20),
  emoji: "🚀🎉👩‍💻🇪🇸🏳️‍🌈😀🧑🏽‍🚒🫠".repeat(30),
  Russian: "Не удалось выполнить рабочий процесс из-за ошибки. ".repeat(20),
  Greek: "Η εκτέλεση απέτυχε λόγω σφάλματος. ".repeat(20),
  Arabic: "فشل تنفيذ سير العمل بسبب خطأ في قاعدة البيانات. ".repeat(20),
  Thai: "การดำเนินการล้มเหลวเนื่องจากข้อผิดพลาด".repeat(20),
  Hindi: "कार्यप्रवाह विफल हुआ क्योंकि डेटाबेस उपलब्ध नहीं था। ".repeat(20),
  Amharic: "የሥራ ሂደቱ አልተሳካም ".repeat(30),
};

const DENSE: Record<string, string> = {
  base64: randomBytes(6_000).toString("base64"),
  "base64 for URLs": randomBytes(6_000).toString("base64url"),
  hex: randomBytes(3_000).toString("hex"),
  "upper-case hex": randomBytes(3_000).toString("hex").toUpperCase(),
  UUIDs: times(200, () => randomUUID()),
  dates: times(200, (index) => new Date(index * 1e10).toISOString()),
  numbers: times(300, (index) => Math.sin(index)),
  "large numbers": times(300, (index) => Math.floor(Math.abs(Math.sin(index)) * 1e15)),
};

const PROSE: Record<string, string> = {
  English: "The workflow failed because the upstream service answered with an unexpected status. ".repeat(40),
  Spanish: "El flujo de trabajo falló porque el servicio respondió con un estado inesperado. ".repeat(40),
  German: "Der Arbeitsablauf schlug fehl, weil die Übertragungsgröße überschritten wurde. ".repeat(40),
  shouting: "ERROR: FATAL EXCEPTION IN WORKFLOW. ".repeat(40),
  code: "return $input.all().map((item) => ({ json: { ...item.json, sent: true } }));\n".repeat(30),
  minified: "a=b?c:d;function x(y){return y[0]+z.q}".repeat(40),
  stack:
    "    at WorkflowExecute.runNode (/usr/local/lib/node_modules/n8n/node_modules/n8n-core/src/workflow-execute.ts:1431:11)\n".repeat(
      20,
    ),
};

const rows = (samples: Record<string, string>) => Object.entries(samples);

describe("the estimate is never below the tokenizers", () => {
  test.each([...rows(ORDINARY_JSON), ...rows(SCRIPTS), ...rows(DENSE), ...rows(PROSE)])(
    "%s",
    (_name, text) => {
      expect(ratioOf(text)).toBeGreaterThanOrEqual(1);
    },
  );

  test("for short random ids, except for some noise", () => {
    const ids = times(300, () => randomBytes(12).toString("hex").slice(0, 16));
    const mixed = times(300, () => randomBytes(12).toString("base64url"));
    expect(Math.min(ratioOf(ids), ratioOf(mixed))).toBeGreaterThan(0.9);
  });
});

test("words of random letters or rare Han are underestimated, as nothing tells them from other words", () => {
  const letter = (byte: number): string => String.fromCharCode(97 + (byte % 26));
  const letters = times(300, (index) => Array.from(randomBytes((index % 5) + 4), letter).join(""));
  expect(ratioOf(letters)).toBeGreaterThan(0.5);
  expect(ratioOf("龍鳳麒麟饕餮魑魅魍魎齉龘鬱陶薔薇檸檬顰蹙".repeat(20))).toBeGreaterThan(0.6);
});

test.each([...rows(ORDINARY_JSON), ...rows(DENSE)])(
  "the estimate of %s is not absurdly above the tokenizers",
  (name, text) => {
    const ratio = ratioOf(text);
    console.info(`estimate / tokens, ${name}: ${ratio.toFixed(2)}`);
    expect(ratio).toBeLessThan(1.9);
  },
);

test("an empty text costs nothing, and a longer text never costs less", () => {
  expect(estimateTokens("")).toBe(0);
  const text = '{"a":[1,"ab-漢字 🚀","'.concat("x".repeat(40), '"]}');
  let last = 0;
  for (let end = 0; end <= text.length; end += 20) {
    const now = estimateTokens(text.slice(0, end));
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
});

test("the estimate of ten megabytes takes limited time", () => {
  for (const text of [
    "a".repeat(10_000_000),
    "a ".repeat(5_000_000),
    "漢".repeat(5_000_000),
    "=a-".repeat(3_000_000),
  ]) {
    expect(threadSeconds(() => void estimateTokens(text))).toBeLessThan(2);
  }
});
