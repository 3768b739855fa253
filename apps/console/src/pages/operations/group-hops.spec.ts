import type { HopStatus } from '../../api/operations.js';
import { certificateTone, groupHops, listCertificates, listFaults, listVersions } from './group-hops.js';

const hop = (app: HopStatus['app'], name: string, more: Partial<HopStatus> = {}): HopStatus => ({
  app,
  name,
  state: 'ok',
  version: '0.1.0',
  checks: [],
  faults: [],
  furtherFaults: 0,
  certificates: [],
  ...more,
});

const fault = (reason: string, since: string): HopStatus['faults'][number] => ({
  reason,
  participant: '*',
  detail: 'out',
  since,
});

const HOPS = [
  hop('subscriber', 'subscriber', {
    version: '0.2.0',
    faults: [fault('sink-failing', '2026-11-30T02:00:00Z')],
  }),
  hop('gateway', 'gateway 1', { certificates: [{ name: 'server', daysLeft: 20 }] }),
  hop('gateway', 'gateway 2'),
  hop('poller', 'poller', {
    faults: [fault('poll-overdue', '2026-11-30T01:00:00Z')],
    certificates: [{ name: 'settlement', participant: 'WPGENCO', daysLeft: -1 }],
  }),
];

it('has the processes in the order in which an event passes them', () => {
  expect(groupHops(HOPS).map(({ app, processes }) => [app, processes.map(({ name }) => name)])).toEqual([
    ['poller', ['poller']],
    ['gateway', ['gateway 1', 'gateway 2']],
    ['subscriber', ['subscriber']],
  ]);
});

it('has the oldest fault and the certificate that expires first at the top', () => {
  expect(listFaults(HOPS).map(({ process, reason }) => [process, reason])).toEqual([
    ['poller', 'poll-overdue'],
    ['subscriber', 'sink-failing'],
  ]);
  expect(listCertificates(HOPS).map(({ process, daysLeft }) => [process, daysLeft])).toEqual([
    ['poller', -1],
    ['gateway 1', 20],
  ]);
});

it('knows which versions run', () => {
  expect([...listVersions(HOPS)]).toEqual([
    ['0.2.0', ['subscriber']],
    ['0.1.0', ['gateway 1', 'gateway 2', 'poller']],
  ]);
});

it.each([
  [-1, 'critical'],
  [6, 'critical'],
  [7, 'warning'],
  [29, 'warning'],
  [30, 'good'],
])('marks a certificate with %i days left as %s', (daysLeft, tone) => {
  expect(certificateTone(daysLeft)).toBe(tone);
});
