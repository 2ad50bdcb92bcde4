import { describe, expect, test } from "vitest";
import { type OidcSettings, readAccessSettings, readOidcSettings } from "../../../src/settings/index.ts";
import { mayEnter } from "../../../src/sign-in/allow-list.ts";
import { findGroupsFault, toIdentity } from "../../../src/sign-in/oidc/identity.ts";

const TENANT = "11111111-2222-3333-4444-555555555555";
const OBJECT = "AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee";

function oidc(settings: Record<string, string> = {}): OidcSettings {
  const read = readOidcSettings({
    OIDC_ISSUER: "https://id.example.com",
    OIDC_CLIENT_ID: "client",
    OIDC_CLIENT_SECRET: "client-secret",
    ...settings,
  });
  if (read === undefined) throw new Error("OIDC is not set");
  return read;
}

const GROUPS = new Set(["engineering", "on-call"]);
const access = readAccessSettings({
  ALLOWED_GROUPS: "engineering",
  DATA_GROUPS: "on-call",
  ALLOWED_EMAIL_DOMAINS: "example.com",
});
const identity = (claims: Record<string, unknown>, settings = oidc()) => toIdentity(claims, settings, GROUPS);

describe("an email address", () => {
  test("counts if it is verified", () => {
    expect(identity({ email: "Ada@Example.com", email_verified: true })).toEqual({
      email: "ada@example.com",
      domain: "example.com",
      objectId: undefined,
      groups: [],
    });
  });

  test.each([undefined, false, null, "true", 1, {}])(
    "does not count if email_verified is %o",
    (email_verified) => {
      expect(identity({ email: "ada@example.com", email_verified })).toMatchObject({
        email: undefined,
        domain: undefined,
      });
    },
  );

  test("counts unverified only if the operator trusts it and the provider does not deny it", () => {
    const trusting = oidc({ OIDC_TRUST_EMAIL: "on" });
    expect(identity({ email: "ada@example.com" }, trusting).email).toBe("ada@example.com");
    for (const email_verified of [false, null, "false", "true", 0]) {
      expect(identity({ email: "ada@example.com", email_verified }, trusting).email).toBeUndefined();
    }
  });
});

describe("Google", () => {
  const google = oidc({ OIDC_ISSUER: "https://accounts.google.com" });
  const verified = { email: "ada@example.com", email_verified: true };

  test("vouches for a domain by hd", () => {
    expect(mayEnter(identity({ ...verified, hd: "Example.com" }, google), access)).toBe(true);
    expect(
      mayEnter(identity({ ...verified, email: "ada@second.example", hd: "example.com" }, google), access),
    ).toBe(true);
  });

  test("does not vouch for an address of a domain it does not manage", () => {
    const stranger = identity(verified, google);
    expect(stranger).toMatchObject({ email: undefined, domain: undefined });
    expect(mayEnter(stranger, access)).toBe(false);
    expect(mayEnter(stranger, readAccessSettings({ ALLOWED_EMAILS: "ada@example.com" }))).toBe(false);
  });

  test("does not vouch for the domain of another organisation's account", () => {
    expect(mayEnter(identity({ ...verified, hd: "evil.org" }, google), access)).toBe(false);
    expect(mayEnter(identity({ ...verified, hd: "example.com.evil.org" }, google), access)).toBe(false);
    expect(mayEnter(identity({ ...verified, hd: ["example.com"] }, google), access)).toBe(false);
  });

  test("vouches for its own addresses one by one, but not for their domain", () => {
    const ada = identity({ email: "ada@gmail.com", email_verified: true }, google);
    expect(mayEnter(ada, readAccessSettings({ ALLOWED_EMAILS: "ada@gmail.com" }))).toBe(true);
    expect(mayEnter(ada, readAccessSettings({ ALLOWED_EMAIL_DOMAINS: "gmail.com" }))).toBe(false);
  });

  test("is the only provider whose hd counts", () => {
    expect(identity({ email: "ada@evil.org", email_verified: true, hd: "example.com" }).domain).toBe(
      "evil.org",
    );
  });
});

describe("Entra", () => {
  const entra = oidc({ OIDC_ISSUER: `https://login.microsoftonline.com/${TENANT}/v2.0` });

  test("identifies a user by tenant and object, not by address", () => {
    const claims = {
      tid: TENANT,
      oid: OBJECT,
      email: "ada@example.com",
      preferred_username: "ada@example.com",
    };
    expect(identity(claims, entra)).toEqual({
      email: undefined,
      domain: undefined,
      objectId: `${TENANT}/${OBJECT}`.toLowerCase(),
      groups: [],
    });
  });

  test.each([{ tid: TENANT }, { oid: OBJECT }, { tid: [TENANT], oid: OBJECT }])(
    "%o identifies nobody",
    (claims) => {
      expect(identity(claims, entra).objectId).toBeUndefined();
    },
  );
});

describe("groups", () => {
  test("are kept only if the settings name them", () => {
    const groups = ["engineering", "on-call", "board", "engineering", "on-call "];
    expect(identity({ groups }).groups).toEqual(["engineering", "on-call"]);
  });

  test("may be a single value, or in another claim", () => {
    expect(identity({ groups: "engineering" }).groups).toEqual(["engineering"]);
    const elsewhere = oidc({ OIDC_GROUPS_CLAIM: "https://example.com/groups" });
    expect(
      identity({ "https://example.com/groups": ["on-call"], groups: ["engineering"] }, elsewhere).groups,
    ).toEqual(["on-call"]);
  });

  test.each([[["engineering", 7]], [{ engineering: true }], [null], [7], [["engineering,on-call"]]])(
    "%o counts as no groups",
    (groups) => {
      expect(identity({ groups }).groups).toEqual([]);
    },
  );

  test("count as none if there are thousands", () => {
    const groups = ["engineering", ...Array.from({ length: 2000 }, (_, index) => `g${index}`)];
    expect(identity({ groups }).groups).toEqual([]);
    expect(identity({ groups: groups.slice(0, 2000) }).groups).toEqual(["engineering"]);
  });
});

describe("missing groups", () => {
  const fault = (claims: Record<string, unknown>, named: ReadonlySet<string> = GROUPS) =>
    findGroupsFault(claims, oidc(), named);
  const pointer = {
    _claim_names: { groups: "src1" },
    _claim_sources: { src1: { endpoint: "https://graph" } },
  };

  test.each([
    ["a pointer to them", pointer],
    ["the mark of the implicit flow", { hasgroups: true }],
    ["the same as a text", { hasgroups: "true" }],
  ])("are recognized by %s, and grant nothing", (_, claims) => {
    expect(fault(claims)).toBe("groups_overage");
    expect(identity(claims).groups).toEqual([]);
  });

  test("are reported if the claim is no list, or too long", () => {
    expect(fault({ groups: { engineering: true } })).toBe("groups_unreadable");
    expect(fault({ groups: Array.from({ length: 2001 }, String) })).toBe("groups_unreadable");
  });

  test("are no problem without an overage, or if no setting names a group", () => {
    const groups = [...Array.from({ length: 199 }, String), "engineering"];
    expect(fault({ groups })).toBeUndefined();
    expect(identity({ groups }).groups).toEqual(["engineering"]);
    expect(fault({})).toBeUndefined();
    expect(fault({ _claim_names: { roles: "src1" } })).toBeUndefined();
    expect(fault(pointer, new Set())).toBeUndefined();
  });
});
