/** The settings of sign-in at an organisation: its OpenID provider, and which of its users may enter. */
import * as z from "zod";
import { parseDomain, parseWholeAddress } from "./email-address.ts";
import {
  list,
  MINIMUM_SECRET_LENGTH,
  onOrOff,
  parsed,
  refusal,
  type Settings,
  safeUrl,
  UUID,
  whole,
} from "./values.ts";

const WHERE = "docs/sign-in says what to register at each provider.";
/** `profile` is where Microsoft Entra keeps `oid` and `tid`. */
const DEFAULT_OIDC_SCOPES = ["openid", "profile", "email"];
const printable = z.string().regex(/^[\x21-\x7e]{1,500}$/, "holds characters that it cannot have");

/** Microsoft's addresses for all tenants: no token has the issuer that their metadata names. */
const MANY_TENANTS = /^\/(common|organizations|consumers)(\/|$)/;
export const isEntra = (url: URL): boolean =>
  /(^|\.)(login\.microsoftonline\.|sts\.windows\.net$)/.test(url.hostname);

const MAXIMUM_PEOPLE = 1000;
const OBJECT_ID = new RegExp(`^${UUID}/${UUID}$`);

/** A list of people; an empty one means nobody. */
const people = (entry: z.ZodType<string, string>) =>
  list(entry)
    .refine(
      ({ length }) => length <= MAXIMUM_PEOPLE,
      refusal(`has more than ${MAXIMUM_PEOPLE} entries`, "Name a group of the provider instead."),
    )
    .default([]);

const EMAILS = {
  kind: "addresses",
  value: people(parsed(parseWholeAddress)),
  fix: "List whole addresses, for example ada@example.com, grace@example.com.",
  example: "ada@example.com",
};
const EMAIL_DOMAINS = {
  kind: "domains of addresses",
  value: people(parsed(parseDomain)),
  fix: "List whole domains without @ or *, for example example.com. Sub-domains are listed on their own, other alphabets as xn--….",
  example: "example.com",
};
const GROUPS = {
  kind: "groups, as the provider names them",
  value: people(z.string().max(256, "has a malformed entry")),
  fix: "List the groups as the provider writes them in the token; Microsoft Entra writes object ids.",
  example: "engineering",
};
const OBJECT_IDS = {
  kind: "Entra's `<tenant id>/<object id>`",
  value: people(z.string().toLowerCase().regex(OBJECT_ID, "has a malformed entry")),
  fix: "List <tenant id>/<object id>, both as Microsoft Entra shows them.",
  example: "<tenant id>/<object id>",
};

const rowOf =
  (who: string, without: string) =>
  ({ kind, ...row }: typeof EMAILS) => ({ ...row, about: `${who}: ${kind}`, without });
const mayEnter = rowOf("Who may sign in", "Lets nobody in");
const maySeeData = rowOf("Who of those may see payloads", "Gives `n8n:data` to nobody");

export const ORGANISATION = {
  OIDC_ISSUER: {
    value: safeUrl("is not a usable issuer")
      .refine(
        (url) => !url.pathname.includes("/.well-known/"),
        refusal("is the address of the metadata", "Leave /.well-known/openid-configuration out."),
      )
      .refine(
        (url) => !isEntra(url) || !MANY_TENANTS.test(url.pathname),
        refusal(
          "is the address for all tenants",
          "Name your own tenant: https://login.microsoftonline.com/<tenant id>/v2.0.",
        ),
      )
      .optional(),
    about:
      "The OpenID provider's issuer: the address before `/.well-known/openid-configuration`. Redirect URI there: `<origin>/callback`",
    without: "Sign-in at an organisation is disabled",
    fix: `Set it to the provider's issuer, for example https://accounts.google.com: an https URL (http only for localhost), without user, query or fragment, and without /.well-known/openid-configuration. ${WHERE}`,
    needed: "for this sign-in",
    example: "https://id.example.com",
  },
  OIDC_CLIENT_ID: {
    value: printable.optional(),
    about: "Id of the client that you registered there",
    without: "–",
    fix: `Copy it from the provider, without spaces or line breaks. ${WHERE}`,
    needed: "with `OIDC_ISSUER`",
  },
  OIDC_CLIENT_SECRET: {
    value: printable.min(MINIMUM_SECRET_LENGTH, "is too short").optional(),
    about: "Secret of that client",
    without: "–",
    fix: `Copy the whole of it from the provider, without spaces or line breaks. ${WHERE}`,
    isSecret: true,
    needed: "with `OIDC_ISSUER`",
  },
  OIDC_SCOPES: {
    // RFC 6749 §3.3.
    value: list(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, "has a malformed scope"), /[\s,;]+/)
      .refine((scopes) => scopes.includes("openid"), "is not a list of scopes with openid among them")
      .transform((scopes) => [...new Set(scopes)])
      .default(DEFAULT_OIDC_SCOPES),
    about: "Scopes that are requested from the provider",
    without: `\`${DEFAULT_OIDC_SCOPES.join(" ")}\``,
    fix: `Separate them by spaces, for example: ${DEFAULT_OIDC_SCOPES.join(" ")} groups.`,
    example: `"${DEFAULT_OIDC_SCOPES.join(" ")} groups"`,
  },
  OIDC_GROUPS_CLAIM: {
    value: printable.default("groups"),
    about: "The claim that lists a person's groups",
    without: "`groups`",
    fix: "Set it to the claim that lists a person's groups, for example groups, roles or https://example.com/groups.",
    example: "roles",
  },
  OIDC_TRUST_EMAIL: {
    ...onOrOff,
    about: "`on`: an address counts as verified unless the provider says that it is not",
  },
  OIDC_SESSION_HOURS: { ...whole(1, 720, 24), about: "Hours after which everyone has to sign in again" },
  OIDC_ENTERPRISE_MANAGED: {
    ...onOrOff,
    about:
      "`on`: apps get access without a browser by an assertion of the provider ([enterprise-managed authorization](sign-in/enterprise-managed.md))",
  },
  ALLOWED_EMAILS: mayEnter(EMAILS),
  ALLOWED_EMAIL_DOMAINS: mayEnter(EMAIL_DOMAINS),
  ALLOWED_GROUPS: mayEnter(GROUPS),
  ALLOWED_OBJECT_IDS: mayEnter(OBJECT_IDS),
  DATA_EMAILS: maySeeData(EMAILS),
  DATA_EMAIL_DOMAINS: maySeeData(EMAIL_DOMAINS),
  DATA_GROUPS: maySeeData(GROUPS),
  DATA_OBJECT_IDS: maySeeData(OBJECT_IDS),
} as const satisfies Settings;
