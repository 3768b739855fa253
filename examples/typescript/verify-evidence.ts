/*
 * Verifies evidence files with a trust file, without a network, and prints a JSON line for each. The exit status is 0 only when all are verified.
 *
 * Arguments: the file of `busbridge trust export --history`, and files of `busbridge evidence export`.
 */
import { readFileSync } from 'node:fs';
import { Trust, verifyEvidence, type EvidenceKey } from 'settlement-bus-downstream';

const [trustFile, ...evidenceFiles] = process.argv.slice(2);
if (trustFile === undefined || evidenceFiles.length === 0)
  throw new Error('Give the path of a trust file and the paths of evidence files.');
const trust = Trust.fromFile(trustFile);

for (const file of evidenceFiles) {
  // The digest covers the bytes of the file, so nothing may parse it before.
  const result = verifyEvidence(readFileSync(file), { trust });
  const { status } = result;
  if (!result.ok) process.exitCode = 1;
  if (result.status === 'invalid') {
    print({ file, status, reason: result.reason, detail: result.detail });
    continue;
  }
  const { eventId: event, gateway, origin, notProved, notes } = result;
  const signedBy = { bridge: describe(origin), gateway: describe(gateway) };
  const cause = result.ok ? {} : { reason: result.reason, detail: result.detail };
  print({ file, status, ...cause, event, signedBy, notProved, notes });
}

/** A fault that the subscriber wrote about itself has no signers. */
function describe(key: EvidenceKey | undefined): string | undefined {
  if (key === undefined) return undefined;
  return key.since === undefined ? `${key.did}, ${key.state}` : `${key.did}, ${key.state} since ${key.since}`;
}

function print(line: object): void {
  console.log(JSON.stringify(line));
}
