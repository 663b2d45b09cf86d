import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";

export const partnerApiPath = new URL("../../schemas/partner-api.yaml", import.meta.url).pathname;

export const readPartnerApi = (): Record<string, unknown> =>
  parse(readFileSync(partnerApiPath, "utf8")) as Record<string, unknown>;

/** Validators for the schemas of schemas/partner-api.yaml, by their names under components. */
export const partnerApiValidators = (): ((name: string) => ValidateFunction) => {
  // Not strict: an OpenAPI document carries keywords that JSON Schema does not know.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: {
      "date-time": (text: string) =>
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
      date: /^\d{4}-\d\d-\d\d$/,
      uri: (text: string) => URL.canParse(text),
      uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    },
  });
  ajv.addSchema(readPartnerApi(), "partner-api");
  return (name) => {
    const validate = ajv.getSchema(`partner-api#/components/schemas/${name}`);
    if (!validate) throw new Error(`schemas/partner-api.yaml has no schema ${name}`);
    return validate;
  };
};
