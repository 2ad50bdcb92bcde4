/** What the access rules grant a caller in each n8n. */
import { expect, test } from "vitest";
import { View } from "../../src/n8n/view.ts";
import type { CallerAccess } from "../../src/settings/index.ts";
import { grantsIn, viewOf, visibleInstances } from "../../src/wiring/caller-view.ts";

const READ = ["n8n:read"];
const DATA = ["n8n:read", "n8n:data"];
const ORDERS = { tags: ["orders"] };
const NAMES = ["prod", "test"];

const who = { everybody: true };
const instances = NAMES.map((name) => [
  name,
  { baseUrl: `https://${name}.example`, apiKey: `key-of-${name}` },
]);
const env = { N8N_INSTANCES: JSON.stringify(Object.fromEntries(instances)) };
const withRules = {
  ...env,
  ACCESS_RULES: JSON.stringify([
    { who, see: { instances: ["prod"], workflows: ORDERS }, scopes: READ },
    { who, see: "all", scopes: DATA },
    { who, see: { instances: ["test"] }, scopes: READ },
  ]),
};
const personal = { ...env, N8N_KEYS: "personal" };

const EVERYBODY: CallerAccess = { kind: "all" };
const OWN_KEYS: CallerAccess = { kind: "own keys", n8nKeys: { test: "key" } };
const byRules = (...numbers: number[]): CallerAccess => ({ kind: "rules", numbers });

test.each([
  ["everything without rules", env, EVERYBODY, "prod", [{ scopes: DATA }]],
  ["nothing if no rule applies", withRules, EVERYBODY, "prod", []],
  ["nothing by an empty list of rules", withRules, byRules(), "prod", []],
  ["a rule's workflows", withRules, byRules(1), "prod", [{ workflows: ORDERS, scopes: READ }]],
  ["nothing of another n8n than the rule's", withRules, byRules(1), "test", []],
  ["everything by a rule for every n8n", withRules, byRules(2), "test", [{ scopes: DATA }]],
  [
    "what several rules grant together",
    withRules,
    byRules(1, 2, 3),
    "prod",
    [{ workflows: ORDERS, scopes: READ }, { scopes: DATA }],
  ],
  ["nothing by a rule that is gone", withRules, byRules(4), "prod", []],
  ["nothing by the operator's key if they have their own", env, OWN_KEYS, "test", []],
  ["nothing by the operator's key if keys are personal", personal, EVERYBODY, "test", []],
])("a caller gets %s", (_what, settings, access, instance, grants) => {
  expect(grantsIn(settings, access, instance)).toEqual(grants);
});

test.each([
  [env, EVERYBODY, NAMES],
  [withRules, byRules(1), ["prod"]],
  [withRules, byRules(3), ["test"]],
  [withRules, EVERYBODY, []],
  [personal, OWN_KEYS, ["test"]],
  [personal, EVERYBODY, []],
])("a caller sees the instances of which anything is granted (%#)", (settings, access, seen) => {
  expect(visibleInstances(settings, access, NAMES)).toEqual(seen);
});

test("the index is asked only if a rule needs n8n's list of workflows", async () => {
  const ask = async () => ({ seen: ["a"], data: [] });
  expect((await viewOf([{ workflows: ORDERS, scopes: ["n8n:read"] }], ask)).parts).toEqual(await ask());
  expect(await viewOf([{ scopes: ["n8n:read", "n8n:data"] }], ask)).toEqual(View.everything);
});
