import { expect, test } from "vitest";
import { clientAddress } from "../../../src/sign-in/registration/client-address.ts";

const UNKNOWN = { address: "unknown", network: "an unknown network" };

const addressOf = (headers: Record<string, string>) =>
  clientAddress(new Request("https://observer.example/register", { headers }));

test.each([
  ["203.0.113.7", "203.0.113.7", "203.0.113.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:db8:1:2::9", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:0DB8:0001:0002:0000:0000:0000:0009", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:db8::1", "2001:db8:0:0::/64", "2001:db8:0::/48"],
  ["::1", "0:0:0:0::/64", "0:0:0::/48"],
  ["2001:db8:1:2:3::", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["::ffff:203.0.113.7", "203.0.113.7", "203.0.113.0/24"],
  ["64:ff9b::203.0.113.7", "203.0.113.7", "203.0.113.0/24"],
  ["203.0.113.7:4711", "203.0.113.7", "203.0.113.0/24"],
  ["[2001:db8:1:2::9]:4711", "2001:db8:1:2::/64", "2001:db8:1::/48"],
])("%s counts as %s of %s", (given, address, network) => {
  expect(addressOf({ "CF-Connecting-IP": given })).toEqual({ address, network });
});

test.each(["", "nonsense", "1.2.3", "2001:db8::1::2", "203.0.113.7, 198.51.100.1"])(
  "%o shares the limit of clients without an address",
  (address) => {
    expect(addressOf({ "CF-Connecting-IP": address })).toEqual(UNKNOWN);
  },
);

test("headers that a client can set are ignored", () => {
  expect(addressOf({ "X-Forwarded-For": "203.0.113.7", "X-Real-IP": "203.0.113.7" })).toEqual(UNKNOWN);
});
