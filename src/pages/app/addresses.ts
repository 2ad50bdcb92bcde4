/** The addresses of the page, which can be sent to a colleague. Every part from outside is encoded. Pure. */
import { isObject } from "../../platform/is-object.ts";
import { type Members, membersAt, textAt } from "../../views/waterfall/members.ts";

export const HOME = "/app";
export const FIND = `${HOME}/find`;
export const SIGN_OUT = `${HOME}/sign-out`;
export const SWITCH_DATA = `${HOME}/data`;

type Query = Readonly<Record<string, string | number | undefined>>;

function address(segments: readonly string[], query: Query = {}): string {
  const path = [HOME, ...segments.map((segment) => encodeURIComponent(segment.toWellFormed()))].join("/");
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const search = new URLSearchParams(given).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** Browsers remove these segments from an address, however they are encoded. */
const DOTS = /^\.{1,2}$/;

export const requestPath = (id: string, query: Query = {}): string =>
  DOTS.test(id) ? address(["requests"], { id, ...query }) : address(["requests", id], query);

export const executionPath = (id: string, query: Query = {}): string => address(["executions", id], query);
export const nodePath = (id: string, query: Query): string => address(["executions", id, "node"], query);
export const comparisonPath = (id: string, query: Query): string =>
  address(["executions", id, "compared"], query);
export const agentsPath = (id: string, query: Query = {}): string =>
  address(["executions", id, "agents"], query);
export const homePath = (query: Query = {}): string => address([], query);
export const failuresPath = (query: Query = {}): string => address(["failures"], query);
export const searchPath = (text: string, query: Query = {}): string =>
  address(["search"], { text, ...query });

/** The same address for another n8n instance. */
export function inInstance(path: string, instance: string): string {
  const { pathname, search } = new URL(path, "https://page.invalid");
  const query = new URLSearchParams(search);
  query.set("instance", instance);
  return `${pathname}?${query}`;
}

/** Marks of redacted or replaced text: an address with one leads nowhere. */
const REPLACED = /\[REDACTED:|\uFFFD/;

/** The address of the page that shows an answer. @param data of the answer, redacted */
export function pageUrlOf(publicUrl: string, tool: string, data: unknown): string | undefined {
  if (!isObject(data)) return undefined;
  const path = pathOf(tool, data);
  return path === undefined || REPLACED.test(decodeURIComponent(path)) ? undefined : publicUrl + path;
}

/** The path of the page that shows an answer. @param data of the answer, or the arguments of the call */
export function pathOf(tool: string, data: Members): string | undefined {
  const query = { instance: textAt(data, "instance") };
  const execution = textAt(data, "executionId") ?? textAt(data, "id");
  switch (tool) {
    case "trace_request": {
      const id = textAt(data, "requestId");
      return id === undefined ? undefined : requestPath(id, query);
    }
    case "explain_failure":
    case "get_execution":
    case "get_execution_details":
      return execution && executionPath(execution, query);
    case "explain_agent_run":
      return execution && agentsPath(execution, query);
    case "get_execution_by_node": {
      const name = textAt(data, "nodeName");
      return execution && name && nodePath(execution, { name, ...query });
    }
    case "compare_executions": {
      const [now, against] = [membersAt(data, "now"), membersAt(data, "before")].map((of) =>
        textAt(of, "id"),
      );
      return now && comparisonPath(now, { against, ...query });
    }
    case "summarize_failures":
      return failuresPath({ since: textAt(membersAt(data, "window"), "from"), ...query });
    default:
      return undefined;
  }
}
