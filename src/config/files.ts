import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { textOfFile } from "./named-file.ts";
import { Secret } from "./secret.ts";
import { kind } from "./setting.ts";

// Files that settings name are read and validated with the settings. Otherwise a bad one would show only when a
// connection is opened, and TLS accepts a CA file without certificates: it then trusts nobody, without an error.

const CERTIFICATE = /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

export const certificates = kind("file", (file) => {
  const text = textOfFile(file);
  const parts = text.split(/(?=-----BEGIN )/).filter((part) => CERTIFICATE.test(part));
  try {
    if (parts.length === 0) throw new Error("none");
    for (const part of parts) new X509Certificate(part);
    return text;
  } catch {
    throw new Error(`names a file that holds no certificates in PEM, or broken ones: ${file}`);
  }
});

export const privateKey = kind("file", (file) => {
  const text = textOfFile(file);
  try {
    createPrivateKey(text);
    return new Secret(text);
  } catch {
    throw new Error(`names a file that holds no private key in PEM, or one with a passphrase: ${file}`);
  }
});

export const isPair = (cert: string, key: Secret): boolean => {
  try {
    createSecureContext({ cert, key: key.reveal() });
    return true;
  } catch {
    return false;
  }
};

export const secretFile = kind("file", (file) =>
  Secret.fromFile(file, (text) => {
    if (!/^[\t\r\n ]*[\x21-\x7e]+[\t\r\n ]*$/.test(text)) throw new Error("names a file that holds no token");
  }),
);

export const usersFileFault = (file: string): string | false => {
  try {
    return textOfFile(file).trim() === "" && `names a file that holds no users: ${file}`;
  } catch (error) {
    return (error as Error).message;
  }
};
