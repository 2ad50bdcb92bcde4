/**
 * What a client may register with (RFC 7591). Registration is open, because clients such as Claude
 * register anew on every fresh connection; what is bounded is how much of our storage and of the
 * consent page a stranger can fill, and where codes can be sent. No I/O.
 */
import type { RedirectRule } from "../../settings/index.ts";
import { isAllowedRedirectUri } from "./redirect-uris.ts";

/** In bytes of the request: what is larger is refused unread. Leaves room for white space. */
export const MAXIMUM_REGISTRATION_BYTES = 16 * 1024;

/** In UTF-8 bytes of the metadata as JSON. Real clients need less than two thousand. */
const MAXIMUM_METADATA_BYTES = 8 * 1024;
/** In characters. */
export const MAXIMUM_CLIENT_NAME_LENGTH = 200;
export const MAXIMUM_REDIRECT_URIS = 20;

/** Why a registration is refused: an RFC 7591 §3.2.2 error code with its description. */
export interface RegistrationRefusal {
  readonly code: "invalid_client_metadata" | "invalid_redirect_uri";
  readonly description: string;
}

/** The first rule that the metadata breaks, or `undefined` when it may be registered. */
export function findRegistrationRefusal(
  metadata: Readonly<Record<string, unknown>>,
  rules: readonly RedirectRule[],
): RegistrationRefusal | undefined {
  return refuseSize(metadata) ?? refuseName(metadata) ?? refuseRedirectUris(metadata, rules);
}

function refuseSize(metadata: Readonly<Record<string, unknown>>): RegistrationRefusal | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
  if (bytes <= MAXIMUM_METADATA_BYTES) return undefined;
  return {
    code: "invalid_client_metadata",
    description: `The client metadata is larger than ${MAXIMUM_METADATA_BYTES} bytes.`,
  };
}

function refuseName(metadata: Readonly<Record<string, unknown>>): RegistrationRefusal | undefined {
  const tooLong = Object.entries(metadata).some(
    ([key, value]) =>
      /^client_name(#|$)/.test(key) && typeof value === "string" && value.length > MAXIMUM_CLIENT_NAME_LENGTH,
  );
  if (!tooLong) return undefined;
  return {
    code: "invalid_client_metadata",
    description: `client_name is longer than ${MAXIMUM_CLIENT_NAME_LENGTH} characters.`,
  };
}

function refuseRedirectUris(
  metadata: Readonly<Record<string, unknown>>,
  rules: readonly RedirectRule[],
): RegistrationRefusal | undefined {
  const uris: unknown[] = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [];
  if (uris.length > MAXIMUM_REDIRECT_URIS) {
    return {
      code: "invalid_redirect_uri",
      description: `No more than ${MAXIMUM_REDIRECT_URIS} redirect_uris can be registered.`,
    };
  }
  const refused = uris.findIndex((uri) => isWebAddress(uri) && !isAllowedRedirectUri(uri, rules));
  if (refused < 0) return undefined;
  return {
    code: "invalid_redirect_uri",
    description: `redirect_uris[${refused}] is not on the list of this server. Whoever runs it can add it to ALLOWED_REDIRECT_HOSTS.`,
  };
}

/**
 * The allow list is about web addresses. Private-use schemes are let through because some clients
 * list one beside their https callback: the library wants at least one https or loopback callback,
 * and no sign-in can use one of another kind.
 */
function isWebAddress(uri: unknown): uri is string {
  return typeof uri === "string" && /^https?:$/.test(URL.parse(uri)?.protocol ?? "");
}
