/** Failures and silent stops between nodes: types, pairing, branches, loops, merges, files. */

import { codeForEach, filter, list, loop, merge, noOp, set, when } from "../kinds/parts.ts";
import { wire } from "../kinds/stage.ts";
import { code, node, type WorkflowNode } from "../workflow-parts.ts";
import type { UnseenKind } from "./unseen-kind.ts";

const PRIVATE = /planted/i;

function dateFilter(name: string, left: string): WorkflowNode {
  return node(name, "n8n-nodes-base.filter", 2.2, {
    conditions: {
      options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
      combinator: "and",
      conditions: [
        {
          id: "after",
          leftValue: left,
          rightValue: "={{ $now.minus({ days: 7 }) }}",
          operator: { type: "dateTime", operation: "after" },
        },
      ],
    },
    options: {},
  });
}

const types: readonly UnseenKind[] = [
  {
    name: "if-number-is-empty-text",
    family: "failed",
    draft: {
      nodes: [
        when("Is many", { left: "={{ $json.body.quantity }}", type: "number", operation: "gt", right: 5 }),
        noOp("Order more"),
      ],
    },
    sent: [{ quantity: "" }],
    expected: {
      roots: ["Webhook", "Is many"],
      says: [/number/, /quantity/],
      causes: ["wrong_type"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "filter-date-is-words",
    family: "failed",
    draft: {
      nodes: [list("Read bookings", [{ day: "planted day" }]), dateFilter("Only new", "={{ $json.day }}")],
    },
    expected: {
      roots: ["Read bookings", "Only new"],
      says: [/date/, /day/],
      causes: ["wrong_type"],
      neverSays: [/planted/],
    },
  },
  {
    name: "paired-after-aggregate",
    family: "failed",
    draft: {
      nodes: [
        list("List guests", [{ name: "planted A" }, { name: "planted B" }]),
        node("Collect", "n8n-nodes-base.aggregate", 1, { aggregate: "aggregateAllItemData", options: {} }),
        set("Write mail", { to: "={{ $('List guests').item.json.name }}" }),
      ],
    },
    expected: {
      roots: ["Collect", "Write mail"],
      symptoms: ["List guests"],
      says: [/pair|which item|several|more than one/i],
      causes: ["pairing"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "first-of-a-node-without-items",
    family: "failed",
    draft: {
      nodes: [
        list("List orders", [{ id: 1, open: false }]),
        filter("Only open", { left: "={{ $json.open }}", type: "boolean", operation: "true" }),
        code("Take oldest", "return [{ json: { id: $('Only open').first().json.id } }]"),
      ],
      connections: wire("Webhook > List orders", "List orders > Only open", "List orders > Take oldest"),
    },
    expected: {
      roots: ["Only open", "Take oldest"],
      says: [/no item|nothing|sent none|gave no|empty/i],
      causes: ["field_missing", "input_missing", "code_threw", "node_not_run"],
      neverSays: [/did not run/],
    },
  },
  {
    name: "switch-output-out-of-range",
    family: "failed",
    draft: {
      nodes: [
        node("Route", "n8n-nodes-base.switch", 3.2, {
          mode: "expression",
          numberOutputs: 2,
          output: "={{ $json.body.lane }}",
        }),
        noOp("First lane"),
      ],
    },
    sent: [{ lane: 5 }],
    expected: {
      roots: ["Route"],
      symptoms: ["Webhook"],
      says: [/output/i, /not allowed|range|between|does not have|no output/i],
      causes: ["invalid_request", "wrong_type", "node_failed"],
    },
  },
  {
    name: "set-json-broken-by-a-quote",
    family: "failed",
    draft: {
      nodes: [
        list("Read note", [{ note: 'a planted "note"' }]),
        node("Build message", "n8n-nodes-base.set", 3.4, {
          mode: "raw",
          jsonOutput: '={ "text": "{{ $json.note }}" }',
          options: {},
        }),
      ],
    },
    expected: {
      roots: ["Read note", "Build message"],
      says: [/JSON/, /valid|quot/],
      causes: ["not_json"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "disabled-node-leaves-field-out",
    family: "failed",
    draft: {
      nodes: [
        list("List prices", [{ net: 10 }]),
        { ...set("Load rate", { rate: 7 }, true), disabled: true },
        codeForEach("Add tax", "return { json: { gross: $json.net * Number($json.rate.value) } }"),
      ],
    },
    expected: {
      roots: ["Load rate", "List prices"],
      symptoms: ["Add tax"],
      says: [/rate/],
      causes: ["field_missing"],
    },
  },
  {
    name: "expression-syntax",
    family: "failed",
    draft: { nodes: [set("Greet", { text: "={{ 'Hello ' + $json.body.name. }}" })] },
    expected: {
      roots: ["Greet"],
      says: [/expression|syntax/i, /syntax|valid/i],
      causes: ["code_syntax", "invalid_request", "node_failed"],
      neverSays: [/its code is/],
    },
  },
];

const silent: readonly UnseenKind[] = [
  {
    name: "loop-ends-early",
    family: "silent",
    draft: {
      nodes: [
        list("List orders", [
          { id: 1, open: true },
          { id: 2, open: false },
          { id: 3, open: true },
        ]),
        loop("Each order"),
        when("Is open", { left: "={{ $json.open }}", type: "boolean", operation: "true" }),
        set("Remind", { reminded: true }),
        noOp("Report"),
      ],
      connections: wire(
        "Webhook > List orders",
        "List orders > Each order",
        "Each order > Report",
        "Each order.1 > Is open",
        "Is open > Remind",
        "Remind > Each order",
      ),
    },
    expected: {
      roots: ["Is open", "Each order"],
      says: [/output 2|nothing is connected|loop|did not run|not done/i],
      causes: ["dropped", "nothing_passed", "loop"],
    },
  },
  {
    name: "merge-ids-of-other-types",
    family: "silent",
    draft: {
      nodes: [
        list("List orders", [{ customer: "7" }]),
        list("List customers", [{ id: 7, name: "Ana" }]),
        merge("Join", {
          mode: "combine",
          advanced: true,
          mergeByFields: { values: [{ field1: "customer", field2: "id" }] },
          options: { disableDotNotation: false, fuzzyCompare: false },
        }),
        noOp("Ship"),
      ],
      connections: wire(
        "Webhook > List orders",
        "Webhook > List customers",
        "List orders > Join",
        "List customers > Join:1",
        "Join > Ship",
      ),
    },
    expected: { roots: ["Join"], says: [/none of|no item|nothing/i], causes: ["nothing_passed", "dropped"] },
  },
  {
    name: "field-name-in-other-case",
    family: "silent",
    draft: {
      nodes: [
        list("Read sheet", [{ Email: "ana@example.com" }]),
        set("Write mail", { to: "={{ $json.email }}" }),
        noOp("Send"),
      ],
    },
    expected: { roots: ["Write mail", "Read sheet"], says: [/email/], causes: ["field_empty"] },
  },
];

export const dataUnseen: readonly UnseenKind[] = [...types, ...silent];
