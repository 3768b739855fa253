import type { DetectedEvent } from '@ssb/events';
import { KeyRing, type KeyVersion } from '@ssb/keys';
import { transactionId } from './transaction-id.js';

const ID = '780c3e8d-633e-4c3e-b6ca-ef014bc16af3';
// Python: uuid.UUID(bytes=hmac.new(secret, id, hashlib.sha256).digest()[:16], version=4).
const WITH_FIRST = '604d88a3-548e-4234-bfa2-bf2b5179ab56';
const WITH_SECOND = '3a6696e6-451a-491a-b2fb-f79414502506';
const OTHER_ID_WITH_FIRST = '7bea89bc-c476-42ba-8265-3b51f15322fc';

const first: KeyVersion = {
  version: 1,
  activeFrom: new Date('2026-03-01T00:00:00Z'),
  secret: 'first secret of thirty-two letters',
};
const second: KeyVersion = {
  version: 2,
  activeFrom: new Date('2026-03-02T00:00:00Z'),
  secret: 'second secret of thirty-two letters',
};
const [before, overlap, after] = [[first], [first, second], [second]].map((keys) => new KeyRing(keys));

/** Times in UTC. */
function idOf(keys: KeyRing | undefined, time: string, detectedat = '2026-03-05T00:00:00.000Z', id = ID) {
  if (keys === undefined) throw new Error('no keys');
  const event = { id, time: `${time}Z`, detectedat } as DetectedEvent;
  return transactionId(event, keys);
}

it('is the HMAC of the event id with the key of the time of the fact', () => {
  expect(idOf(before, '2026-03-01T12:00:00')).toBe(WITH_FIRST);
  expect(idOf(overlap, '2026-03-01T23:59:59.999')).toBe(WITH_FIRST);
  expect(idOf(overlap, '2026-03-02T00:00:00')).toBe(WITH_SECOND);
  expect(idOf(before, '2026-03-01T12:00:00', undefined, '7db4121a-e0e8-4cd7-acc6-739066dffc9d')).toBe(
    OTHER_ID_WITH_FIRST,
  );
});

it('stays the same during a rotation, also for a fact that is detected again after it', () => {
  const detections = ['2026-03-01T12:00:01.000Z', '2026-03-09T00:00:00.000Z'];
  for (const detectedat of detections)
    for (const keys of [before, overlap])
      expect(idOf(keys, '2026-03-01T12:00:00', detectedat)).toBe(WITH_FIRST);
});

it('stays the same for each attempt of a fact whose time lies ahead', () => {
  const detectedat = '2026-03-01T18:00:00.000Z';
  for (const keys of [before, overlap])
    expect(idOf(keys, '2026-03-09T00:00:00', detectedat)).toBe(WITH_FIRST);
});

it('changes for older facts when their key is removed', () => {
  expect(idOf(after, '2026-03-01T12:00:00')).toBe(WITH_SECOND);
});

it('is made with the oldest key when the operator sends no valid time', () => {
  expect(idOf(overlap, 'at noon')).toBe(WITH_FIRST);
});
