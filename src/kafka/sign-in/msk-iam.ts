import { createRequire } from "node:module";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";

/** An optional dependency, because it brings much of AWS's SDK: installed by those who use MSK. */
const PACKAGE = "aws-msk-iam-sasl-signer-js";

/** Keys and tokens of AWS, which its SDK may quote: long runs of base64. */
const LONG_BASE64 = /[\w+/=-]{40,}/g;

type Signer = {
  generateAuthToken: (options: { region: string }) => Promise<{ token: string; expiryTime: number }>;
};

const installed = (): Signer => {
  try {
    return createRequire(import.meta.url)(PACKAGE) as Signer;
  } catch (error) {
    throw new UsageError(
      `KAFKA_SASL_MECHANISM=aws-msk-iam needs the package ${PACKAGE}, which cannot be loaded: run \`npm ` +
        `install ${PACKAGE}\` where cambio-bridge is installed.`,
      { cause: error },
    );
  }
};

/** Tokens for MSK, signed with the credentials that AWS's SDK finds. @throws when the package is not installed */
export const mskIam = (region: string, clock: Pick<Clock, "now">, load: () => Signer = installed) => {
  const signer = load();
  return {
    what: `the signer for MSK in ${region}`,
    fetch: async () => {
      const { token, expiryTime } = await signer.generateAuthToken({ region }).catch((error: unknown) => {
        throw new Error(messageOf(error).replace(LONG_BASE64, "[secret]"));
      });
      return { token, lifetimeMs: expiryTime - clock.now() };
    },
  };
};
