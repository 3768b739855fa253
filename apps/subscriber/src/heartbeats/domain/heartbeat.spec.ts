import type { SignedEvent } from '@ssb/events';
import type { OperatorConfig } from '@ssb/config';
import { readHeartbeat, readTestHeartbeat } from './heartbeat.js';

const config = {
  participants: [{ code: 'WPGENCO' }],
  routes: [{ channel: 'c' }],
} as unknown as OperatorConfig;

const heartbeat = (data: object): SignedEvent =>
  ({
    type: 'settlementbus.bridge.heartbeat.v1',
    participant: 'WPGENCO',
    channel: 'c',
    time: '2026-03-02T09:00:00.123+08:00',
    data: { polls: { prudential: { intervalMs: 1 }, settlement: { intervalMs: 1 } }, ...data },
  }) as unknown as SignedEvent;

it('a heartbeat of a test does not count as one of the poller', () => {
  const at = new Date('2026-03-02T01:00:00.123Z');
  expect(readHeartbeat(heartbeat({}), config)?.at).toEqual(at);
  expect(readTestHeartbeat(heartbeat({}), config)).toBeUndefined();
  expect(readHeartbeat(heartbeat({ test: true }), config)).toBeUndefined();
  expect(readTestHeartbeat(heartbeat({ test: true }), config)).toEqual(at);
});
