/** `CLIENT_ID_DOCUMENTS`: whose metadata documents may describe a client. Pure. */
import { isHost } from "./redirect-rules.ts";

/**
 * Hosts of well-known apps that identify themselves by a document there. Nobody but their makers can publish on them;
 * of GitHub, where anybody can, only the one document of its command line is listed.
 */
export const DEFAULT_DOCUMENTS = [
  "claude.ai",
  "chatgpt.com",
  "vscode.dev",
  "insiders.vscode.dev",
  "cursor.com",
  "zed.dev",
  ...[
    "goose-docs.ai",
    "opencode.ai",
    "www.postman.com",
    "https://github.com/copilot/cli/client-metadata.json",
  ],
] as const;

const MAXIMUM_DOCUMENT_URL_LENGTH = 512;

/**
 * Whether this is an https address at the default port, with a path, and in the normalized form, so that no two parsers
 * can read it differently (draft-ietf-oauth-client-id-metadata-document-00 §3).
 */
export function isPlainDocumentUrl(address: string): boolean {
  const url = address.length <= MAXIMUM_DOCUMENT_URL_LENGTH ? URL.parse(address) : null;
  if (url === null || url.href !== address || url.protocol !== "https:") return false;
  if (url.username !== "" || url.password !== "" || url.port !== "" || /[#?]/.test(address)) return false;
  return url.pathname !== "/";
}

/** What one entry stands for; `default` means the built-in list. `undefined` when it is malformed. */
export function parseDocumentSources(entry: string): readonly string[] | undefined {
  if (entry === "default") return DEFAULT_DOCUMENTS;
  return isDocumentSource(entry) ? [entry] : undefined;
}

/** A host by its name, or one document by its whole address. Neither this machine nor an IP address has such a name. */
function isDocumentSource(entry: string): boolean {
  const host = entry.includes("/") ? (URL.parse(entry)?.hostname ?? "") : entry;
  const isNamed = isHost(host) && !/[:]|\.\d+$/.test(host);
  return isNamed && (entry === host || isPlainDocumentUrl(entry));
}
