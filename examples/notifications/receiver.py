"""Receives notifications of Rekindle: checks the signature, knows what it has had, prints one line for each.

    WEBHOOK_SECRET=whsec_... python3 receiver.py --port 8080

Needs nothing but Python. Not for production: it forgets what it has had when it ends, and speaks no TLS.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MOST_BYTES = 256 * 1024
MOST_SEEN = 10_000
TOLERANCE_SECONDS = 300


def verify(secret: str, headers, body: bytes, now: float) -> bool:
    """Whether one of the signatures is that of the secret, and young enough not to be a replay."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, one) for one in given)


class Receiver(BaseHTTPRequestHandler):
    secret = ""
    seen: "OrderedDict[str, None]" = OrderedDict()

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MOST_BYTES:
            self.answer(413)
            return
        body = self.rfile.read(int(length))
        if not verify(self.secret, self.headers, body, time.time()):
            self.answer(401)
            return
        event = json.loads(body)
        if event["id"] not in self.seen:
            self.seen[event["id"]] = None
            while len(self.seen) > MOST_SEEN:
                self.seen.popitem(last=False)
            reason = event["data"].get("holdReason", "")
            print(event["time"], event["type"], event["subject"], reason, flush=True)
        self.answer(204)

    def answer(self, status: int):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080, help="0 for any; it is printed")
    Receiver.secret = os.environ.get("WEBHOOK_SECRET", "")
    if not Receiver.secret:
        sys.exit("WEBHOOK_SECRET is not set")
    server = ThreadingHTTPServer(("", parser.parse_args().port), Receiver)
    print("listening on port", server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
