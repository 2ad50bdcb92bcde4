/**
 * A provider that lies, answers wrongly or not at all admits nobody. The well-behaved one is the control, without which
 * a refusal could have any cause.
 */
import { describe, expect, test, vi } from "vitest";
import type { Place, Plan } from "../../support/hostile-plan.ts";
import { resetAfterEach } from "../reset.ts";
import { PUBLIC_URL } from "../secrets.ts";
import { Browser, destinationOf } from "../sign-in/browser.ts";
import { consentToProvider, Deployment, hostileSettings, signInAs, tokensOf } from "./deployment.ts";

resetAfterEach();

const seconds = (): number => Math.floor(Date.now() / 1000);

/** The reasons for refusals in the log. */
function reasonsLogged(): string[] {
  const reasons: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => {
    const { reason } = JSON.parse(line) as { reason: string };
    reasons.push(reason);
  });
  return reasons;
}

async function expectRefused(plan: Plan, status: number, reason: string, more: object = {}): Promise<void> {
  const reasons = reasonsLogged();
  const { answer } = await signInAs(new Deployment({ ...hostileSettings(plan), ...more }), "anybody");
  expect(answer.status).toBe(status);
  expect(answer.headers.has("Refresh")).toBe(false);
  expect(answer.headers.has("Location")).toBe(false);
  expect(reasons).toEqual([reason]);
  expect(await answer.text()).toContain("What to do");
}

test.each([[["client_secret_basic"]], [["client_secret_post"]], [null]])(
  "a well-behaved provider admits a user, by %o",
  async (methods) => {
    const metadata = { token_endpoint_auth_methods_supported: methods };
    const { scope } = await tokensOf(new Deployment(hostileSettings({ metadata })), "anybody");
    expect(scope).toBe("n8n:read");
  },
);

test.each<[string, () => Plan["claims"]]>([
  ["ahead of ours", () => ({ iat: seconds() + 45, nbf: seconds() + 45 })],
  ["behind ours", () => ({ iat: seconds() - 345, exp: seconds() - 45 })],
])("a provider whose clock is three quarters of a minute %s admits a user", async (_, claims) => {
  const settings = hostileSettings({ claims: claims() ?? {} });
  expect((await tokensOf(new Deployment(settings), "anybody")).scope).toBe("n8n:read");
});

describe("an ID token is refused", () => {
  const COMPARISON = "oauth_jwt_claim_comparison_failed";
  const TIMESTAMP = "oauth_jwt_timestamp_check_failed";
  const INVALID = "oauth_invalid_response";

  test.each<[string, () => Plan["claims"], string]>([
    ["with another nonce", () => ({ nonce: "another" }), COMPARISON],
    ["without a nonce", () => ({ nonce: null }), INVALID],
    ["of another issuer", () => ({ iss: "https://accounts.google.com" }), COMPARISON],
    ["without an issuer", () => ({ iss: null }), INVALID],
    ["for another client", () => ({ aud: "another-client" }), COMPARISON],
    ["for several clients, without an authorized party", () => ({ aud: ["another", "third"] }), COMPARISON],
    ["without an audience", () => ({ aud: null }), INVALID],
    [
      "asked for by another client",
      () => ({ aud: ["client-of-the-hostile-provider", "another"], azp: "another" }),
      COMPARISON,
    ],
    [
      "authorized for another client, though its audience is us",
      () => ({ azp: "another" }),
      "provider_answer_malformed",
    ],
    ["that has expired", () => ({ exp: seconds() - 120 }), TIMESTAMP],
    ["that never expires", () => ({ exp: null }), INVALID],
    ["that is not valid yet", () => ({ nbf: seconds() + 3600 }), TIMESTAMP],
    ["issued in the future", () => ({ iat: seconds() + 3600 }), "provider_answer_malformed"],
    ["without a time of issue", () => ({ iat: null }), INVALID],
    ["without a subject", () => ({ sub: null }), INVALID],
    ["with an empty subject", () => ({ sub: "" }), "provider_answer_malformed"],
    ["with a subject that is no text", () => ({ sub: 7 }), INVALID],
    ["with a subject of a thousand letters", () => ({ sub: "x".repeat(1000) }), "provider_answer_malformed"],
  ])("%s", async (_, claims, reason) => {
    await expectRefused({ claims: claims() ?? {} }, 502, reason);
  });

  test.each<[string, NonNullable<Plan["signature"]>, string]>([
    ["without a signature", "none", INVALID],
    ["signed with the client's own secret", "shared_secret", INVALID],
    ["signed with another key", "another_key", INVALID],
    ["with a signature that is none", "garbled", INVALID],
  ])("%s", async (_, signature, reason) => {
    await expectRefused({ signature }, 502, reason);
  });

  test("if it is missing", async () => {
    await expectRefused({ tokens: { id_token: null } }, 502, INVALID);
  });

  test("if the client's secret is wrong", async () => {
    const settings = { ...hostileSettings(), OIDC_CLIENT_SECRET: "another-secret" };
    expect((await signInAs(new Deployment(settings), "anybody")).answer.status).toBe(502);
  });
});

describe("a user is refused", () => {
  test.each<[string, Plan["claims"], string]>([
    ["whose address is not verified", { email_verified: false }, "email_not_verified"],
    ["whose address is not said to be verified", { email_verified: null }, "email_not_verified"],
    ["whose address is verified in words", { email_verified: "true" }, "email_not_verified"],
    ["whose address is verified by a number", { email_verified: 1 }, "email_not_verified"],
    ["without an address", { email: null }, "not_allowed"],
    ["with a list of addresses", { email: ["ada@example.com"] }, "email_not_verified"],
    ["of a domain with the same ending", { email: "ada@evil-example.com" }, "not_allowed"],
    ["of a domain with the same beginning", { email: "ada@example.com.evil.org" }, "not_allowed"],
    ["of a subdomain", { email: "ada@sub.example.com" }, "not_allowed"],
    ["with two at signs", { email: "a@b@example.com" }, "email_not_verified"],
    ["with a quoted at sign", { email: '"a@b"@example.com' }, "email_not_verified"],
    ["with the address in the name", { email: "ada@example.com <ada@evil.org>" }, "email_not_verified"],
    ["with a line break", { email: "ada@evil.org\n@example.com" }, "email_not_verified"],
    ["of a domain with a Cyrillic letter", { email: "ada@ex\u0430mple.com" }, "email_not_verified"],
    ["of a domain in wide letters", { email: "ada@\uff45xample.com" }, "email_not_verified"],
    ["of a domain with a dot at its end", { email: "ada@example.com." }, "email_not_verified"],
  ])("%s", async (_, claims, reason) => {
    await expectRefused({ claims: claims ?? {}, metadata: { userinfo_endpoint: null } }, 403, reason);
  });

  test.each<[string, Plan["claims"], string]>([
    ["whose token has no groups", {}, "groups_missing"],
    ["whose groups are referenced, as by Entra above 200", { hasgroups: true }, "groups_overage"],
    ["in 199 groups that grant nothing", { groups: Array.from({ length: 199 }, String) }, "not_allowed"],
    ["in no group", { groups: [] }, "not_allowed"],
  ])("%s, with the reason in the log if a rule names a group", async (_, groups, reason) => {
    const claims = { email: "ada@evil.org", ...groups };
    const rule = { who: { groups: ["staff"] }, see: "all", scopes: ["n8n:read"] };
    const settings = { ACCESS_RULES: JSON.stringify([rule]), SERVICE_TOKENS: "" };
    await expectRefused({ claims, metadata: { userinfo_endpoint: null } }, 403, reason, settings);
  });

  test.each(["ada@EXAMPLE.com", "ADA@Example.Com"])("but not %s", async (email) => {
    const { scope } = await tokensOf(new Deployment(hostileSettings({ claims: { email } })), "anybody");
    expect(scope).toBe("n8n:read");
  });

  test("whose address is unverified in the ID token, whatever UserInfo says", async () => {
    const userInfo = { email: "ada@example.com", email_verified: true };
    await expectRefused({ claims: { email_verified: false }, userInfo }, 403, "email_not_verified");
  });

  test("whose verified UserInfo address differs from the ID token's", async () => {
    const userInfo = { email: "ada@evil.org", email_verified: true };
    await expectRefused({ claims: { email_verified: null }, userInfo }, 403, "not_allowed");
  });

  test("whose UserInfo belongs to somebody else", async () => {
    const userInfo = { sub: "somebody-else", email: "ada@example.com", email_verified: true };
    const reason = "oauth_json_attribute_comparison_failed";
    await expectRefused({ claims: { email: null, email_verified: null }, userInfo }, 502, reason);
  });
});

describe("sign-in ends when the provider", () => {
  const REFUSED = "oauth_response_is_not_conform";
  const PLACES: Place[] = ["keys", "token", "userinfo"];

  test.each(PLACES)("sends a huge answer: %s", async (at) => {
    await expectRefused(faulty(at, "is_huge"), 502, "provider_answer_too_large");
  });

  test.each(PLACES)("redirects, even to a valid place: %s", async (at) => {
    await expectRefused(faulty(at, "redirects"), 502, "provider_redirected");
  });

  test.each<[Place, string]>([
    ["keys", REFUSED],
    ["token", REFUSED],
    ["userinfo", REFUSED],
  ])("fails: %s", async (at, reason) => {
    await expectRefused(faulty(at, "fails"), 502, reason);
  });

  test("sends a page as its token", async () => {
    await expectRefused(faulty("token", "is_html"), 502, "oauth_response_is_not_json");
  });

  test("never sends the token", { timeout: 15_000 }, async () => {
    const start = Date.now();
    await expectRefused(faulty("token", "hangs"), 502, "provider_timeout");
    expect(Date.now() - start).toBeLessThan(10_000);
  });

  test("never sends its metadata", { timeout: 15_000 }, async () => {
    const reasons = reasonsLogged();
    const deployment = new Deployment(hostileSettings(faulty("metadata", "hangs")));
    const { answer } = await consentToProvider(deployment, new Browser(deployment.send));
    expect(answer.status).toBe(502);
    expect(reasons).toEqual(["provider_timeout"]);
  });

  /** The ID token leaves something to UserInfo, so that UserInfo is requested. */
  function faulty(at: Place, how: NonNullable<Plan["fault"]>["how"]): Plan {
    const isAsked = at === "userinfo";
    return {
      fault: { at, how },
      ...(isAsked ? { claims: { email_verified: null }, userInfo: { email: "ada@example.com" } } : {}),
    };
  }
});

describe("metadata are refused", () => {
  test.each<[string, Plan, string]>([
    [
      "of another issuer",
      { metadata: { issuer: "https://accounts.google.com" } },
      "oauth_json_attribute_comparison_failed",
    ],
    ["without keys", { metadata: { jwks_uri: null } }, "provider_answer_malformed"],
    [
      "with a token endpoint that is none",
      { metadata: { token_endpoint: "file:///etc/passwd" } },
      "malformed",
    ],
    [
      "that send the browser to a script",
      { metadata: { authorization_endpoint: "javascript:alert(1)" } },
      "malformed",
    ],
    [
      "that send the browser over plain http",
      { metadata: { authorization_endpoint: "http://login.example/authorize" } },
      "provider_address_refused",
    ],
    ["that are huge", { fault: { at: "metadata", how: "is_huge" } }, "provider_answer_too_large"],
    ["that redirect", { fault: { at: "metadata", how: "redirects" } }, "provider_redirected"],
    ["that are a page", { fault: { at: "metadata", how: "is_html" } }, "oauth_response_is_not_json"],
  ])("%s", async (_, plan, reason) => {
    const reasons = reasonsLogged();
    const deployment = new Deployment(hostileSettings(plan));
    const { answer } = await consentToProvider(deployment, new Browser(deployment.send));
    expect(answer.status).toBe(502);
    expect(answer.headers.has("Refresh")).toBe(false);
    expect(reasons.join()).toContain(reason);
  });

  test("that send the code and the client's secret over plain http", async () => {
    const token_endpoint = "http://token.example/token";
    await expectRefused({ metadata: { token_endpoint } }, 502, "provider_address_refused");
  });
});

describe("the callback is refused", () => {
  const good = () => new Deployment(hostileSettings());

  async function expectNoCode(answer: Response, status = 400): Promise<void> {
    expect(answer.status).toBe(status);
    expect(answer.headers.has("Refresh")).toBe(false);
    expect(answer.headers.has("Location")).toBe(false);
    expect(await answer.text()).toContain("What to do");
  }

  /** A sign-in that has reached the provider, and the address with which it returns. */
  async function underWay(deployment: Deployment) {
    const browser = new Browser(deployment.send);
    const { answer } = await consentToProvider(deployment, browser);
    const response = await fetch(destinationOf(answer), { redirect: "manual" });
    return { browser, callback: new URL(response.headers.get("Location") ?? "") };
  }

  test("the second time, even with a copy of the cookie", async () => {
    const { browser, callback } = await underWay(good());
    const keeper = browser.copy();
    expect((await browser.open(callback.href)).status).toBe(200);
    await expectNoCode(await browser.open(callback.href));
    await expectNoCode(await keeper.open(callback.href));
  });

  test("in a browser without the cookie", async () => {
    const deployment = good();
    const { callback } = await underWay(deployment);
    await expectNoCode(await new Browser(deployment.send).open(callback.href));
  });

  test("in another browser that is signing in itself", async () => {
    const deployment = good();
    const victim = await underWay(deployment);
    const attacker = await underWay(deployment);
    await expectNoCode(await victim.browser.open(attacker.callback.href));
  });

  test("with the state of another sign-in, or an unknown one", async () => {
    const deployment = good();
    const { browser, callback } = await underWay(deployment);
    const other = await underWay(deployment);
    for (const state of [other.callback.searchParams.get("state") ?? "", "made-up", ""]) {
      const url = new URL(callback);
      url.searchParams.set("state", state);
      await expectNoCode(await browser.open(url.href));
    }
    callback.searchParams.delete("state");
    await expectNoCode(await browser.open(callback.href));
  });

  test("with the code of another sign-in, which has another verifier and nonce", async () => {
    const deployment = good();
    const victim = await underWay(deployment);
    const attacker = await underWay(deployment);
    victim.callback.searchParams.set("code", attacker.callback.searchParams.get("code") ?? "");
    await expectNoCode(await victim.browser.open(victim.callback.href), 502);
  });

  test("with the code of another sign-in at a provider without PKCE, by the nonce", async () => {
    const deployment = new Deployment(hostileSettings({ checksPkce: false }));
    const victim = await underWay(deployment);
    const attacker = await underWay(deployment);
    victim.callback.searchParams.set("code", attacker.callback.searchParams.get("code") ?? "");
    await expectNoCode(await victim.browser.open(victim.callback.href), 502);
  });

  test.each<[string, Plan["callback"]]>([
    ["of another issuer (RFC 9207)", { iss: "https://accounts.google.com" }],
    ["with tokens in it", { id_token: "a.b.c" }],
  ])("%s", async (_, callback) => {
    await expectNoCode(
      (await signInAs(new Deployment(hostileSettings({ callback: callback ?? {} })), "x")).answer,
      502,
    );
  });

  test("without the issuer that the provider promised", async () => {
    const { browser, callback } = await underWay(good());
    callback.searchParams.delete("iss");
    await expectNoCode(await browser.open(callback.href), 502);
  });

  test("without a code", async () => {
    const { browser, callback } = await underWay(good());
    callback.searchParams.delete("code");
    await expectNoCode(await browser.open(callback.href), 502);
  });

  test("after the settings changed to another provider", async () => {
    const deployment = good();
    const { browser, callback } = await underWay(deployment);
    deployment.settings = { ...deployment.settings, ...hostileSettings({ checksPkce: false }) };
    await expectNoCode(await browser.open(callback.href));
  });

  test("as a POST, or on another host", async () => {
    const deployment = good();
    const { callback } = await underWay(deployment);
    const posted = await deployment.send(new Request(callback, { method: "POST" }));
    expect(posted.status).toBe(404);
    const elsewhere = new URL(callback.pathname + callback.search, "https://other.example");
    expect((await deployment.send(new Request(elsewhere))).status).toBe(421);
  });

  test("with a page that cannot be framed and quotes nothing of the address", async () => {
    const url = `${PUBLIC_URL}/callback?state=made-up&code=s3cr3t-c0de&error_description=%3Cscript%3E`;
    const answer = await new Browser(good().send).open(url);
    expect(answer.headers.get("X-Frame-Options")).toBe("DENY");
    expect(await answer.text()).not.toMatch(/s3cr3t-c0de|<script/);
  });
});
