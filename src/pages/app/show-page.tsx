/**
 * Answers an address of the page. An answer that takes longer than a moment is streamed: first the frame, then lines of
 * progress, then the answer, which hides those lines. That needs no script. Leaving the page, by its link or in any
 * other way, ends the call.
 */
import { raw } from "hono/utils/html";
import { describeBug } from "../../platform/errors.ts";
import { log } from "../../platform/log.ts";
import { type PageOptions, protectPage } from "../respond.ts";
import { FIND, HOME, homePath, requestPath } from "./addresses.ts";
import { APP_SCRIPT } from "./app-script.ts";
import { APP_STYLE } from "./app-style.ts";
import { ButtonLink, Notice } from "./blocks.tsx";
import { frame } from "./frame.tsx";
import type { PageRequest, Say, Shown, Visitor } from "./page-request.ts";
import { showAgents } from "./show-agents.tsx";
import { showComparison } from "./show-comparison.tsx";
import { showExecution } from "./show-execution.tsx";
import { showFailures } from "./show-failures.tsx";
import { showNode } from "./show-node.tsx";
import { showRequest } from "./show-request.tsx";
import { showSearch } from "./show-search.tsx";
import { UNKNOWN_PROBLEM, WORDS } from "./words.ts";

const DONE_STYLE = ".progress { display: none; }";
const OPTIONS: PageOptions = { script: APP_SCRIPT, styles: [APP_STYLE, DONE_STYLE], connects: true };

/** An answer within this time is sent whole, with its status. */
const AT_ONCE_MS = 250;
/** How often something is sent, which is how a closed connection is noticed. */
const KEEP_ALIVE_MS = 1_000;
/** Placeholder of the answer. Text from outside cannot contain it, because its `<` is escaped. */
const PLACE = "<!--answer-->";

interface AppPage {
  readonly title: keyof typeof WORDS.title;
  readonly show: (request: PageRequest) => Promise<Shown>;
}

/** By the segment after the execution's id. */
const EXECUTION_PAGES: ReadonlyMap<string | undefined, AppPage> = new Map([
  [undefined, { title: "executions", show: showExecution }],
  ["node", { title: "node", show: showNode }],
  ["compared", { title: "compared", show: showComparison }],
  ["agents", { title: "agents", show: showAgents }],
]);

function pageAt(segments: readonly string[], query: URLSearchParams): AppPage | undefined {
  const [name, id, part, ...more] = segments;
  if (name === undefined) return { title: "home", show: showFailures };
  if (name === "failures" && id === undefined) return { title: "failures", show: showFailures };
  if (name === "search" && id === undefined) return { title: "search", show: showSearch };
  if (name === "requests" && part === undefined && (id ?? query.get("id") ?? "") !== "")
    return { title: "requests", show: showRequest };
  if (name !== "executions" || id === undefined || more.length > 0) return undefined;
  return EXECUTION_PAGES.get(part);
}

export async function showPage(request: Request, visitor: Visitor): Promise<Response> {
  const { pathname, search, searchParams: query } = new URL(request.url);
  if (pathname === FIND) return find(query);
  const segments = segmentsOf(pathname);
  const page = segments && pageAt(segments, query);
  const id = segments?.[1] ?? query.get("id") ?? query.get("text") ?? "";
  const instance = query.get("instance") || undefined;
  const title = [WORDS.title[page?.title ?? "home"], id].filter((word) => word !== "").join(" ");
  const whole = await frame({ title, visitor, asked: id, instance, children: raw(PLACE) });
  const [before = "", after = ""] = `<!doctype html>${whole}`.split(PLACE);
  if (segments === undefined || page === undefined) return sendWhole(before, NO_PAGE, after);
  const show = (say: Say) => page.show({ visitor, segments, query, here: pathname + search, say });
  return await send(show, before, after, homePath({ instance }));
}

/** Segments below `/app`; undefined for invalid encoding. */
function segmentsOf(pathname: string): readonly string[] | undefined {
  try {
    return pathname
      .slice(HOME.length)
      .split("/")
      .slice(1)
      .filter((segment) => segment !== "")
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Every pasted text is passed as a request id to `trace_request`, which distinguishes its forms. */
function find(query: URLSearchParams): Response {
  const asked = (query.get("q") ?? "").trim();
  const instance = query.get("instance") || undefined;
  const path = asked === "" ? homePath({ instance }) : requestPath(asked, { instance });
  return new Response(null, { status: 303, headers: { Location: path, "Cache-Control": "no-store" } });
}

async function send(
  show: (say: Say) => Promise<Shown>,
  before: string,
  after: string,
  home: string,
): Promise<Response> {
  const earlyLines: string[] = [];
  let write = async (line: string): Promise<void> => {
    earlyLines.push(line);
  };
  const answer = show(async (line) => await write(line));
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, AT_ONCE_MS, undefined);
  const atOnce = await Promise.race([answer, late]);
  clearTimeout(timer);
  if (atOnce !== undefined) return sendWhole(before, atOnce, after);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const put = async (html: unknown): Promise<void> => await writer.write(encoder.encode(String(html)));
  write = async (line) => await put(await (<li>{line}</li>));
  const stream = async (): Promise<void> => {
    const { start, end } = progressParts(home);
    await put(before + (await start));
    for (const line of earlyLines) await write(line);
    const keepAlive = setInterval(() => void put("\n").catch(() => undefined), KEEP_ALIVE_MS);
    const { body } = await answer.catch(toBug);
    clearInterval(keepAlive);
    await put(`${end}<style>${DONE_STYLE}</style>${await body}${after}`);
    await writer.close();
  };
  // A browser that has gone needs no answer.
  void stream().catch(async (error: unknown) => await writer.abort(error).catch(() => undefined));
  const headers = new Headers();
  protectPage(headers, OPTIONS);
  return new Response(readable, { headers });
}

async function sendWhole(before: string, { status, body }: Shown, after: string): Promise<Response> {
  const headers = new Headers();
  protectPage(headers, OPTIONS);
  return new Response(before + (await body) + after, { status, headers });
}

function progressParts(home: string) {
  const [start = "", end = ""] = String(
    <section class="progress card">
      <h2>{WORDS.reading}</h2>
      {/* Above the list, because everything below it is sent at the end. */}
      <p class="actions">
        <ButtonLink to={home} text={WORDS.cancel} />
      </p>
      <ol role="status">{raw(PLACE)}</ol>
    </section>,
  ).split(PLACE);
  return { start, end };
}

/** The frame has been sent, so the bug is reported within it. */
function toBug(error: unknown): Shown {
  const incident = crypto.randomUUID().slice(0, 8);
  log({ event: "incident", incident, ...describeBug(error) });
  const { message, solution } = WORDS.bug;
  return {
    status: 500,
    body: (
      <Notice title={UNKNOWN_PROBLEM} role="alert">
        <p>
          {message} ({incident})
        </p>
        <p>{solution}</p>
      </Notice>
    ),
  };
}

const NO_PAGE: Shown = {
  status: 404,
  body: (
    <Notice title={WORDS.noPage.title}>
      <p>{WORDS.noPage.message}</p>
      <p>{WORDS.noPage.solution}</p>
    </Notice>
  ),
};
