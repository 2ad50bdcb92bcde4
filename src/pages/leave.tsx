/**
 * The page that sends the browser to the client, with the answer in the address (RFC 6749 §4.1.2 leaves the method
 * open). It uses a `Refresh` header instead of a redirect: a redirect would still be part of the form's submission, and
 * Chrome drops the whole chain if any hop is not in `form-action`. The link is for browsers that do not refresh
 * automatically. A client that is not a browser (it reports no navigation) gets a plain redirect.
 */
import { Layout } from "./layout.tsx";
import { type Page, pageResponse } from "./respond.ts";

export interface LeavePageProps {
  /** A validated redirect URI of the client, with the answer in its query; or the provider's sign-in. */
  readonly redirectTo: string;
  readonly decision: "approved" | "declined" | "continued";
}

/** Fetch Metadata: every current browser sends it to a secure origin and to localhost. */
const isBrowserNavigation = (request: Request): boolean =>
  request.headers.get("Sec-Fetch-Mode") === "navigate";

/** Sends the browser, or any other client that posted the form, to `redirectTo`. */
export async function leave(
  request: Request,
  { redirectTo, decision }: LeavePageProps,
  headers: Headers,
): Promise<Response> {
  // A redirect within this origin satisfies `form-action`.
  const isOwn = new URL(redirectTo).origin === new URL(request.url).origin;
  if (isOwn || !isBrowserNavigation(request)) {
    headers.set("Location", redirectTo);
    return new Response(null, { status: 302, headers });
  }
  headers.delete("Location");
  headers.set("Refresh", `0;url=${redirectTo}`);
  return await pageResponse(leavePage({ redirectTo, decision }), 200, headers);
}

const TEXTS = {
  approved: { title: "You are signed in", sentTo: "You are being sent back to" },
  declined: { title: "Access was declined", sentTo: "You are being sent back to" },
  continued: { title: "Sign in at your organisation", sentTo: "You are being sent to" },
} as const;

export function leavePage({ redirectTo, decision }: LeavePageProps): Page {
  const { host } = new URL(redirectTo);
  const { title, sentTo } = TEXTS[decision];
  return (
    <Layout title={title}>
      <h1>{title}</h1>
      <p role="status">
        {sentTo} <span class="host">{host}</span>. If nothing happens,{" "}
        <a href={redirectTo} rel="noreferrer">
          continue by hand
        </a>
        .
      </p>
    </Layout>
  );
}
