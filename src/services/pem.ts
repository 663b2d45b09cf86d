import { readFileSync } from "node:fs";
import { UsageError } from "../runtime/errors.ts";

/** Reads the PEM file that a setting names. Throws a UsageError that names the setting. */
export const pem = (variable: string, file: string | undefined): string | undefined => {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${variable} names a file that cannot be read: ${file}.`, { cause: error });
  }
};

type TlsFiles = Record<"tlsCaFile" | "tlsCertFile" | "tlsKeyFile", string | undefined>;

/** The CA certificates, our certificate and its key, from the files that the settings name. */
export const tlsMaterial = (
  of: "KAFKA" | "PARTNER",
  { tlsCaFile, tlsCertFile, tlsKeyFile }: TlsFiles,
): Record<"ca" | "cert" | "key", string | undefined> => ({
  ca: pem(`${of}_TLS_CA_FILE`, tlsCaFile),
  cert: pem(`${of}_TLS_CERT_FILE`, tlsCertFile),
  key: pem(`${of}_TLS_KEY_FILE`, tlsKeyFile),
});
