import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

// Certificates and keys are used when a connection is opened, far too late to say that a file holds none: to TLS a CA file without a
// certificate is nobody to trust, and no error. So they are looked at when the settings are read.

const CERTIFICATE = /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new Error(`names a file that cannot be read (${code}): ${file}`, { cause: error });
  }
};

/** The name of a file that holds certificates and no broken one. */
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

/** The name of a file that holds a private key. */
export const readPrivateKey = (file: string): string => {
  const text = textOf(file);
  try {
    createPrivateKey(text);
    return file;
  } catch {
    throw new Error(`names a file that holds no private key in PEM, or one with a passphrase: ${file}`);
  }
};

/** Whether the key is that of the first certificate. */
export const isPair = (certFile: string, keyFile: string): boolean => {
  try {
    createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
    return true;
  } catch {
    return false;
  }
};
