import { expect, it } from "vitest";
import { saysFailed } from "../../../../src/partner/calls/says-failed.ts";

it.each([
  '{"success":false}',
  ' { "Success" : false , "data" : {} } ',
  '{"success":"false"}',
  '{"success":true,"success":false}',
  '{"error":"insufficient funds"}',
  '{"data":null,"errors":[{"code":"E1"}]}',
  '{"error":{"code":0}}',
  '{"error":true}',
  '{"error":500}',
  // Cut off, or no JSON further on.
  '{"success":false,"message":"a long',
  '{"errors":[{"message":"a lon',
  '{"error":"x"} and more',
])("%s says that it failed", (text) => expect(saysFailed(text)).toBe(true));

it.each([
  "",
  "not json",
  "{}",
  "[]",
  "null",
  '{"success":true}',
  '{"success":null}',
  '{"error":null}',
  '{"error":""}',
  '{"error":false,"errors":[ ]}',
  '{"error":{ },"errors":0}',
  '{"data":{"success":false,"error":"of a part"}}',
  '{"errorCount":3,"status":"failed"}',
  '{"succ',
  '{"error":',
  '[{"success":false}]',
  "<html>error</html>",
])("%s does not", (text) => expect(saysFailed(text)).toBe(false));
