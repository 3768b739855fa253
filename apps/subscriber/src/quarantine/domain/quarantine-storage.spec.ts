import {
  hasRoom,
  planStoredBytes,
  type QuarantinedPayload,
  type QuarantineUse,
} from './quarantine-storage.js';

const KIB = 1024;
const MAX = 1000 * KIB;
const GENUINE: QuarantinedPayload = { bytes: 100 * KIB, reevaluable: true, trusted: true };
const use = (trusted: number, untrusted: number): QuarantineUse => ({
  trustedBytes: trusted * KIB,
  untrustedBytes: untrusted * KIB,
});

it.each<[string, Partial<QuarantinedPayload>, QuarantineUse, number]>([
  ['whole while there is room', {}, use(500, 400), 100],
  ['not at all without room', {}, use(501, 400), 0],
  ['not at all without room, although it is short', { bytes: 10 * KIB }, use(600, 395), 0],
  ['shortened when no evaluation can accept it', { reevaluable: false }, use(0, 0), 64],
  ['whole when it is short', { bytes: 10 * KIB, reevaluable: false }, use(0, 0), 10],
  ['whole for an unknown sender up to half of the limit', { trusted: false }, use(0, 400), 100],
  ['not at all for an unknown sender beyond half of the limit', { trusted: false }, use(0, 401), 0],
  ['not at all for an unknown sender beyond the limit', { trusted: false }, use(950, 0), 0],
  ['whole for a trusted sender, although unknown ones use their half', {}, use(0, 500), 100],
  ['whole for an unknown sender, although trusted ones use half', { trusted: false }, use(500, 0), 100],
])('a payload is stored %s', (_, change, stored, kib) => {
  const plan = planStoredBytes([{ ...GENUINE, ...change }], stored, MAX);
  expect(plan).toEqual({ stored: [kib * KIB], isFull: kib === 0 });
});

it('never stores more than the limit, and keeps half of it for trusted senders', () => {
  const unknown = { ...GENUINE, bytes: 60 * KIB, trusted: false };
  const plan = planStoredBytes(
    [...Array<QuarantinedPayload>(20).fill(unknown), GENUINE],
    use(0, 0),
    250 * KIB,
  );
  expect(plan.stored.filter((bytes) => bytes > 0)).toEqual([60 * KIB, 60 * KIB, 100 * KIB]);
});

it('has room again below nine tenths of both limits', () => {
  expect(hasRoom(use(460, 439), MAX)).toBe(true);
  expect(hasRoom(use(0, 450), MAX)).toBe(false);
  expect(hasRoom(use(900, 0), MAX)).toBe(false);
  expect(hasRoom(use(0, 0), 0)).toBe(false);
});
