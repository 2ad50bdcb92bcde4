/** Answers to be drawn, in the shape of the tools' own, a hostile one among them. */

const url = (workflowId: string, id: string): string =>
  `https://n8n.example.com/workflow/${workflowId}/executions/${id}`;

const META = { timestamp: "2026-11-22T10:00:00.000Z" };

export const TRACE = {
  status: "success",
  message: 'Request order-7 failed at node "Get stock" of "Stock" after 2.1 s.',
  data: {
    requestId: "order-7",
    found: true,
    outcome: "error",
    failure: {
      executionId: "42",
      workflowName: "Stock",
      nodeName: "Get stock",
      message: "The service answered 500.",
    },
    executions: [
      {
        id: "41",
        workflowId: "w1",
        workflowName: "Orders",
        role: "entry",
        status: "error",
        startOffsetMs: 0,
        durationMs: 2_100,
        evidence: "requestId",
        match: { kind: "exact", path: "body.context.requestId" },
      },
      {
        id: "42",
        workflowId: "w2",
        workflowName: "Stock",
        role: "sub_workflow",
        parentId: "41",
        status: "error",
        startOffsetMs: 900,
        durationMs: 800,
        evidence: "parent execution",
      },
      {
        id: "43",
        workflowId: "w3",
        workflowName: "On error",
        role: "error_handler",
        parentId: "41",
        status: "success",
        startOffsetMs: 2_100,
        durationMs: 40,
        evidence: "error workflow",
      },
    ],
    executionUrl: "https://n8n.example.com/workflow/{workflowId}/executions/{executionId}",
    traceId: "trace_1",
  },
  meta: META,
};

export const HOSTILE = {
  status: "success",
  message: "<script>parent.hit=1</script>",
  data: {
    requestId: "</main><script>parent.hit=1</script>",
    executionUrl: "javascript:parent.hit=1",
    outcome: "error",
    executions: [
      {
        id: "1",
        workflowName: '<img src=x onerror="parent.hit=1">',
        role: "entry",
        status: "error",
        startOffsetMs: 0,
        durationMs: 5,
        evidence: "<a href=javascript:parent.hit=1>x</a>",
      },
      { id: {}, workflowName: ["x"], role: 7, startOffsetMs: "late", durationMs: -5 },
      "no execution",
    ],
  },
  meta: META,
};

export const EXPLANATION = {
  status: "success",
  message: 'Node "Send" failed, because "Get customer" sent no field email.',
  data: {
    executionId: "51",
    url: url("w5", "51"),
    workflowId: "w5",
    status: "error",
    explanation: {
      cause: "missing_field",
      sentence: '"Get customer" sent no field email, which "Send" needs.',
      node: "Get customer",
      confidence: "compared",
      field: "email",
    },
    evidence: [
      {
        cause: "failed_node",
        sentence: '"Send" failed with a TypeError in line 2.',
        node: "Send",
        confidence: "exact",
      },
      {
        cause: "key_missing",
        sentence: 'In execution 50, which succeeded, "Get customer" sent email as a string.',
        node: "Get customer",
        confidence: "compared",
      },
    ],
    comparedWith: { executionId: "50", url: url("w5", "50") },
  },
  meta: META,
};
