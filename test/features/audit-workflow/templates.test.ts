/**
 * The rules on workflows like public templates: what the guide does not mention is no finding, and what cannot be judged
 * is reported as such.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { toWorkflowWithNodes, type WorkflowWithNodes } from "../../../src/n8n/workflow-schemas.ts";
import { auditAll } from "./audited-book.ts";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../workflows/fixtures/templates");
const files = readdirSync(folder).sort();
const read = (file: string): WorkflowWithNodes =>
  toWorkflowWithNodes({
    description: null,
    ...z.record(z.string(), z.json()).parse(JSON.parse(readFileSync(join(folder, file), "utf8"))),
  });
/** All templates as one instance, so that they call each other. */
const audited = auditAll(files.map(read));
const isOfGuide = ({ rule }: { readonly rule: string }): boolean => !rule.startsWith("n8n-3/");
const findings = audited.findings.filter(isOfGuide);
const unjudged = audited.unjudged.filter(isOfGuide);
const foundIn = (id: string) =>
  findings.filter(({ workflow }) => workflow.id === id).map(({ rule, node }) => `${rule} at ${node}`);
const unjudgedIn = (id: string) =>
  unjudged.filter(({ workflow }) => workflow.id === id).map(({ rule, node }) => `${rule} at ${node}`);

/** Rules for any workflow. */
const GENERAL = /^(architecture|security)\//;

describe("templates", () => {
  test("have many forms", () => {
    const sizes = files.map((file) => read(file).nodes.length);
    expect(files.length).toBeGreaterThanOrEqual(12);
    expect(Math.max(...sizes)).toBe(100);
  });

  test.each(
    files
      .map((file) => file.replace(".json", ""))
      .filter((id) => !["mcp-server-of-the-wild", "sub-workflow-by-expression"].includes(id)),
  )("have no finding in %s", (id) => {
    expect(foundIn(id)).toEqual([]);
  });

  test("that are neither servers nor tools are judged only by general rules", () => {
    const mcp = new Set(["mcp-server-of-the-wild", "sub-workflow-by-expression"]);
    const others = [...findings, ...unjudged].filter(({ workflow }) => !mcp.has(workflow.id));
    expect(others.filter(({ rule }) => !GENERAL.test(rule))).toEqual([]);
  });

  test("list as not judged what only n8n knows", () => {
    const calls = [
      "architecture/called-workflow-exists",
      "architecture/called-workflow-published",
      "architecture/caller-policy",
    ];
    expect(unjudgedIn("rag-with-vector-store")).toEqual(
      calls.map((rule) => `${rule} at Retriever of a workflow`),
    );
    expect(unjudgedIn("sub-workflow-by-expression")).toEqual(
      expect.arrayContaining(calls.map((rule) => `${rule} at Execute Workflow`)),
    );
    expect(unjudgedIn("mcp-server-of-the-wild")).toEqual(
      expect.arrayContaining(["atdf/valid at Lookup", "traceability/executions-saved at null"]),
    );
    expect(unjudgedIn("hundred-nodes")).toEqual([]);
  });
});

describe("a typical server", () => {
  test("has findings for what the guide requires", () => {
    expect(foundIn("mcp-server-of-the-wild")).toEqual([
      "architecture/tool-is-sub-workflow at Gmail Tool",
      "naming/tool-node at Lookup",
      "naming/no-default-names at MCP Server Trigger",
      "naming/no-default-names at Gmail Tool",
      "error-workflow/set at null",
      "security/trigger-authentication at MCP Server Trigger",
      "traceability/request-id at Lookup",
      "tags/present at null",
      "tags/version at null",
      "documentation/described at null",
    ]);
  });

  test("has findings in its tool, once for each place", () => {
    const all = findings.filter(({ workflow }) => workflow.id === "sub-workflow-by-expression");
    expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(all.length);
    expect(foundIn("sub-workflow-by-expression")).toEqual(
      expect.arrayContaining([
        "naming/tool-prefix at null",
        "output/standard-format at Once for each",
        "validation/before-effects at Execute Workflow",
        "critical-nodes/error-handling at Execute Workflow",
      ]),
    );
  });
});

test("removals of n8n 3.0 in the templates are found", () => {
  const removed = audited.findings.filter((each) => !isOfGuide(each));
  const counts = Map.groupBy(removed, ({ rule, evidence }) => `${rule}: ${evidence.split(". ")[0]}`);
  expect(Object.fromEntries([...counts].map(([kind, { length }]) => [kind, length]))).toEqual({
    "n8n-3/removed-node: The node's type is n8n-nodes-base.function": 14,
    "n8n-3/removed-node: The node's type is n8n-nodes-base.cron": 1,
    "n8n-3/removed-mode: source is localFile": 1,
    "n8n-3/once-for-each-item: mode is each": 1,
  });
});
