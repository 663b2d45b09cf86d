import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import kafkajs from "kafkajs";
import { afterAll } from "vitest";
import { kafkaFolder } from "../../dev/cluster/download.mjs";
import { javaCommand } from "../../dev/cluster/requirements.mjs";
import { run } from "../../dev/run.mjs";
import { TEST_CERT, TEST_KEY } from "../unit/partner/tls-material.ts";
import { askAdmin } from "./kafka.ts";
import type { Settings } from "./settings.ts";
import { threeBrokers } from "./three-brokers.ts";

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

type Operation = "READ" | "WRITE" | "CREATE" | "DESCRIBE";
/** An ACL for a topic or a group. A name that ends in `*` is a prefix. */
export type Right = { of: "TOPIC" | "GROUP"; name: string; may: readonly Operation[] };

/** The subject of the test certificate. */
export const CERTIFICATE_USER = "CN=localhost";

/**
 * Three brokers with mutual TLS and ACLs, and a listener each for SCRAM and for authentication by
 * certificate.
 */
export const securedBrokers = () => {
  const kafka = threeBrokers(() =>
    Promise.resolve({
      listeners: { SCRAM: "SASL_SSL" as const, MTLS: "SSL" as const },
      settings: {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        // The plaintext listener, which the brokers and the test use.
        "super.users": "User:ANONYMOUS",
        "ssl.client.auth": "required",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": TEST_CERT,
        "ssl.keystore.key": TEST_KEY,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": TEST_CERT,
        "listener.name.scram.sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.scram.scram-sha-512.sasl.jaas.config":
          "org.apache.kafka.common.security.scram.ScramLoginModule required;",
      },
    }),
  );
  let folder: string | undefined;
  afterAll(() => (folder === undefined ? undefined : rm(folder, { recursive: true })));

  const tls = async (): Promise<Settings> => {
    folder ??= await mkdtemp(join(tmpdir(), "cambio-bridge-tls-"));
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    await Promise.all([writeFile(cert, TEST_CERT), writeFile(key, TEST_KEY)]);
    return {
      KAFKA_TLS: "true",
      KAFKA_TLS_CA_FILE: cert,
      KAFKA_TLS_CERT_FILE: cert,
      KAFKA_TLS_KEY_FILE: key,
    };
  };

  return {
    kafka,
    allow: (user: string, rights: readonly Right[]) =>
      askAdmin(kafka.addresses(), (admin) =>
        admin.createAcls({
          acl: rights.flatMap(({ of, name, may }) =>
            may.map((operation) => ({
              resourceType: AclResourceTypes[of],
              resourceName: name.replace(/\*$/, ""),
              resourcePatternType: ResourcePatternTypes[name.endsWith("*") ? "PREFIXED" : "LITERAL"],
              principal: `User:${user}`,
              host: "*",
              operation: AclOperationTypes[operation],
              permissionType: AclPermissionTypes.ALLOW,
            })),
          ),
        }),
      ),
    /** Creates a SCRAM user; resolves with the settings of a bridge that signs in as it. */
    byScram: async (user: string): Promise<Settings> => {
      const password = `password-of-${user}`;
      const lib = join(await kafkaFolder(() => undefined), "lib", "*");
      const what = `SCRAM-SHA-512=[password=${password}]`;
      const args = ["--alter", "--add-config", what, "--entity-type", "users", "--entity-name", user];
      await run(javaCommand(), [
        ...["-cp", lib, "kafka.admin.ConfigCommand", "--bootstrap-server", kafka.addresses()],
        ...args,
      ]);
      return {
        ...(await tls()),
        KAFKA_BROKERS: kafka.addressesOf("SCRAM"),
        KAFKA_SASL_MECHANISM: "scram-sha-512",
        KAFKA_SASL_USERNAME: user,
        KAFKA_SASL_PASSWORD: password,
      };
    },
    byCertificate: async (): Promise<Settings> => ({
      ...(await tls()),
      KAFKA_BROKERS: kafka.addressesOf("MTLS"),
    }),
  };
};
