/**
 * Checks the metadata of a registration (RFC 7591). Registration is open, because clients such as Claude register again
 * for every new connection. The limits concern how much of our storage and of the consent page a stranger can fill, and
 * where codes can be sent. No I/O.
 */
import { isLoopbackHost, type RedirectRule } from "../../settings/index.ts";
import { isAllowedRedirectUri, toListableUri } from "./redirect-uris.ts";

/** Bytes of the request, with room for white space. A larger one is refused unread. */
export const MAXIMUM_REGISTRATION_BYTES = 16 * 1024;

/** UTF-8 bytes of the metadata as JSON. Real clients need less than two thousand. */
const MAXIMUM_METADATA_BYTES = 8 * 1024;
export const MAXIMUM_CLIENT_NAME_LENGTH = 200;
export const MAXIMUM_REDIRECT_URIS = 20;
const MAXIMUM_SCHEME_LENGTH = 40;
const WEB_SCHEME = /^https?:$/;

/** Why a registration is refused: an RFC 7591 §3.2.2 error code with its description. */
export interface RegistrationRefusal {
  readonly code: "invalid_client_metadata" | "invalid_redirect_uri";
  readonly description: string;
  readonly callback?: string;
}

export function findRegistrationRefusal(
  metadata: Metadata,
  rules: readonly RedirectRule[],
): RegistrationRefusal | undefined {
  return refuseSize(metadata) ?? refuseName(metadata) ?? refuseRedirectUris(metadata, rules);
}

type Metadata = Readonly<Record<string, unknown>>;

function refuseSize(metadata: Metadata): RegistrationRefusal | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
  if (bytes <= MAXIMUM_METADATA_BYTES) return undefined;
  const description = `The client metadata is larger than ${MAXIMUM_METADATA_BYTES} bytes.`;
  return { code: "invalid_client_metadata", description };
}

function refuseName(metadata: Metadata): RegistrationRefusal | undefined {
  const names = Object.entries(metadata).filter(([key]) => /^client_name(#|$)/.test(key));
  const isTooLong = (name: unknown) => typeof name === "string" && name.length > MAXIMUM_CLIENT_NAME_LENGTH;
  if (!names.some(([, name]) => isTooLong(name))) return undefined;
  const description = `client_name is longer than ${MAXIMUM_CLIENT_NAME_LENGTH} characters.`;
  return { code: "invalid_client_metadata", description };
}

function refuseRedirectUris(
  metadata: Metadata,
  rules: readonly RedirectRule[],
): RegistrationRefusal | undefined {
  const uris: unknown[] = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [];
  if (uris.length > MAXIMUM_REDIRECT_URIS) {
    const description = `No more than ${MAXIMUM_REDIRECT_URIS} redirect_uris can be registered.`;
    return { code: "invalid_redirect_uri", description };
  }
  const refused = uris.findIndex((uri) => isWebAddress(uri) && !isAllowedRedirectUri(uri, rules));
  if (refused >= 0) return refuseCallback(refused, String(uris[refused]));
  return uris.length > 0 && uris.every(isPrivateUse) ? refusePrivateUse(uris) : undefined;
}

/** Names the address and the setting, so that a person who reads this in a client knows what to request. */
function refuseCallback(position: number, uri: string): RegistrationRefusal {
  const callback = toListableUri(uri);
  const which =
    callback === undefined ? `redirect_uris[${position}]` : `redirect_uris[${position}], ${callback},`;
  return {
    code: "invalid_redirect_uri",
    description: `${which} ${wayOut(callback)}`,
    ...(callback === undefined ? {} : { callback }),
  };
}

const SETTING = "the setting ALLOWED_REDIRECT_HOSTS";

function wayOut(callback = "https://agents.example.com/callback"): string {
  const { protocol, hostname } = new URL(callback);
  if (protocol === "https:")
    return `is not on the list of this server. Whoever runs it can add that address to ${SETTING} (where it is not set yet: 'default, ${callback}').`;
  if (isLoopbackHost(hostname))
    return `is on the person's own computer, and the list of this server leaves those out. Whoever runs it can let them in by the word loopback in ${SETTING}.`;
  return `is plain http. This server sends access to https addresses, and to http on localhost alone.`;
}

function refusePrivateUse(uris: readonly string[]): RegistrationRefusal {
  const [scheme = ""] = uris.map((uri) => URL.parse(uri)?.protocol.slice(0, MAXIMUM_SCHEME_LENGTH) ?? "");
  return {
    code: "invalid_redirect_uri",
    description: `All redirect_uris are of a private-use scheme such as ${scheme} and any program on a computer can claim one. This server sends access to https addresses and to http on localhost. Where the app can send a header, use a service token instead (setting SERVICE_TOKENS).`,
  };
}

/** Only web addresses can be listed: no sign-in can use the private-use schemes that some clients also register. */
const isWebAddress = (uri: unknown): uri is string =>
  typeof uri === "string" && WEB_SCHEME.test(URL.parse(uri)?.protocol ?? "");

function isPrivateUse(uri: unknown): uri is string {
  const { protocol } = (typeof uri === "string" ? URL.parse(uri) : null) ?? {};
  return protocol !== undefined && !WEB_SCHEME.test(protocol);
}
