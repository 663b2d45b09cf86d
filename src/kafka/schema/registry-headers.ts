import type { TokenSource } from "../sign-in/token-source.ts";

/** How to authenticate to the registry. Secrets are read for each request, so that rotated ones are used. */
export type RegistryAuth =
  { username: string; password: () => string } | { bearer: Pick<TokenSource, "token" | "refused"> };

export type RegistrySignIn = {
  auth: RegistryAuth | null;
  /** Further headers of each request. */
  headers?: () => Readonly<Record<string, string>>;
};

type Headers = Readonly<Record<string, string>>;

const BEARER = "Bearer ";

const authorization = async (auth: RegistryAuth): Promise<string> =>
  "bearer" in auth
    ? BEARER + (await auth.bearer.token())
    : `Basic ${Buffer.from(`${auth.username}:${auth.password()}`).toString("base64")}`;

/** The headers of the next request. Rejects when there is no token. */
export const requestHeaders = async ({ auth, headers }: RegistrySignIn): Promise<Headers> => ({
  ...headers?.(),
  ...(auth && { authorization: await authorization(auth) }),
});

/** Shorter header values are not masked: they are no secrets, and would match parts of ordinary words. */
const LEAST_HEADER_SECRET = 4;

/** The secrets to mask in the registry's answer to a request with these headers. */
export const secretsOf = ({ auth }: RegistrySignIn, sent: Headers): string[] => [
  ...Object.values(sent)
    .flatMap((value) => [value, value.slice(value.lastIndexOf(" ") + 1)])
    .filter(({ length }) => length >= LEAST_HEADER_SECRET),
  ...(auth && "password" in auth ? [auth.password()] : []),
];

/** To be called when the registry answered 401: has a bearer token renewed. */
export const reportUnauthorized = ({ auth }: RegistrySignIn, { authorization: sent = "" }: Headers): void => {
  if (auth && "bearer" in auth) auth.bearer.refused(sent.slice(BEARER.length));
};
