/** Creates certificates for tests: X.509 v3 (RFC 5280), ECDSA on P-256. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

export interface CertificateFacts {
  /** The host names and IPv4 addresses it is valid for. */
  readonly hosts: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Its issuer; without one it is self-signed. */
  readonly issuer?: Certificate;
  readonly isAuthority?: boolean;
}

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  readonly subject: string;
  readonly privateKey: KeyObject;
}

const DAY_MS = 86_400_000;

function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const OCTETS = 0x04;
const TRUE = Buffer.from([0x01, 0x01, 0xff]);

/** An encoded object identifier. */
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const ECDSA_WITH_SHA256 = oid("2a8648ce3d040302");
const COMMON_NAME = oid("550403");
const ALTERNATIVE_NAMES = oid("551d11");
const BASIC_CONSTRAINTS = oid("551d13");

const nameOf = (commonName: string): Buffer =>
  der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(commonName)))));

/** GeneralizedTime, without fractions of a second. */
const timeOf = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`));

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host)
      ? der(0x87, Buffer.from(host.split(".").map(Number)))
      : der(0x82, Buffer.from(host)),
  );
  return der(SEQUENCE, ALTERNATIVE_NAMES, der(OCTETS, der(SEQUENCE, ...names)));
}

/** Lines of 64 characters, without an empty one, which OpenSSL would take for the end of the certificate. */
const pem = (label: string, bytes: Buffer): string => {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
};

export function createCertificate(facts: CertificateFacts): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const subject = facts.isAuthority ? "Authority for tests" : (facts.hosts[0] ?? "nobody");
  const notBefore = facts.notBefore ?? new Date(Date.now() - DAY_MS);
  const notAfter = facts.notAfter ?? new Date(Date.now() + 90 * DAY_MS);
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const extensions = [
    ...(facts.isAuthority ? [der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTETS, der(SEQUENCE, TRUE)))] : []),
    ...(facts.hosts.length > 0 ? [alternativeNames(facts.hosts)] : []),
  ];
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    // Positive and unique.
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(facts.issuer?.subject ?? subject),
    der(SEQUENCE, timeOf(notBefore), timeOf(notAfter)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, ...extensions)),
  );
  const signature = sign("sha256", toBeSigned, facts.issuer?.privateKey ?? privateKey);
  const bytes = der(SEQUENCE, toBeSigned, algorithm, der(0x03, Buffer.from([0]), signature));
  return {
    cert: pem("CERTIFICATE", bytes),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    subject,
    privateKey,
  };
}
