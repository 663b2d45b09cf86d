import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Refusal } from "./answers.ts";

export type HeaderRules = { accessToken: string | null; xToken: string | null };

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const mediaTypeOf = (header: string | undefined): string => header?.split(";")[0]?.trim().toLowerCase() ?? "";

const acceptsJson = (header: string | undefined): boolean =>
  header?.split(",").some((range) => mediaTypeOf(range) === "application/json") ?? false;

// <partner_name>-<service_name>. With a slash it is the default User-Agent of an HTTP library.
const userAgentForm = /^[^\s/-][^/]*-[^\s/-]+$/;

/**
 * Checks the five headers that every request must have. A configured token must match; otherwise any token
 * that is not empty is accepted. Returns null when the headers are valid.
 */
export const createHeaderCheck = (rules: HeaderRules): ((headers: IncomingHttpHeaders) => Refusal | null) => {
  const accessDigest = rules.accessToken === null ? null : digest(rules.accessToken);
  const xDigest = rules.xToken === null ? null : digest(rules.xToken);
  const fits = (token: string | undefined, expected: Buffer | null): boolean =>
    token !== undefined && token !== "" && (expected === null || timingSafeEqual(digest(token), expected));

  return (headers) => {
    const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
    if (!fits(bearer, accessDigest))
      return {
        code: "UNAUTHORIZED",
        message: "Authorization must be Bearer followed by a valid access token",
      };
    const xToken = headers["x-token"];
    if (!fits(typeof xToken === "string" ? xToken : undefined, xDigest))
      return { code: "UNAUTHORIZED", message: "x-token must be a valid token" };
    if (mediaTypeOf(headers["content-type"]) !== "application/json")
      return { code: "UNSUPPORTED_MEDIA_TYPE", message: "Content-Type must be application/json" };
    if (!acceptsJson(headers.accept))
      return { code: "NOT_ACCEPTABLE", message: "accept must be application/json" };
    const agent = headers["user-agent"] ?? "";
    if (!userAgentForm.test(agent))
      return {
        code: "INVALID_HEADER",
        message: "User-Agent must have the form <partner_name>-<service_name>",
      };
    return null;
  };
};
