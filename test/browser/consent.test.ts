/** The consent page with the passphrase: by mouse, by keyboard, and under attack. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { connectModern } from "../support/agent-client.ts";
import { PASSPHRASE } from "../support/test-worker.ts";
import {
  focused,
  foreignRequests,
  launchBrowser,
  openWatched,
  tabTo,
  type WatchedPage,
} from "./support/browser.ts";
import { type App, connectApp, tokens } from "./support/client.ts";
import { startSite } from "./support/sites.ts";

const origin = inject("origin");

let browser: Browser;
let app: App;
let opened: WatchedPage;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  app = await connectApp(origin, "Claude");
});
afterAll(async () => {
  await app.close();
  await browser.close();
});
beforeEach(async () => {
  opened = await openWatched(browser);
  page = opened.page;
});
afterEach(async () => {
  await opened.context.close();
});

/** The parameters of the last callback, once the browser is back at the app. */
async function answerToApp(from: App = app, of: Page = page): Promise<Record<string, string>> {
  await of.waitForURL(`${from.redirectUri}?**`);
  return Object.fromEntries(from.answers.at(-1) ?? []);
}

describe("a person who decides", () => {
  test("sees which app asks, where the access goes, and what it covers", async () => {
    await page.goto(app.authorizeUrl());
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
      "Allow “Claude” to read your n8n?",
    );
    expect(await page.getByText("nobody has checked it").count()).toBe(1);
    expect(await page.getByRole("definition").allTextContents()).toEqual([
      `${new URL(app.redirectUri).hostname} this computer`,
      expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    ]);
    expect(await page.getByText("Any program on this computer could be asking").isVisible()).toBe(true);
    const group = page.getByRole("group", { name: "What may it see?" });
    expect(await group.getByText("n8n:read").isVisible()).toBe(true);
    for (const radio of await group.getByRole("radio").all()) expect(await radio.isChecked()).toBe(false);
    expect(await group.getByRole("radio").count()).toBe(2);
    expect(await page.getByRole("button", { name: /Continue with/ }).count()).toBe(0);
    expect(opened.errors).toEqual([]);
    expect(foreignRequests(opened, origin)).toEqual([]);
  });

  test("sees that a passphrase is wrong, and gets in with the right one", async () => {
    await page.goto(app.authorizeUrl());
    await page.getByLabel("with the data").check();
    await page.getByLabel("Passphrase").fill("not the passphrase");
    await page.getByRole("button", { name: "Allow" }).click();
    expect(await page.getByRole("alert").textContent()).toMatch(/^This passphrase is wrong\. \d tries left/);
    expect(await focused(page)).toBe("passphrase");
    expect(await page.title()).toMatch(/^Wrong passphrase/);
    expect(await page.getByLabel("with the data").isChecked()).toBe(true);

    await page.getByLabel("Passphrase").fill(PASSPHRASE);
    await page.getByRole("button", { name: "Allow" }).click();
    const { code = "", state, iss } = await answerToApp();
    expect({ state, iss }).toEqual({ state: "state-of-the-app", iss: origin });
    const issued = tokens.parse(await (await app.exchange(code)).json());
    expect(issued.scope).toBe("n8n:read n8n:data");
    const client = await connectModern(`${origin}/mcp`, issued.access_token, "auto");
    const answer = await client.call("trace_request", { requestId: "req-deep-failure" });
    expect(answer.envelope.data).toMatchObject({ found: true, outcome: "error" });
    await client.close();
  });

  test("may decline, and the app gets an error and no code", async () => {
    await page.goto(app.authorizeUrl());
    await page.getByRole("button", { name: "Decline" }).click();
    expect(await answerToApp()).toEqual({
      error: "access_denied",
      state: "state-of-the-app",
      iss: origin,
    });
  });

  test("can use the keyboard alone, in the order of the page, with a visible focus", async () => {
    await page.goto(app.authorizeUrl());
    // A group of radio buttons is one tab stop; the arrow keys move within it.
    expect(await tabTo(page, "Decline")).toEqual(["scope-read", "passphrase", "Allow", "Decline"]);
    for (const name of ["Allow", "passphrase", "scope-read"]) {
      await page.keyboard.press("Shift+Tab");
      expect(await focused(page)).toBe(name);
      expect(
        await page.evaluate(
          "(({ outlineStyle, outlineWidth }) => outlineStyle + ' ' + outlineWidth)(getComputedStyle(document.activeElement))",
        ),
      ).toBe("solid 3px");
    }
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("scope-data");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("passphrase");
    await page.keyboard.type(PASSPHRASE);
    await page.keyboard.press("Enter");
    const { code = "" } = await answerToApp();
    expect(await (await app.exchange(code)).json()).toMatchObject({ scope: "n8n:read n8n:data" });
  });

  test("cannot send the form without a choice, which gets the focus", async () => {
    await page.goto(app.authorizeUrl("n8n:read n8n:data"));
    await page.getByLabel("Passphrase").fill(PASSPHRASE);
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("scope-read");
    expect(opened.requests.filter((request) => request.startsWith("POST"))).toEqual([]);
  });

  test("who chooses n8n:read grants no data, whatever the app requested", async () => {
    await page.goto(app.authorizeUrl("n8n:read n8n:data"));
    await page.getByLabel("n8n:read").check();
    await page.getByLabel("Passphrase").fill(PASSPHRASE);
    await page.keyboard.press("Enter");
    const { code = "" } = await answerToApp();
    expect(await (await app.exchange(code)).json()).toMatchObject({ scope: "n8n:read" });
  });

  test.each([320, 390])("needs no sideways scrolling on a phone %i px wide", async (width) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(app.authorizeUrl());
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  });

  test("sees Allow and everything above it on a 360 by 640 px phone without scrolling", async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    await page.goto(app.authorizeUrl());
    for (const name of ["Allow", "Decline"]) {
      const box = await page.getByRole("button", { name, exact: true }).boundingBox();
      expect((box?.y ?? Number.NaN) + (box?.height ?? 0), name).toBeLessThanOrEqual(640);
    }
    expect(await page.evaluate("scrollY")).toBe(0);
  });

  test("cannot send the form without a passphrase, which gets the focus", async () => {
    await page.goto(app.authorizeUrl());
    await page.getByLabel("n8n:read").check();
    await page.getByRole("button", { name: "Allow" }).click();
    expect(await focused(page)).toBe("passphrase");
    expect(opened.requests.filter((request) => request.startsWith("POST"))).toEqual([]);
  });
});

describe("an app whose callback redirects to yet another site", () => {
  test("is not stopped by the consent page's content policy", async () => {
    const elsewhere = await startSite("<h1>Elsewhere</h1>");
    const forwarding = await connectApp(origin, "Forwarding app", elsewhere.origin);
    await page.goto(forwarding.authorizeUrl());
    await page.getByLabel("n8n:read").check();
    await page.getByLabel("Passphrase").fill(PASSPHRASE);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${elsewhere.origin}/**`);
    expect(await page.getByRole("heading").textContent()).toBe("Elsewhere");
    expect(forwarding.answers[0]?.has("code")).toBe(true);
    expect(opened.errors).toEqual([]);
    await forwarding.close();
    await elsewhere.close();
  });
});

describe("an attacker", () => {
  const SET_HANDLE = (handle: string) =>
    `document.querySelector("input[name=handle]").value = ${JSON.stringify(handle)}`;

  async function handleOf(of: Page): Promise<string> {
    return await of.locator("input[name=handle]").inputValue();
  }

  test("cannot have a form of their own sign-in filled in by somebody else", async () => {
    await page.goto(app.authorizeUrl());
    const theirs = await handleOf(page);
    const before = app.answers.length;
    const victim = await openWatched(browser);
    await victim.page.goto(app.authorizeUrl());
    await victim.page.evaluate(SET_HANDLE(theirs));
    await victim.page.getByLabel("n8n:read").check();
    await victim.page.getByLabel("Passphrase").fill(PASSPHRASE);
    await victim.page.getByRole("button", { name: "Allow" }).click();
    expect(await victim.page.getByRole("heading", { level: 1 }).textContent()).toBe(
      "This sign-in cannot continue",
    );
    expect(await victim.page.getByRole("region", { name: "What to do" }).isVisible()).toBe(true);
    expect(app.answers.length).toBe(before);
    await victim.context.close();
  });

  test("cannot post the complete form from another site", async () => {
    await page.goto(app.authorizeUrl());
    const before = app.answers.length;
    const site = await startSite(`<form method="post" action="${origin}/authorize">
      <input name="handle" value="${await handleOf(page)}"><input name="passphrase" value="${PASSPHRASE}">
      <input name="scope" value="n8n:data">
      <button name="decision" value="approve">Win a prize</button></form>`);
    await page.goto(site.origin);
    const answer = page.waitForResponse(`${origin}/authorize`);
    await page.getByRole("button").click();
    expect((await answer).status()).toBe(403);
    expect(app.answers.length).toBe(before);
    await site.close();
  });

  test.each([
    ["the start page", () => origin],
    ["the consent page", () => app.authorizeUrl()],
    ["an error page", () => `${origin}/nowhere`],
  ])("cannot put %s into a frame", async (_, urlOf) => {
    const site = await startSite(
      `<h1>Another site</h1><iframe src="${urlOf().replaceAll("&", "&amp;")}"></iframe>`,
    );
    await page.goto(site.origin);
    const frame = page.frames()[1];
    expect(page.frames()).toHaveLength(2);
    expect(frame?.url()).toMatch(/^chrome-error:/);
    expect(await frame?.locator("main").count()).toBe(0);
    expect(opened.errors.join("\n")).toMatch(/frame-ancestors|X-Frame-Options/);
    await site.close();
  });

  test.each([
    ["HTML", `</bdi></title><img src=x onerror="alert(1)"><script>alert(2)</script>`],
    ["a style", `</title><style>*{display:none}</style><a href="https://evil.example">Claude</a>`],
  ])("gains nothing by %s in the app's name", async (_, name) => {
    const hostile = await connectApp(origin, name);
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await page.goto(hostile.authorizeUrl());
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
      `Allow “${name}” to read your n8n?`,
    );
    expect(await page.title()).toContain(name);
    expect(await page.locator("img, script, main a, style + style").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Decline" }).isVisible()).toBe(true);
    expect(dialogs).toBe(0);
    expect(opened.errors).toEqual([]);
    await hostile.close();
  });

  test("cannot reverse or inflate the sentence with special characters in the app's name", async () => {
    const hostile = await connectApp(
      origin,
      `Claude\u202E\u2066\u200F${"\u0301".repeat(50)}${"W".repeat(120)}`,
    );
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(hostile.authorizeUrl());
    const heading = (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
    expect(heading).not.toMatch(/[\u200F\u202E\u2066]/);
    expect(heading.length).toBeLessThan(150);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    await hostile.close();
  });
});
