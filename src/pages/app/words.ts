/** Every sentence and label of the page, in English. Another language would be another table of this type. */
import { counted } from "../../platform/counted.ts";

export const WORDS = {
  skip: "Skip to the answer",
  field: "Request id, execution, customer number, …",
  fieldHint: "Also the address of an execution in n8n, a chat's session id, a traceparent.",
  find: "Find",
  allInstances: "All n8n instances",
  instance: "n8n instance",
  title: {
    home: "What went on in n8n",
    requests: "Request",
    executions: "Execution",
    node: "Data of a node",
    compared: "Compared with a success",
    agents: "What its agents did",
    failures: "What broke",
    search: "Search",
  },
  session: {
    account: "Session",
    dataOff: "Data is hidden",
    dataOn: "Data is shown",
    switchOn: "Show data",
    switchOff: "Hide data",
    mayNot: "You may see what happened, not the data that went through nodes.",
    signOut: "Sign out",
    signOutEverywhere: "Sign out of this page in every browser",
  },
  reading: "Reading n8n's executions …",
  cancel: "Cancel",
  whatToDo: "What to do",
  tryAgain: "Try again",
  backHome: "Back to the failures",
  nearest: "Nearest names",
  openInN8n: "Open in n8n",
  openTrace: "Open the trace",
  explain: "Why, and which nodes ran",
  nodeData: "Data of this node",
  timeline: "Timeline",
  readOn: "Read on",
  deliveries: "Each time that it was sent",
  instances: "In each n8n",
  searchInstead: "Search all data for this text",
  searchWords: "Search for whole words (faster)",
  readDeep: "Look for it anywhere in the data (takes longer)",
  notComplete:
    "This is not the last word: not all executions of the window were read. What is missing may still be found.",
  complete: (count: number): string => `${counted(count, "execution")} looked at; the whole window was read.`,
  chain: "From the cause to what came of it",
  nodes: "Nodes that ran",
  moreNodes: "More nodes ran than are listed. Find one by its name:",
  runsAndOutputs: "Runs and outputs",
  node: "Node",
  kind: "Kind",
  state: "State",
  links: "Related executions",
  parent: "It was called by",
  subExecution: "It called",
  retryOf: "It is a retry of",
  retrySuccess: "A later retry succeeded:",
  customData: "Custom data",
  beside: "Beside the last success",
  sameAs: "Nothing differs.",
  before: "then",
  now: "now",
  agents: "What its agents did",
  input: "Went in",
  output: "Came out",
  parameters: "Parameters",
  error: "Error",
  run: (run: number, runs: number): string => `Run ${run + 1} of ${runs}`,
  outputOf: (index: number): string => `Output ${index + 1}`,
  item: (index: number): string => `Item ${index + 1}`,
  items: (from: number, to: number, total: number): string =>
    total === 0
      ? "No items"
      : to < from
        ? `No item from ${from} on, of ${total}`
        : `Items ${from} to ${to} of ${total}`,
  earlier: "Earlier items",
  later: "Later items",
  shortened: "Long values are shortened here.",
  redacted: (count: number): string => `${counted(count, "secret is", "secrets are")} redacted.`,
  needsData: {
    title: "This needs data",
    noId: "What you ask for does not look like an id, so only the data can tell where it is.",
    message: "What went through a node stays hidden until you switch it on, for this session only.",
    mayNot: "Your account may see what happened, but not the data. Whoever runs this server can allow it.",
  },
  window: "Window",
  spans: [
    { hours: 1, name: "Last hour" },
    { hours: 24, name: "Last day" },
    { hours: 168, name: "Last week" },
    { hours: 720, name: "Last 30 days" },
  ],
  groups: "Failures by cause",
  noGroups: "No failure is known in this window.",
  asTable: "In numbers",
  recent: "Newest failures",
  noRecent: "No failed execution is listed here. Ask about a request id above.",
  times: (count: number): string => counted(count, "time"),
  lists: {
    hanging: "Hanging",
    silent: "Silent",
    unusual: "Green, but unlike before",
    unhandled: "Errors without an error workflow",
    incidents: "Incidents",
  },
  updated: "Updates by itself while you look.",
  known: "What is known",
  knownSince: "What n8n keeps was read back to",
  asOf: "Last check for new executions:",
  found: "Found in",
  noPage: {
    title: "There is no such page",
    message: "No page of this server has this address.",
    solution: "Paste what you have into the field above, or go back to the failures.",
  },
  bug: {
    message: "The answer failed unexpectedly.",
    solution: "Try again. If it happens again, give the number to whoever runs this server: the log has it.",
  },
  columns: { workflow: "Workflow", why: "Why", count: "How often", last: "Last" },
} as const;

/** Titles of refusals, by the code of a tool's error. */
export const PROBLEMS: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: "This cannot be looked up",
  EXECUTION_NOT_FOUND: "There is no such execution",
  NODE_NOT_FOUND: "This node did not run",
  INSTANCE_NOT_FOUND: "There is no such n8n instance",
  TRACE_NOT_FOUND: "This reading has ended",
  CONFIGURATION_ERROR: "This server is not set up yet",
  N8N_UNAUTHORIZED: "n8n refuses the key",
  N8N_FORBIDDEN: "n8n refuses this request",
  N8N_UNREACHABLE: "n8n does not answer",
  N8N_TIMEOUT: "n8n took too long",
  N8N_RATE_LIMITED: "n8n is asked too often",
  RATE_LIMITED: "Too many questions at once",
  INSUFFICIENT_SCOPE: "This needs data",
};

/** Solutions for people, in place of those that name the next tool call. */
export const SOLUTIONS: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: "Check what you pasted: a request id, an execution's number, or its address in n8n.",
  EXECUTION_NOT_FOUND:
    "n8n may have deleted it, or the number is of another n8n. If it is a request id, paste it into the field above.",
  NODE_NOT_FOUND: "Go back to the execution and choose one of its nodes.",
  INSTANCE_NOT_FOUND: "Choose one of the n8n instances.",
  TRACE_NOT_FOUND: "Ask again: reading begins anew.",
  INSUFFICIENT_SCOPE: "Whoever runs this server can allow you to see the data of this workflow.",
};

/** Solutions by the wrong argument, where the code alone is not enough. */
export const SOLUTIONS_OF_FIELDS: Readonly<Record<string, string>> = {
  instance: SOLUTIONS.INSTANCE_NOT_FOUND ?? "",
  hours: "Choose one of the windows, or write a whole number of hours: hours=24.",
  startedAfter:
    "Choose one of the windows, or write a date: since=2026-11-20, or since=2026-11-20T08:00:00Z.",
};

export const UNKNOWN_PROBLEM = "Something went wrong";
