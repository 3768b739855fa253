import { ALERT, DETECTION, DOCUMENT_ALERT, HEARTBEAT } from '../test/sample-events.js';
import { ALERT_REASONS } from './types/alert-reasons.js';
import { createAlertClearedEvent, createAlertRaisedEvent, createHeartbeatEvent } from './bridge-events.js';
import { alertSubject } from './types/bridge-alert.js';

it('an alert names app, reason, participant, channel, sender, count, since and action', () => {
  const { sequence, participant, ...fault } = ALERT;
  expect(createAlertRaisedEvent(ALERT, DETECTION)).toMatchObject({
    type: 'settlementbus.bridge.alert.raised.v1',
    participant,
    subject: `ALPHA/bridge/subscriber/message-quarantined/${ALERT.channel}/${ALERT.sender}`,
    sequence: String(sequence).padStart(20, '0'),
    // 02:15:31.007 UTC.
    time: '2026-03-02T10:15:31.007+08:00',
    data: {
      ...fault,
      since: '2026-03-02T02:10:00.000Z',
      action: ALERT_REASONS['message-quarantined'].action,
      severity: 'warning',
    },
  });
});

it('each report of a fault has its own id', () => {
  const events = [ALERT, { ...ALERT, sequence: ALERT.sequence + 1 }].map((report) =>
    createAlertRaisedEvent(report, DETECTION),
  );
  expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  expect(createAlertClearedEvent(ALERT, DETECTION).data.clearedAt).toBe('2026-03-02T02:15:31.007Z');
});

it('the subject leaves out what the alert does not have', () => {
  expect(alertSubject({ app: 'poller', reason: 'clock-offset', participant: '*' })).toBe(
    '*/bridge/poller/clock-offset',
  );
});

it('the subject and the id tell interfaces and documents apart', () => {
  const plain = { ...DOCUMENT_ALERT, interface: undefined, document: undefined };
  const alerts = [plain, { ...DOCUMENT_ALERT, document: undefined }, DOCUMENT_ALERT];
  const events = alerts.map((report) => createAlertRaisedEvent(report, DETECTION));
  expect(events.map(({ subject }) => subject)).toEqual([
    'ALPHA/bridge/poller/operator-response-unusable',
    'ALPHA/bridge/poller/operator-response-unusable/prudential',
    'ALPHA/bridge/poller/operator-response-unusable/prudential/calculation 2026-03-02T10:00:00 of 2026-03-02',
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(3);
  // Interface and document are part of the id only where an alert has them.
  expect(events[0]?.id).toBe('42b289b3-0dd2-4426-8922-eb34b8a6eb9d');
  expect(events[2]?.data).toMatchObject({ interface: 'prudential', document: DOCUMENT_ALERT.document });
});

it('a heartbeat has its own id for each participant, channel and time', () => {
  const later = { ...DETECTION, detectedAt: new Date(DETECTION.detectedAt.getTime() + 60_000) };
  const ids = [
    createHeartbeatEvent(HEARTBEAT, DETECTION),
    createHeartbeatEvent({ ...HEARTBEAT, participant: 'BETA' }, DETECTION),
    createHeartbeatEvent({ ...HEARTBEAT, channel: 'other' }, DETECTION),
    createHeartbeatEvent(HEARTBEAT, later),
  ].map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
});
