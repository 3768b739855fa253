import { createAlertRaisedEvent, type AlertReason } from '@ssb/events';
import { OPERATIONS_SINK, type OperatorConfig } from '@ssb/config';
import { findFaultRecipients } from './fault-recipients.js';

const SINKS = [
  { name: 'log', kind: 'log' },
  { name: 'treasury', kind: 'webhook' },
  { name: 'ops', kind: 'webhook' },
];

interface Circumstances {
  readonly operations?: boolean;
  readonly sinks?: typeof SINKS;
  readonly document?: string;
}

function recipients(
  reason: AlertReason,
  routed: readonly string[],
  sinkAtFault?: string,
  { operations = false, sinks = SINKS, document }: Circumstances = {},
) {
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
    {
      ...report,
      ...(sinkAtFault !== undefined && { interface: sinkAtFault }),
      ...(document !== undefined && { document }),
    },
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
    ['ops', OPERATIONS_SINK],
  ],
  ['the only person of the rules', 'sink-failing', ['treasury'], 'treasury', ['log', 'ops', OPERATIONS_SINK]],
  [
    'only the log beside it',
    'delivery-refused',
    ['log', 'treasury'],
    'treasury',
    ['log', 'ops', OPERATIONS_SINK],
  ],
  ['no rule', 'database-unavailable', [], undefined, ['log', 'treasury', 'ops', OPERATIONS_SINK]],
  ['OPERATIONS_WEBHOOK_URL itself', 'sink-failing', ['ops'], OPERATIONS_SINK, ['ops']],
] as const)('%s', (_, reason, routed, sinkAtFault, expected) => {
  expect(recipients(reason, routed, sinkAtFault, { operations: true })).toEqual(expected);
});

it('without OPERATIONS_WEBHOOK_URL it is not named', () => {
  expect(recipients('sink-failing', ['ops'], 'treasury')).toEqual(['ops']);
});

describe('the only sink that reaches a person', () => {
  const only = [
    { name: 'log', kind: 'log' },
    { name: 'treasury', kind: 'webhook' },
  ];

  it('gets a fault of its own', () => {
    expect(recipients('delivery-refused', ['treasury'], 'treasury', { sinks: only })).toEqual([
      'treasury',
      'log',
    ]);
  });

  it('gets no fault about the faults that it refuses', () => {
    const document = 'settlementbus.bridge.alert.raised.v1';
    expect(recipients('delivery-refused', ['treasury'], 'treasury', { sinks: only, document })).toEqual([
      'log',
    ]);
  });
});
