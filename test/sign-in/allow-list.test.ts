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

/** One list that names Ada, each in its own way. */
const WAYS: [string, string][] = [
  ["EMAILS", "Ada@Example.com"],
  ["EMAIL_DOMAINS", "EXAMPLE.com"],
  ["GROUPS", "engineering"],
  ["OBJECT_IDS", `${TENANT}/${OBJECT}`.toUpperCase()],
];

describe("who may enter", () => {
  test("nobody, when nothing is listed", () => {
    expect(isAnybodyAllowed(access({}))).toBe(false);
    expect(mayEnter(ada, access({}))).toBe(false);
    expect(mayEnter(nobody, access({}))).toBe(false);
  });

  test.each(WAYS)("whoever is on ALLOWED_%s alone", (list, entry) => {
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
  ])("not by what is only alike in ALLOWED_%s", (list, entries) => {
    expect(mayEnter(ada, access({ [`ALLOWED_${list}`]: entries }))).toBe(false);
  });

  test("not from a sub-domain of a domain that is listed, nor from a longer one", () => {
    for (const domain of ["sub.example.com", "evil-example.com", "example.com.evil.org", "ample.com"]) {
      const stranger: Identity = { email: `ada@${domain}`, domain, groups: [] };
      expect(mayEnter(stranger, access({ ALLOWED_EMAIL_DOMAINS: "example.com" }))).toBe(false);
    }
  });

  test("not by the payload lists", () => {
    for (const [list, entry] of WAYS) expect(mayEnter(ada, access({ [`DATA_${list}`]: entry }))).toBe(false);
  });

  test("what is in one list counts for no other", () => {
    const odd: Identity = { groups: ["ada@example.com", "example.com", `${TENANT}/${OBJECT}`] };
    for (const [list, entry] of WAYS)
      expect(mayEnter(odd, access({ [`ALLOWED_${list}`]: entry }))).toBe(false);
  });
});

describe("who may see payloads", () => {
  const allowed = { ALLOWED_EMAIL_DOMAINS: "example.com" };

  test("nobody, when nothing is listed", () => {
    expect(mayReadData(ada, access(allowed))).toBe(false);
  });

  test.each(WAYS)("whoever is on DATA_%s, and may enter", (list, entry) => {
    expect(mayReadData(ada, access({ ...allowed, [`DATA_${list}`]: entry }))).toBe(true);
    expect(mayReadData(ada, access({ [`DATA_${list}`]: entry }))).toBe(false);
    expect(mayReadData(nobody, access({ ...allowed, [`DATA_${list}`]: entry }))).toBe(false);
  });
});
