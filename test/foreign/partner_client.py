"""A client of the partner's API that shares nothing with this project: Python's standard library and the partner's
specification alone. Subscribes, creates a quotation, accepts it, waits for the whole walk, reads the log.

    python3 partner_client.py BASE_URL

Prints one JSON object with what it saw; exits 1 with a sentence when something is not as specified."""

import json
import queue
import sys
import threading
import urllib.request
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAIN_FLOW = [
    "AWAITING_PAYMENT",
    "PAYMENT_CONFIRMED",
    "SETTLEMENT_IN_PROGRESS",
    "CONTRACT_IN_PROGRESS",
    "REGISTERED_TRANSACTION",
    "TRANSACTION_COMPLETED",
]
HEADERS = {
    "Authorization": "Bearer ACCESS_TOKEN",
    "x-token": "X_TOKEN",
    "Content-Type": "application/json",
    "accept": "application/json",
    "User-Agent": "foreign-fx",
}

notifications = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        notifications.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(sys.argv[1] + path, data=data, method=method, headers=HEADERS)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.status, json.loads(answer.read() or b"null")


def find_identifier(value):
    """The answer of creation is not shown: take the first field, at any depth, whose name ends in "id"."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name.lower().endswith("id") and isinstance(item, (str, int)):
                return str(item)
        for item in value.values():
            found = find_identifier(item)
            if found:
                return found
    return None


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/notifications"

    call("POST", "/corporate/v1/webhook/subscribe", {"url": url, "events": ["TRANSACTION_STATUS_UPDATED"]})
    _, quote = call(
        "POST",
        "/corporate/v1/quote",
        {
            "direction": "OUTBOUND",
            "purpose": "PAYMENT_PROCESSING",
            "quotedAmount": "2500.75",
            "baseCurrencyIso": "EUR",
            "quotedCurrencyIso": "BRL",
        },
    )
    quote_id = find_identifier(quote)
    if not quote_id:
        sys.exit("the answer of creation holds no identifier")
    call(
        "PUT",
        f"/corporate/v1/quote/{quote_id}/accept",
        {"counterpartyId": "counterparty-1", "amount": 2500.75, "externalId": "order-1"},
    )

    seen = [notifications.get(timeout=20) for _ in MAIN_FLOW]
    if sorted(one["status"] for one in seen) != sorted(MAIN_FLOW):
        sys.exit(f"unexpected statuses: {seen}")
    if len({one["transactionId"] for one in seen}) != 1:
        sys.exit(f"more than one transaction: {seen}")
    if any("createdAt" not in one for one in seen):
        sys.exit(f"a notification without createdAt: {seen}")

    today = datetime.now(timezone(timedelta(hours=-3))).date()
    path = f"/corporate/v1/webhook/logs?startDate={today - timedelta(days=1)}&endtDate={today}"
    _, log = call("GET", f"{path}&eventType=TRANSACTION_STATUS_UPDATED")
    text = json.dumps(log)
    missing = [status for status in MAIN_FLOW if status not in text]
    if missing:
        sys.exit(f"the log does not hold {missing}")
    print(json.dumps({"quoteId": quote_id, "transactionId": seen[0]["transactionId"], "notifications": len(seen)}))


main()
