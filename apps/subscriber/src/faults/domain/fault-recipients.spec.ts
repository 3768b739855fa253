import { createAlertRaisedEvent, type AlertReason } from '@ssb/events';
import type { OperatorConfig } from '@ssb/config';
import { findFaultRecipients, OPERATIONS_SINK } from './fault-recipients.js';

function recipients(reason: AlertReason, routed: readonly string[], sinkAtFault?: string, operations = true) {
  const sinks = [
    { name: 'log', kind: 'log' },
    { name: 'treasury', kind: 'webhook' },
    { name: 'ops', kind: 'webhook' },
  ];
  const config = { alerts: { sinks, rules: [] } };
  const report = {
    app: 'subscriber',
    reason,
    participant: '*',
    since: new Date(0),
    count: 1,
    sequence: 1,
  } as const;
  const event = createAlertRaisedEvent(
    { ...report, ...(sinkAtFault !== undefined && { interface: sinkAtFault }) },
    { detectedAt: new Date(0), traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` },
  );
  return findFaultRecipients(config as unknown as OperatorConfig, event, routed, operations);
}

it.each([
  ['another fault: those of the rules', 'heartbeat-missing', ['treasury'], undefined, ['treasury']],
  [
    'a failing sink beside another person',
    'sink-failing',
    ['treasury', 'ops'],
    'treasury',
    ['treasury', 'ops', OPERATIONS_SINK],
  ],
  [
    'the only person of the rules',
    'sink-failing',
    ['treasury'],
    'treasury',
    ['treasury', 'log', 'ops', OPERATIONS_SINK],
  ],
  [
    'only the log beside it',
    'delivery-refused',
    ['log', 'treasury'],
    'treasury',
    ['log', 'treasury', 'ops', OPERATIONS_SINK],
  ],
  ['no rule', 'database-unavailable', [], undefined, ['log', 'treasury', 'ops', OPERATIONS_SINK]],
  ['OPERATIONS_WEBHOOK_URL itself', 'sink-failing', ['ops'], OPERATIONS_SINK, ['ops']],
] as const)('%s', (_, reason, routed, sinkAtFault, expected) => {
  expect(recipients(reason, routed, sinkAtFault)).toEqual(expected);
});

it('without OPERATIONS_WEBHOOK_URL it is not named', () => {
  expect(recipients('sink-failing', ['ops'], 'treasury', false)).toEqual(['ops']);
});
