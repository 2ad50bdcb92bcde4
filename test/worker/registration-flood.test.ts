/** Hundreds of registrations at once, and what is left for others. */
import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import {
  MAXIMUM_PER_ADDRESS,
  MAXIMUM_PER_NETWORK,
  MAXIMUM_PER_WINDOW,
  MAXIMUM_STORED,
  WINDOW_MS,
} from "../../src/sign-in/registration/registration-limits.ts";
import { register, storedClients } from "./sign-in/client.ts";

afterEach(() => reset());

/** Hundreds of requests, on a machine that may be busy. */
const FLOOD_TIMEOUT_MS = 60_000;

describe("a flood of registrations", { timeout: FLOOD_TIMEOUT_MS }, () => {
  const from = (address: string) => register({}, { "CF-Connecting-IP": address });
  const statusesOf = (responses: readonly Response[], status: number) =>
    responses.filter((response) => response.status === status).length;
  const useUpShare = () =>
    Promise.all(Array.from({ length: MAXIMUM_PER_ADDRESS }, () => from("203.0.113.7")));

  const gate = () => env.REGISTRATION_GATE.getByName("registrations");
  const readGate = () =>
    runInDurableObject(gate(), (_gate, state) => JSON.stringify([...state.storage.kv.list()]));
  const passWindow = () =>
    runInDurableObject(gate(), (_gate, state) => {
      const window = state.storage.kv.get<{ startedAt: number }>("window");
      state.storage.kv.put("window", { ...window, startedAt: Date.now() - WINDOW_MS });
    });

  test("of 300 at once from one address stores only its share", async () => {
    const responses = await Promise.all(Array.from({ length: 300 }, () => from("203.0.113.7")));
    expect(statusesOf(responses, 201)).toBe(MAXIMUM_PER_ADDRESS);
    expect(statusesOf(responses, 429)).toBe(300 - MAXIMUM_PER_ADDRESS);
    expect(await storedClients()).toBe(MAXIMUM_PER_ADDRESS);
    expect((await from("198.51.100.1")).status).toBe(201);
  });

  test("of 400 at once from as many addresses stores only the total limit", async () => {
    const responses = await Promise.all(
      Array.from({ length: 400 }, (_, number) => from(`203.${number >> 8}.${number & 255}.7`)),
    );
    expect(statusesOf(responses, 201)).toBe(MAXIMUM_PER_WINDOW);
    expect(await storedClients()).toBe(MAXIMUM_PER_WINDOW);
  });

  test("from many addresses of one IPv6 network counts as from one", async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, number) => from(`2001:db8:1:2::${number.toString(16)}`)),
    );
    expect(statusesOf(responses, 201)).toBe(MAXIMUM_PER_ADDRESS);
  });

  test.each([
    ["an IPv4 network", (number: number) => `203.0.113.${number}`, "198.51.100.1"],
    ["a site's IPv6 network", (number: number) => `2001:db8:1:${number.toString(16)}::1`, "2001:db8:2::1"],
  ])("from all addresses of %s leaves the rest of the limit to others", async (_, address, other) => {
    const responses = await Promise.all(Array.from({ length: 250 }, (_one, number) => from(address(number))));
    expect(statusesOf(responses, 201)).toBe(MAXIMUM_PER_NETWORK);
    expect((await from(other)).status).toBe(201);
  });

  test("without an address, or with one the client made up, shares one count", async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, number) => register({}, { "X-Forwarded-For": `203.0.113.${number}` })),
    );
    expect(statusesOf(responses, 201)).toBe(MAXIMUM_PER_ADDRESS);
  });

  test("is refused as in RFC 7591, with the time to retry", async () => {
    await useUpShare();
    const headers = { "CF-Connecting-IP": "203.0.113.7", Origin: "https://client.example" };
    const response = await register({}, headers);
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({
      error: "temporarily_unavailable",
      error_description: expect.stringContaining("Try again in"),
    });
    const retryAfter = Number(response.headers.get("Retry-After"));
    expect(retryAfter).toBeGreaterThan(WINDOW_MS / 1000 - 60);
    expect(retryAfter).toBeLessThanOrEqual(WINDOW_MS / 1000);
    expect(response.headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
  });

  test("is over after an hour", async () => {
    await useUpShare();
    expect((await from("203.0.113.7")).status).toBe(429);
    await passWindow();
    expect((await from("203.0.113.7")).status).toBe(201);
  });

  test("is remembered when the counter is evicted", async () => {
    await useUpShare();
    await evictDurableObject(gate());
    expect((await from("203.0.113.7")).status).toBe(429);
  });

  test("that is slow ends when the store is full", async () => {
    await gate().settle(MAXIMUM_STORED - 1, 0);
    expect((await from("203.0.113.7")).status).toBe(201);
    expect((await from("198.51.100.1")).status).toBe(429);
  });

  test("of refused registrations uses up nobody's share", async () => {
    const metadata = { redirect_uris: ["https://evil.example/callback"] };
    for (let number = 0; number < MAXIMUM_PER_ADDRESS; number++) await register(metadata);
    expect((await register()).status).toBe(201);
  });

  test("leaves no address behind", async () => {
    await from("203.0.113.7");
    const stored = await readGate();
    expect(stored).toContain("byAddress");
    expect(stored).not.toContain("203.0.113.7");
    await passWindow();
    const saltOf = (text: string) => /"salt":"([^"]+)"/.exec(text)?.[1];
    await from("203.0.113.7");
    const later = await readGate();
    expect(saltOf(later)).toBeDefined();
    expect(saltOf(later)).not.toBe(saltOf(stored));
  });
});
