/**
 * An MCP Apps host from the extension's own package. It shows the view in a sandboxed frame, sends it answers, and
 * records its requests. It runs in a browser; the test drives it by `window.testHost`.
 */

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

export interface TestHost {
  /** The view's requests to the host, in order. */
  readonly calls: unknown[];
  readonly links: string[];
  readonly heights: number[];
  /** The answer to the next tool calls, which fail without one. */
  answer: CallToolResult | undefined;
  /** Loads the view and waits until it is ready. */
  load(html: string, context: McpUiHostContext): Promise<void>;
  show(result: CallToolResult): Promise<void>;
  wear(context: McpUiHostContext): void;
}

declare global {
  interface Window {
    testHost: TestHost;
  }
}

let bridge: AppBridge | undefined;

const host: TestHost = {
  calls: [],
  links: [],
  heights: [],
  answer: undefined,
  async load(html, hostContext) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = "View";
    frame.style.cssText = "width: 100%; border: 0";
    document.body.replaceChildren(frame);
    const view = frame.contentWindow;
    if (view === null) throw new Error("The frame has no window.");
    const made = new AppBridge(
      null,
      { name: "host of the tests", version: "1" },
      { openLinks: {}, serverTools: {} },
      { hostContext },
    );
    bridge = made;
    made.oncalltool = async (params) => {
      host.calls.push(params);
      if (host.answer === undefined) throw new Error("No tool answers here.");
      return host.answer;
    };
    made.onopenlink = async ({ url }) => {
      host.links.push(url);
      return {};
    };
    made.onsizechange = ({ height = 0 }) => {
      host.heights.push(height);
      frame.style.height = `${height}px`;
    };
    const ready = new Promise<void>((resolve) => {
      made.oninitialized = () => resolve();
    });
    await made.connect(new PostMessageTransport(view, view));
    frame.srcdoc = html;
    await ready;
  },
  async show(result) {
    await bridge?.sendToolResult(result);
  },
  wear(context) {
    bridge?.setHostContext(context);
  },
};
window.testHost = host;
