"""Verifies evidence files with a trust file, without a network, and prints one JSON line for each.

Needs the package settlement-bus-downstream. The exit status is 0 only when all files are verified. Arguments: the file
of `busbridge trust export --history`, and files of `busbridge evidence export`.
"""

import json
import sys
from pathlib import Path

from settlement_bus_downstream import EvidenceKey, Trust, verify_evidence


def verify(file: str, trust: Trust) -> bool:
    # The digest covers the bytes of the file, so nothing may parse it before.
    result = verify_evidence(Path(file).read_bytes(), trust)
    cause = {} if result.ok else {"reason": result.reason, "detail": result.detail}
    signers = {"bridge": describe(result.origin), "gateway": describe(result.gateway)}
    line = {"file": file, "status": result.status, **cause, "event": result.event_id, "signedBy": signers}
    print(json.dumps({**line, "notProved": result.not_proved, "notes": result.notes}))
    return result.ok


def describe(key: EvidenceKey | None) -> str | None:
    # A fault that the subscriber wrote about itself has no signers.
    if key is None:
        return None
    return f"{key.did}, {key.state}" + (f" since {key.since}" if key.since else "")


if len(sys.argv) < 3:
    sys.exit("Give the path of a trust file and the paths of evidence files.")
trusted = Trust.from_file(sys.argv[1])
verified = [verify(file, trusted) for file in sys.argv[2:]]
sys.exit(0 if all(verified) else 1)
