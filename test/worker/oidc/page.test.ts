/** The page for people at an organisation: who has signed in at the provider, for how long, and what it says of them later. */
import { reset } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { formTokenOf, locationOf } from "../page/visitor.ts";
import { PUBLIC_URL } from "../secrets.ts";
import { Browser } from "../sign-in/browser.ts";
import { Deployment, settingsFor, signInToPage } from "./deployment.ts";

const SETTINGS = {
  ...settingsFor("thinProvider"),
  OIDC_SCOPES: "openid email groups",
  ALLOWED_EMAIL_DOMAINS: "",
  ALLOWED_GROUPS: "staff",
};
const NODE = `${PUBLIC_URL}/app/executions/34/node?name=Fetch+Rate`;
const MINUTE = 60_000;

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const later = (milliseconds: number) => {
  const now = Date.now() + milliseconds;
  vi.spyOn(Date, "now").mockImplementation(() => now);
};

const at = (settings: Record<string, string> = {}) => new Deployment({ ...SETTINGS, ...settings });

test("signs in at the provider, and shows data to those who may see it", async () => {
  const deployment = at({ DATA_GROUPS: "engineering" });
  const [ada, grace] = [new Browser(deployment.send), new Browser(deployment.send)];
  expect(locationOf(await signInToPage(ada, "ada", NODE))).toBe(NODE);
  await signInToPage(grace, "grace");
  expect(await (await ada.open(`${PUBLIC_URL}/app`)).text()).toContain("Show data");
  expect(await (await grace.open(`${PUBLIC_URL}/app`)).text()).not.toContain("Show data");
});

test("signs nobody in whom the lists do not name", async () => {
  const browser = new Browser(at().send);
  expect((await signInToPage(browser, "mallory")).status).toBe(403);
  expect((await browser.open(`${PUBLIC_URL}/app`)).status).toBe(302);
});

test("after an hour the provider is asked anew, without a click, and a lost group ends the session", async () => {
  const deployment = at();
  const browser = new Browser(deployment.send);
  await signInToPage(browser, "ada");
  later(59 * MINUTE);
  expect((await browser.open(`${PUBLIC_URL}/app`)).status).toBe(200);
  vi.restoreAllMocks();
  later(61 * MINUTE);
  const begun = await browser.open(NODE);
  expect(new URL(locationOf(begun)).hash).toBe("#renew");
  // Once: a sign-in that fails is not begun again by itself.
  expect(new URL(locationOf(await browser.open(NODE))).hash).toBe("");
  deployment.settings = { ...deployment.settings, ALLOWED_GROUPS: "nobody-is-in-this" };
  expect((await signInToPage(browser, "ada", NODE)).status).toBe(403);
});

test("after sign-out nothing signs in by itself", async () => {
  const browser = new Browser(at().send);
  await signInToPage(browser, "ada");
  const token = formTokenOf(await (await browser.open(`${PUBLIC_URL}/app`)).text());
  await browser.post({ token }, {}, "/app/sign-out");
  expect(new URL(locationOf(await browser.open(NODE))).hash).toBe("");
});
