/** A certificate for `localhost` that is trusted only explicitly. Needs `openssl`. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Self-signed, valid for a day. */
export function createCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "n8n-observer-certificate-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "1"];
    const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", key, "-out", cert];
    execFileSync("openssl", ["req", "-x509", "-nodes", ...made, ...subject], { stdio: "pipe" });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
