import { describe, expect, test } from "vitest";
import { type AccessSettings, readAccessSettings } from "../../src/settings/index.ts";
import { isAnybodyAllowed, mayEnter, mayReadData } from "../../src/sign-in/allow-list.ts";
import type { Identity } from "../../src/sign-in/caller.ts";

const TENANT = "11111111-2222-3333-4444-555555555555";
const OBJECT = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";

const ada: Identity = {
  email: "ada@example.com",
  domain: "example.com",
  objectId: `${TENANT}/${OBJECT}`,
  groups: ["engineering"],
};
const nobody: Identity = { groups: [] };

const access = (settings: Record<string, string>): AccessSettings => readAccessSettings(settings);

/** Lists and entries, each of which alone names Ada. */
const WAYS: [string, string][] = [
  ["EMAILS", "Ada@Example.com"],
  ["EMAIL_DOMAINS", "EXAMPLE.com"],
  ["GROUPS", "engineering"],
  ["OBJECT_IDS", `${TENANT}/${OBJECT}`.toUpperCase()],
];

describe("sign-in", () => {
  test("is open to nobody while the lists are empty", () => {
    expect(isAnybodyAllowed(access({}))).toBe(false);
    expect(mayEnter(ada, access({}))).toBe(false);
    expect(mayEnter(nobody, access({}))).toBe(false);
  });

  test.each(WAYS)("is open to whoever is on ALLOWED_%s", (list, entry) => {
    const settings = access({ [`ALLOWED_${list}`]: entry });
    expect(isAnybodyAllowed(settings)).toBe(true);
    expect(mayEnter(ada, settings)).toBe(true);
    expect(mayEnter(nobody, settings)).toBe(false);
  });

  test.each([
    ["EMAILS", "grace@example.com, da@example.com"],
    ["EMAIL_DOMAINS", "ample.com, sub.example.com, example.com.evil.org, evil-example.com"],
    ["GROUPS", "Engineering, engineer, engineering2"],
    ["OBJECT_IDS", `${OBJECT}/${TENANT}`],
  ])("is not open by a similar entry in ALLOWED_%s", (list, entries) => {
    expect(mayEnter(ada, access({ [`ALLOWED_${list}`]: entries }))).toBe(false);
  });

  test("is not open by a subdomain of a listed domain, nor by a longer one", () => {
    for (const domain of ["sub.example.com", "evil-example.com", "example.com.evil.org", "ample.com"]) {
      const stranger: Identity = { email: `ada@${domain}`, domain, groups: [] };
      expect(mayEnter(stranger, access({ ALLOWED_EMAIL_DOMAINS: "example.com" }))).toBe(false);
    }
  });

  test("is not open by the payload lists", () => {
    for (const [list, entry] of WAYS) expect(mayEnter(ada, access({ [`DATA_${list}`]: entry }))).toBe(false);
  });

  test("is not open by an entry of another list", () => {
    const odd: Identity = { groups: ["ada@example.com", "example.com", `${TENANT}/${OBJECT}`] };
    for (const [list, entry] of WAYS)
      expect(mayEnter(odd, access({ [`ALLOWED_${list}`]: entry }))).toBe(false);
  });
});

describe("payloads", () => {
  const allowed = { ALLOWED_EMAIL_DOMAINS: "example.com" };

  test("are shown to nobody while the lists are empty", () => {
    expect(mayReadData(ada, access(allowed))).toBe(false);
  });

  test.each(WAYS)("are shown to whoever is on DATA_%s and may sign in", (list, entry) => {
    expect(mayReadData(ada, access({ ...allowed, [`DATA_${list}`]: entry }))).toBe(true);
    expect(mayReadData(ada, access({ [`DATA_${list}`]: entry }))).toBe(false);
    expect(mayReadData(nobody, access({ ...allowed, [`DATA_${list}`]: entry }))).toBe(false);
  });
});
