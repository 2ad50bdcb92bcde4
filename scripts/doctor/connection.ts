/** Checks the connection to the server: its name, port and certificate. */
import { lookup } from "node:dns/promises";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import { DAY_MS } from "../../src/platform/durations.ts";
import { type Finding, fail, type Patient, pass, warn } from "./finding.ts";

const TIMEOUT_MS = 10_000;
/** Automatic renewal happens earlier than this. */
const EXPIRES_SOON_DAYS = 10;

const isNumeric = (host: string): boolean => /^[\d.]+$/.test(host) || host.startsWith("[");
const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, "");

export async function checkName({ origin }: Patient): Promise<Finding> {
  const { hostname } = new URL(origin);
  if (isNumeric(hostname)) return pass("DNS", `${hostname} is an address already.`);
  try {
    const addresses = await lookup(hostname, { all: true });
    return pass("DNS", `${hostname} leads to ${addresses.map(({ address }) => address).join(", ")}.`);
  } catch {
    return fail(
      "DNS",
      `There is no host ${hostname}, or this machine cannot look it up.`,
      "See how the address is spelled, and that this machine is online. The address of a new Worker or domain takes a minute or two to be known.",
    );
  }
}

export function checkPort({ origin }: Patient): Promise<Finding> {
  const { hostname, port, protocol } = new URL(origin);
  const number = Number(port) || (protocol === "https:" ? 443 : 80);
  const name = "port";
  const socket = connectTcp({ host: withoutBrackets(hostname), port: number, timeout: TIMEOUT_MS });
  return settle(
    socket,
    "connect",
    () => pass(name, `Port ${number} answers.`),
    (code) =>
      code === "ECONNREFUSED"
        ? fail(
            name,
            `Nothing listens on port ${number} of ${hostname}.`,
            "Start the server (npm run dev, npm start), or give the port that it has.",
          )
        : fail(
            name,
            `Nothing answers on port ${number}.`,
            "See that the server runs and that no firewall stands before it.",
          ),
  );
}

/** @param refused receives the error's code, empty after a timeout */
function settle(
  socket: Socket,
  event: "connect" | "secureConnect",
  reached: () => Finding,
  refused: (code: string) => Finding,
): Promise<Finding> {
  return new Promise((resolve) => {
    const end = (finding: Finding): void => {
      socket.destroy();
      resolve(finding);
    };
    socket.once(event, () => end(reached()));
    socket.once("timeout", () => end(refused("")));
    socket.once("error", ({ code = "" }: NodeJS.ErrnoException) => end(refused(code)));
  });
}

const PROBLEMS: Readonly<Record<string, readonly [detail: string, solution: string]>> = {
  CERT_HAS_EXPIRED: ["The certificate has expired.", "Renew it, and see why it was not renewed by itself."],
  CERT_NOT_YET_VALID: [
    "The certificate is not valid yet.",
    "Set this machine's clock, or wait until it is valid.",
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "The certificate is one for another host.",
    "Use the address that it names, or get a certificate that names this host.",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "The certificate is self-signed: no app trusts it.",
    "Get one from a certificate authority, such as Let's Encrypt. One of your own authority has to be known to each app (Node: NODE_EXTRA_CA_CERTS).",
  ],
};

const UNTRUSTED = [
  "This machine does not trust the certificate's issuer.",
  "Serve the whole chain of certificates, or get one from a known certificate authority.",
] as const;
const NO_TLS = [
  "That port does not speak https.",
  "Put TLS in front of the server, or, on this machine, use http://localhost.",
] as const;

export function checkCertificate({ origin, ca }: Patient): Promise<Finding> {
  const { hostname, port, protocol } = new URL(origin);
  const name = "TLS";
  if (protocol === "http:")
    return Promise.resolve(pass(name, "Plain http, which is right on this machine alone."));
  const host = withoutBrackets(hostname);
  const socket = connectTls({
    host,
    port: Number(port) || 443,
    timeout: TIMEOUT_MS,
    ...(isNumeric(hostname) ? {} : { servername: host }),
    ...(ca === undefined ? {} : { ca }),
  });
  return settle(
    socket,
    "secureConnect",
    () => toExpiryFinding(socket.getPeerCertificate()),
    (code) => fail(name, ...(PROBLEMS[code] ?? (/CERT|SIGNATURE|ISSUER/.test(code) ? UNTRUSTED : NO_TLS))),
  );
}

function toExpiryFinding({ valid_to: until }: PeerCertificate): Finding {
  const days = Math.floor((Date.parse(until) - Date.now()) / DAY_MS);
  if (days >= EXPIRES_SOON_DAYS)
    return pass("TLS", `The certificate is right, and valid for ${days} more days.`);
  return warn(
    "TLS",
    `The certificate is right, but expires on ${new Date(until).toISOString().slice(0, 10)}.`,
    "Renew it, and see that it is renewed by itself.",
  );
}
