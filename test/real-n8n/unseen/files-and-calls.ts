/** Invalid and unwritable files, and sub-workflows that expect other inputs or fail in part. */
import { get, list, noOp } from "../kinds/parts.ts";
import { code, node, subWorkflowStart, type WorkflowNode } from "../workflow-parts.ts";
import type { UnseenKind, UnseenParts } from "./unseen-kind.ts";

const PRIVATE = /planted/i;

const download = (name: string, url: string): WorkflowNode =>
  get(name, url, { options: { response: { response: { responseFormat: "file" } } } });

const files = ({ odd }: UnseenParts): readonly UnseenKind[] => [
  {
    name: "no-file-in-item",
    family: "failed",
    draft: {
      nodes: [
        list("Read mail", [{ subject: "planted" }]),
        get("Upload invoice", `${odd.url}/ok`, {
          method: "POST",
          sendBody: true,
          contentType: "binaryData",
          inputDataFieldName: "data",
        }),
      ],
    },
    expected: {
      roots: ["Read mail", "Upload invoice"],
      says: [/file|binary/i, /data/],
      causes: ["file", "field_missing"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "file-of-broken-json",
    family: "failed",
    draft: {
      nodes: [
        download("Download orders", `${odd.url}/half`),
        node("Read orders", "n8n-nodes-base.moveBinaryData", 1.1, { mode: "binaryToJson", options: {} }),
      ],
    },
    expected: {
      roots: ["Download orders", "Read orders"],
      says: [/JSON/],
      causes: ["not_json", "file"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "no-zip",
    family: "failed",
    draft: {
      nodes: [
        download("Download archive", `${odd.url}/text`),
        node("Unpack", "n8n-nodes-base.compression", 1.1, {
          operation: "decompress",
          binaryPropertyName: "data",
          outputPrefix: "file_",
        }),
      ],
    },
    expected: {
      roots: ["Download archive", "Unpack"],
      says: [/zip|archive|compress|extension|format/i],
      causes: ["file", "invalid_request"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "write-where-it-may-not",
    family: "failed",
    draft: {
      nodes: [
        list("Make report", [{ text: "planted" }]),
        node("To file", "n8n-nodes-base.convertToFile", 1.1, { operation: "toText", sourceProperty: "text" }),
        node("Save report", "n8n-nodes-base.readWriteFile", 1, {
          operation: "write",
          fileName: "/proc/report.txt",
          options: {},
        }),
      ],
    },
    expected: {
      roots: ["Save report"],
      says: [/allow|permi|access|writ|no such|not at the path|no file/i],
      causes: ["file"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "no-feed",
    family: "failed",
    draft: {
      nodes: [
        node("Read news", "n8n-nodes-base.rssFeedRead", 1.1, { url: `${odd.url}/no-feed`, options: {} }),
      ],
    },
    expected: {
      roots: ["Read news"],
      says: [/feed|RSS|XML|format/i],
      causes: ["node_failed", "not_json", "invalid_request", "file"],
    },
  },
];

/** Sub-workflows that expect other inputs or fail in part. */
const calls: readonly UnseenKind[] = [
  {
    name: "sub-workflow-wants-a-number",
    family: "failed",
    draft: async (stage) => {
      const start = node("Start", "n8n-nodes-base.executeWorkflowTrigger", 1.1, {
        inputSource: "workflowInputs",
        workflowInputs: { values: [{ name: "amount", type: "number" }] },
      });
      const id = await stage.addCalled("Convert amount", { nodes: [start, noOp("Done")] });
      return {
        nodes: [
          node("Convert", "n8n-nodes-base.executeWorkflow", 1.2, {
            workflowId: { __rl: true, mode: "id", value: id },
            workflowInputs: {
              mappingMode: "defineBelow",
              value: { amount: "={{ $json.body.amount }}" },
              matchingColumns: [],
              schema: [
                {
                  id: "amount",
                  displayName: "amount",
                  required: false,
                  defaultMatch: false,
                  display: true,
                  canBeUsedToMatch: true,
                  type: "number",
                },
              ],
              attemptToConvertTypes: false,
              convertFieldsToString: false,
            },
            mode: "once",
            options: { waitForSubWorkflow: true },
          }),
        ],
      };
    },
    sent: [{ amount: "planted twelve" }],
    expected: {
      roots: ["Convert", "Webhook"],
      says: [/amount/, /number/],
      causes: ["wrong_type", "invalid_request"],
      neverSays: [/sub-workflow it called failed/, PRIVATE],
    },
  },
  {
    name: "sub-workflow-fails-for-second-item",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCalled("Book one room", {
        nodes: [
          subWorkflowStart(),
          code(
            "Book",
            "if ($input.first().json.room === 2) throw new Error('planted: taken'); return $input.all()",
          ),
        ],
      });
      return {
        nodes: [
          list("List rooms", [{ room: 1 }, { room: 2 }, { room: 3 }]),
          node("Book rooms", "n8n-nodes-base.executeWorkflow", 1.2, {
            workflowId: { __rl: true, mode: "id", value: id },
            workflowInputs: { mappingMode: "defineBelow", value: {} },
            mode: "each",
            options: { waitForSubWorkflow: true },
          }),
        ],
      };
    },
    executions: 3,
    expected: {
      roots: ["Book"],
      symptoms: ["Book rooms"],
      says: [/sub-workflow/, /thr(ew|own)|its own code/],
      causes: ["sub_workflow_failed"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "sub-workflow-runs-out-of-time",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCalled("Slow report", {
        nodes: [subWorkflowStart(), get("Fetch report", `${stage.services.url}/slow/report`), noOp("Done")],
        settings: { executionTimeout: 1 },
      });
      return {
        nodes: [
          node("Build report", "n8n-nodes-base.executeWorkflow", 1.2, {
            workflowId: { __rl: true, mode: "id", value: id },
            workflowInputs: { mappingMode: "defineBelow", value: {} },
            mode: "once",
            options: { waitForSubWorkflow: true },
          }),
        ],
      };
    },
    executions: 2,
    expected: {
      roots: ["Build report", "Fetch report"],
      says: [/tim(e|ed)|longer than/i],
      causes: ["sub_workflow_failed", "timed_out", "canceled"],
    },
  },
];

export const fileAndCallUnseen = (parts: UnseenParts): readonly UnseenKind[] => [...files(parts), ...calls];
