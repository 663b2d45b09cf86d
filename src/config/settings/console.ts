import { endpoint, host, origin, trustedCidrs } from "../addresses.ts";
import { headerName } from "../headers.ts";
import { flag, list, oneOf, port, text } from "../kinds.ts";

const WAYS = ["none", "basic", "proxy-header"] as const;

export const consoleSettings = {
  host: host("CONSOLE_HOST", "127.0.0.1", "Address of the console; any but loopback needs CONSOLE_AUTH."),
  port: port("CONSOLE_PORT", "8091", "Port of the console; 0 takes any free one."),
  auth: oneOf(WAYS)("CONSOLE_AUTH", "none", "How people sign in to the console; with none it is read-only."),
  usersFile: text("CONSOLE_USERS_FILE", "File with users, password hashes and roles (basic)."),
  userHeader: headerName("CONSOLE_USER_HEADER", "X-Forwarded-User", "Names the user (proxy-header)."),
  trustedProxyCidrs: trustedCidrs(
    "CONSOLE_TRUSTED_PROXY_CIDRS",
    "",
    "Proxies whose X-Forwarded-For is trusted, and whose CONSOLE_USER_HEADER (proxy-header).",
  ),
  operators: list("CONSOLE_OPERATORS", "", "Users who are operators (proxy-header); all others are viewers."),
  fourEyes: flag(
    "CONSOLE_FOUR_EYES",
    "A doubt ends only when a second person confirms it by the proposal's REF, in the console and on the command line.",
  ),
  origin: origin(
    "CONSOLE_ORIGIN",
    "Address that browsers use, such as https://console.example, where a proxy changes the Host header.",
  ),
  partnerContact: text(
    "CONSOLE_PARTNER_CONTACT",
    "Whom to call at the partner, such as a name and a phone number; shown with each doubt.",
  ),
  runbookUrl: endpoint("CONSOLE_RUNBOOK_URL", "Your own runbook for doubts; linked with each doubt."),
} as const;
