import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { unreadableFile } from "./file-name.ts";

// Certificates and keys are validated when the settings are read. Otherwise a bad file would show only when a
// connection is opened, and TLS accepts a CA file without certificates: it trusts nobody then, without an
// error.

const CERTIFICATE = /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(unreadableFile(file, error), { cause: error });
  }
};

/** Validates a file of PEM certificates, and gives its name. */
export const readCertificates = (file: string): string => {
  const certificates = textOf(file)
    .split(/(?=-----BEGIN )/)
    .filter((part) => CERTIFICATE.test(part));
  try {
    if (certificates.length === 0) throw new Error("none");
    for (const certificate of certificates) new X509Certificate(certificate);
    return file;
  } catch {
    throw new Error(`names a file that holds no certificates in PEM, or broken ones: ${file}`);
  }
};

/** Validates a file with a PEM private key, and gives its name. */
export const readPrivateKey = (file: string): string => {
  const text = textOf(file);
  try {
    createPrivateKey(text);
    return file;
  } catch {
    throw new Error(`names a file that holds no private key in PEM, or one with a passphrase: ${file}`);
  }
};

/** Whether the private key belongs to the first certificate. */
export const isPair = (certFile: string, keyFile: string): boolean => {
  try {
    createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
    return true;
  } catch {
    return false;
  }
};
