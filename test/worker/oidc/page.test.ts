/** The page for people with an OpenID provider: who may sign in, for how long, and checks with the provider later. */
import { expect, test, vi } from "vitest";
import { formTokenOf, locationOf } from "../page/visitor.ts";
import { resetAfterEach } from "../reset.ts";
import { PUBLIC_URL } from "../secrets.ts";
import { Browser } from "../sign-in/browser.ts";
import { Deployment, passTime, settingsFor, signInToPage } from "./deployment.ts";

const SETTINGS = {
  ...settingsFor("thinProvider"),
  OIDC_SCOPES: "openid email groups",
  ALLOWED_EMAIL_DOMAINS: "",
  ALLOWED_GROUPS: "staff",
};
const NODE = `${PUBLIC_URL}/app/executions/34/node?name=Fetch+Rate`;
const MINUTE = 60_000;

resetAfterEach();

const at = (settings: Record<string, string> = {}) => new Deployment({ ...SETTINGS, ...settings });

test("users sign in at the provider, and those allowed to see data can show it", async () => {
  const deployment = at({ DATA_GROUPS: "engineering" });
  const [ada, grace] = [new Browser(deployment.send), new Browser(deployment.send)];
  expect(locationOf(await signInToPage(ada, "ada", NODE))).toBe(NODE);
  await signInToPage(grace, "grace");
  expect(await (await ada.open(`${PUBLIC_URL}/app`)).text()).toContain("Show data");
  expect(await (await grace.open(`${PUBLIC_URL}/app`)).text()).not.toContain("Show data");
});

test("a user on no list is not signed in", async () => {
  const browser = new Browser(at().send);
  expect((await signInToPage(browser, "mallory")).status).toBe(403);
  expect((await browser.open(`${PUBLIC_URL}/app`)).status).toBe(302);
});

test("the provider is asked again after an hour, and a lost group ends the session", async () => {
  const deployment = at();
  const browser = new Browser(deployment.send);
  await signInToPage(browser, "ada");
  passTime(59 * MINUTE);
  expect((await browser.open(`${PUBLIC_URL}/app`)).status).toBe(200);
  vi.restoreAllMocks();
  passTime(61 * MINUTE);
  const begun = await browser.open(NODE);
  expect(new URL(locationOf(begun)).hash).toBe("#renew");
  // Only once: a failed sign-in is not restarted automatically.
  expect(new URL(locationOf(await browser.open(NODE))).hash).toBe("");
  deployment.settings = { ...deployment.settings, ALLOWED_GROUPS: "nobody-is-in-this" };
  expect((await signInToPage(browser, "ada", NODE)).status).toBe(403);
});

test("signing out prevents automatic sign-in", async () => {
  const browser = new Browser(at().send);
  await signInToPage(browser, "ada");
  const token = formTokenOf(await (await browser.open(`${PUBLIC_URL}/app`)).text());
  await browser.post({ token }, {}, "/app/sign-out");
  expect(new URL(locationOf(await browser.open(NODE))).hash).toBe("");
});
