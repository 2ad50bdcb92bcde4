/** `CLIENT_ID_DOCUMENTS`: the hosts and documents that may describe a client. Pure. */
import { isHost } from "./redirect-rules.ts";

/** Hosts of well-known apps, where only their makers can publish; on GitHub anybody can, so only one document counts. */
export const DEFAULT_DOCUMENTS = [
  "claude.ai",
  "chatgpt.com",
  "vscode.dev",
  "insiders.vscode.dev",
  "cursor.com",
  "zed.dev",
  "goose-docs.ai",
  "opencode.ai",
  "www.postman.com",
  "https://github.com/copilot/cli/client-metadata.json",
] as const;

const MAXIMUM_DOCUMENT_URL_LENGTH = 512;

/** An https URL without port, with a path, normalized (draft-ietf-oauth-client-id-metadata-document-00 §3). */
export function isPlainDocumentUrl(address: string): boolean {
  const url = address.length <= MAXIMUM_DOCUMENT_URL_LENGTH ? URL.parse(address) : null;
  if (url === null || url.href !== address || url.protocol !== "https:") return false;
  if (url.username !== "" || url.password !== "" || url.port !== "" || /[#?]/.test(address)) return false;
  return url.pathname !== "/";
}

/** The sources that one entry names; `default` means the built-in list. `undefined` when it is malformed. */
export function parseDocumentSources(entry: string): readonly string[] | undefined {
  if (entry === "default") return DEFAULT_DOCUMENTS;
  return isDocumentSource(entry) ? [entry] : undefined;
}

/** A host name, or the whole address of one document. Neither `localhost` nor an IP address counts as a host name. */
function isDocumentSource(entry: string): boolean {
  const host = entry.includes("/") ? (URL.parse(entry)?.hostname ?? "") : entry;
  const isNamed = isHost(host) && !/[:]|\.\d+$/.test(host);
  return isNamed && (entry === host || isPlainDocumentUrl(entry));
}
