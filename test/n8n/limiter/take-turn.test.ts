/** The client's side of the budget, where the Durable Object fails. */
import { expect, test } from "vitest";
import type { N8nBudget } from "../../../src/n8n/limiter/n8n-budget.ts";
import { createTakeTurn } from "../../../src/n8n/limiter/take-turn.ts";

/** A namespace whose object answers as told, one answer after the other. */
function namespaceOf(answers: (() => unknown)[]): DurableObjectNamespace<N8nBudget> {
  const stub = { take: async () => answers.shift()?.() };
  return { getByName: () => stub } as unknown as DurableObjectNamespace<N8nBudget>;
}

const fail = (): never => {
  throw new Error("a fault with a secret in it");
};

test("an object that fails for good: n8n is not asked, and the log tells why, without the message", async () => {
  const log: unknown[] = [];
  const take = createTakeTurn(namespaceOf([fail, fail, fail]), "anna", (line) => log.push(line));
  await expect(take(1_000)).rejects.toMatchObject({ code: "RATE_LIMITED", details: { retryAfter: 5 } });
  expect(log).toMatchObject([{ event: "n8n-budget-failed", failures: 1 }, { failures: 2 }, { failures: 3 }]);
  expect(JSON.stringify(log)).not.toContain("secret");
});

test("an object that was moved is asked again; a turn ends when it is let go of", async () => {
  let ended = 0;
  const turn = { pause: async () => {} };
  const answer = { turn, retryAfter: 0, [Symbol.dispose]: () => (ended += 1) };
  const take = createTakeTurn(namespaceOf([fail, () => answer]), "anna", () => {});
  const taken = await take(1_000);
  expect(ended).toBe(0);
  taken.end();
  expect(ended).toBe(1);
});
