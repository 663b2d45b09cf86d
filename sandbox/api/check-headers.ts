import type { IncomingHttpHeaders } from "node:http";
import type { Refusal } from "./answers.ts";

/** The tokens that are asked for; null: any that is not empty. */
export type HeaderRules = { accessToken: string | null; xToken: string | null };

const mediaTypeOf = (header: string | undefined): string => header?.split(";")[0]?.trim().toLowerCase() ?? "";

const acceptsJson = (header: string | undefined): boolean =>
  header?.split(",").some((range) => mediaTypeOf(range) === "application/json") ?? false;

// <partner_name>-<service_name>. With a slash it is the default User-Agent of an HTTP library.
const userAgentForm = /^[^\s/-][^/]*-[^\s/-]+$/;

const refused = (code: Refusal["code"], message: string): Refusal => ({ code, message });

/** Checks the five headers that every request must have. Null when they are valid. */
export const checkHeaders = (
  { accessToken, xToken }: HeaderRules,
  headers: IncomingHttpHeaders,
): Refusal | null => {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (!bearer || bearer !== (accessToken ?? bearer))
    return refused("UNAUTHORIZED", "Authorization must be Bearer followed by a valid access token");
  const given = headers["x-token"];
  if (!given || given !== (xToken ?? given)) return refused("UNAUTHORIZED", "x-token must be a valid token");
  if (mediaTypeOf(headers["content-type"]) !== "application/json")
    return refused("UNSUPPORTED_MEDIA_TYPE", "Content-Type must be application/json");
  if (!acceptsJson(headers.accept)) return refused("NOT_ACCEPTABLE", "accept must be application/json");
  return userAgentForm.test(headers["user-agent"] ?? "")
    ? null
    : refused("INVALID_HEADER", "User-Agent must have the form <partner_name>-<service_name>");
};
