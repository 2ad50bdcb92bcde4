/**
 * An MCP server built according to the guide, with everything that belongs to it, which tests vary to break a
 * single rule. Each definition names the others that must exist before it. Pure.
 */
import { randomUUID } from "node:crypto";
import { type Connections, code, condition, node, type WorkflowNode } from "../workflow-parts.ts";
import {
  criticalCall,
  errorCode,
  giveTools,
  logRequestCode,
  start,
  sticky,
  subWorkflowCall,
  successCode,
  switchOn,
  type ToolArgument,
  type ToolText,
  toolCall,
  wire,
} from "./parts.ts";

/** In order of creation: called workflows come first. */
export const bookKeys = [
  "errorHandler",
  "getUser",
  "createEvent",
  "routeAction",
  "searchContact",
  "contacts",
  "server",
] as const;
export type BookKey = (typeof bookKeys)[number];

const bookNames: Record<BookKey, string> = {
  errorHandler: "ERR_Global_Handler",
  getUser: "SWF_Get_User",
  createEvent: "SWF_Create_Event",
  routeAction: "SWF_Route_Action",
  searchContact: "SWF_Search_Contact",
  contacts: "MCP_Contacts",
  server: "MCP_Family_Hub",
};

export const bookPaths = { server: "family-hub", contacts: "contacts" } as const;
export const bookTags = [
  "mcp-server",
  "mcp-tool",
  "mcp-error-handler",
  "production",
  "development",
  "v1.0.0",
] as const;

export interface BookDefinition {
  name: string;
  nodes: WorkflowNode[];
  connections: Connections;
  settings: Record<string, unknown>;
  tags: (typeof bookTags)[number][];
  /** It is saved but not published. */
  isDraft?: true;
}

/** The environment of the definitions. */
export interface BookWorld {
  /** Ids of existing workflows. */
  ids: Partial<Record<BookKey, string>>;
  /** n8n's URL, at which the sub-server answers. */
  baseUrl: string;
  /** The URL of the service that the tools call. */
  upstreamUrl: string;
  bearerCredential: { id: string; name: string };
}

const requestId: ToolArgument = {
  name: "request_id",
  type: "string",
  description: "Correlation id of the request",
};

const getUser: ToolText = {
  description: "Gets one user by id.",
  whenToUse: "When the details of one known user are needed.",
  arguments: [
    { name: "user_id", type: "string", description: "Id of the user" },
    {
      name: "with_details",
      type: "boolean",
      description: "Whether to give all details",
      defaultValue: "false",
    },
    requestId,
  ],
};

const createEvent: ToolText = {
  description: "Creates an event in the calendar.",
  whenToUse: "When a new event is to be put into the calendar.",
  arguments: [
    { name: "title", type: "string", description: "Title of the event" },
    { name: "start_date", type: "string", description: "Begin in ISO 8601" },
    { name: "duration_minutes", type: "number", description: "Length in minutes", defaultValue: "60" },
    { name: "attendees", type: "json", description: "Who attends, as an object of name and e-mail address" },
    requestId,
  ],
};

const routeAction: ToolText = {
  description: "Runs one of the household actions by its name.",
  whenToUse: "When the action is known only by its name.",
  arguments: [
    { name: "action", type: "string", description: "Name of the action, get_user or create_event" },
    { name: "payload", type: "json", description: "Arguments of the action" },
    requestId,
  ],
};

const searchContact: ToolText = {
  description: "Searches the contacts by name.",
  whenToUse: "When a person is known by name only.",
  arguments: [{ name: "contact_name", type: "string", description: "Name or part of it" }, requestId],
};

export const bookDefinitions: Record<BookKey, (world: BookWorld) => BookDefinition> = {
  errorHandler: () => ({
    name: bookNames.errorHandler,
    nodes: [
      sticky("Tells of every failed execution.", "The failed execution, from n8n.", "One alert in the log."),
      node("On Failure", "n8n-nodes-base.errorTrigger", 1),
      code(
        "Log Alert",
        `const alert = "execution " + $json.execution.id + " of " + $json.workflow.name + " failed";
console.log(alert);
return [{ json: { status: "success", data: { message: alert }, meta: { timestamp: new Date().toISOString() } } }];`,
      ),
    ],
    connections: wire(["On Failure", "Log Alert"]),
    settings: saved,
    tags: ["mcp-error-handler", "production", "v1.0.0"],
  }),

  getUser: (world) =>
    tool(world, bookNames.getUser, getUser, {
      isValid: "={{ typeof $json.user_id === 'string' && $json.user_id.length > 0 }}",
      nodes: [
        criticalCall(
          "Fetch User",
          "GET",
          `=${world.upstreamUrl}/users/{{ encodeURIComponent($json.user_id) }}`,
        ),
        code(
          "Success: User Found",
          successCode("{ message: 'The user was found.', user_id: $('Start').first().json.user_id }"),
        ),
        code("Error: User Service", errorCode("USER_SERVICE_FAILED", "The user service did not answer.")),
      ],
      first: "Fetch User",
      connections: wire(["Fetch User", "Success: User Found", "Error: User Service"]),
    }),

  createEvent: (world) =>
    tool(world, bookNames.createEvent, createEvent, {
      isValid: "={{ Boolean($json.title) && !Number.isNaN(Date.parse($json.start_date)) }}",
      nodes: [
        criticalCall("Create Event", "POST", `${world.upstreamUrl}/events`),
        code(
          "Success: Event Created",
          successCode("{ message: 'The event was created.', event_id: $json.eventId }"),
        ),
        code("Error: Calendar Service", errorCode("CALENDAR_SERVICE_FAILED", "The calendar did not answer.")),
      ],
      first: "Create Event",
      connections: wire(["Create Event", "Success: Event Created", "Error: Calendar Service"]),
    }),

  routeAction: (world) =>
    tool(world, bookNames.routeAction, routeAction, {
      isValid: "={{ Boolean($json.action) && typeof $json.payload === 'object' }}",
      nodes: [
        switchOn("Route By Action", "={{ $json.action }}", ["get_user", "create_event"]),
        subWorkflowCall("Run Get User", world.ids.getUser ?? "", {
          user_id: "={{ $json.payload.user_id }}",
          request_id: "={{ $json.request_id }}",
        }),
        subWorkflowCall("Run Create Event", world.ids.createEvent ?? "", {
          title: "={{ $json.payload.title }}",
          start_date: "={{ $json.payload.start_date }}",
          request_id: "={{ $json.request_id }}",
        }),
        condition(
          "Answer Has Structure",
          "={{ ['success', 'error'].includes($json.status) && $json.data !== undefined && Boolean($json.meta?.timestamp) }}",
        ),
        code(
          "Answer: Of Tool",
          "return [{ json: { status: $json.status, data: $json.data, meta: { timestamp: $json.meta.timestamp, request_id: $json.meta.request_id } } }];",
        ),
        code(
          "Error: Structure",
          errorCode("INVALID_TOOL_RESPONSE_STRUCTURE", "The tool did not keep the output format."),
        ),
        code("Error: Tool Failed", errorCode("TOOL_EXECUTION_FAILED", "The tool failed.")),
        code("Error: Tool Not Found", errorCode("TOOL_NOT_FOUND", "There is no such action.")),
      ],
      first: "Route By Action",
      connections: wire(
        ["Route By Action", "Run Get User", "Run Create Event", "Error: Tool Not Found"],
        ["Run Get User", "Answer Has Structure", "Error: Tool Failed"],
        ["Run Create Event", "Answer Has Structure", "Error: Tool Failed"],
        ["Answer Has Structure", "Answer: Of Tool", "Error: Structure"],
      ),
    }),

  searchContact: (world) =>
    tool(world, bookNames.searchContact, searchContact, {
      isValid: "={{ Boolean($json.contact_name) }}",
      nodes: [
        code(
          "Success: Contacts",
          successCode("{ message: 'One contact was found.', contacts: [{ name: $json.contact_name }] }"),
        ),
      ],
      first: "Success: Contacts",
      connections: {},
    }),

  contacts: (world) => {
    const server = trigger("Contacts Server", bookPaths.contacts, world);
    const search = toolCall("tool.search_contact", world.ids.searchContact ?? "", searchContact);
    return {
      name: bookNames.contacts,
      nodes: [sticky("Serves the contacts.", "Calls over MCP.", "Contacts."), server, search],
      connections: giveTools(server.name, search.name),
      settings: settings(world),
      tags: ["mcp-server", "production", "v1.0.0"],
    };
  },

  server: (world) => {
    const server = trigger("Family Hub", bookPaths.server, world);
    const tools = [
      toolCall("tool.get_user", world.ids.getUser ?? "", getUser),
      toolCall("tool.create_event", world.ids.createEvent ?? "", createEvent),
      toolCall("tool.route_action", world.ids.routeAction ?? "", routeAction),
      contactsClient(world),
    ];
    return {
      name: bookNames.server,
      nodes: [
        sticky("Serves the household to agents.", "Calls over MCP.", "The answers of its tools."),
        server,
        ...tools,
      ],
      connections: giveTools(server.name, ...tools.map(({ name }) => name)),
      settings: settings(world),
      tags: ["mcp-server", "production", "v1.0.0"],
    };
  },
};

/** Every execution is saved, so that it can be explained. */
const saved = {
  executionOrder: "v1",
  saveDataErrorExecution: "all",
  saveDataSuccessExecution: "all",
};

function settings({ ids }: BookWorld): Record<string, unknown> {
  return { ...saved, callerPolicy: "workflowsFromSameOwner", errorWorkflow: ids.errorHandler };
}

interface ToolBody {
  isValid: string;
  /** The steps after the validation of inputs. */
  nodes: WorkflowNode[];
  first: string;
  connections: Connections;
}

/** The structure of every tool: log, validate the inputs, act. */
function tool(world: BookWorld, name: string, text: ToolText, body: ToolBody): BookDefinition {
  const names = text.arguments.map((each) => each.name).join(", ");
  return {
    name,
    nodes: [
      sticky(text.description, names, "status, data and meta.timestamp"),
      start(text.arguments),
      code("Log Request", logRequestCode),
      condition("Inputs Are Valid", body.isValid),
      code(
        "Error: Invalid Input",
        errorCode("VALIDATION_ERROR", "An input is missing or malformed.", `{ expected: "${names}" }`),
      ),
      ...body.nodes,
    ],
    connections: {
      ...wire(
        ["Start", "Log Request"],
        ["Log Request", "Inputs Are Valid"],
        ["Inputs Are Valid", body.first, "Error: Invalid Input"],
      ),
      ...body.connections,
    },
    settings: settings(world),
    tags: ["mcp-tool", "production", "v1.0.0"],
  };
}

function trigger(name: string, path: string, { bearerCredential }: BookWorld): WorkflowNode {
  return {
    ...node(name, "@n8n/n8n-nodes-langchain.mcpTrigger", 2, { path, authentication: "bearerAuth" }),
    webhookId: randomUUID(),
    credentials: { httpBearerAuth: bearerCredential },
  };
}

/** The sub-server's tools, limited to the needed ones. */
function contactsClient({ baseUrl, bearerCredential }: BookWorld): WorkflowNode {
  return {
    ...node("mcp.contacts", "@n8n/n8n-nodes-langchain.mcpClientTool", 1.2, {
      endpointUrl: `${baseUrl}/mcp/${bookPaths.contacts}`,
      serverTransport: "httpStreamable",
      authentication: "bearerAuth",
      include: "selected",
      includeTools: ["tool_search_contact"],
      options: {},
    }),
    credentials: { httpBearerAuth: bearerCredential },
  };
}
