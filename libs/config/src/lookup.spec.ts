import { parseDid } from '@ssb/identity';
import {
  findHeartbeatRoute,
  findParticipant,
  findRoute,
  HEARTBEAT_TYPE,
  isIgnored,
  listChannels,
  listReadChannels,
  listTopics,
} from './lookup.js';
import type { OperatorConfig } from './schema.js';

const settlement = 'settlement.channels.bridge.apps.participant.iam.market';
const prudential = 'prudential.channels.bridge.apps.participant.iam.market';
const [gateway, origin] = [
  parseDid(`did:ethr:0x${'1'.repeat(40)}`),
  parseDid(`did:ethr:0x${'2'.repeat(40)}`),
];
const config: OperatorConfig = {
  participants: [{ code: 'WPGENCO', margin: { warning: '2.00', breach: '0.00', hysteresis: '0.50' } }],
  routes: [
    { types: ['settlementbus.statement.*'], channel: settlement, maxMessageBytes: 1_048_576 },
    { types: ['settlementbus.margin.*'], channel: prudential, topic: 'margin', maxMessageBytes: 8_192 },
  ],
  ignore: [],
  senders: [{ channel: settlement, gateways: [gateway], origins: [origin] }],
  alerts: {
    sinks: [{ name: 'log', kind: 'log' }],
    rules: [],
  },
};

it('findRoute returns the channel; the topic is the type without its prefix unless the route names one', () => {
  expect(findRoute(config, 'settlementbus.statement.published.v1')).toEqual({
    channel: settlement,
    topic: 'statement.published.v1',
    maxMessageBytes: 1_048_576,
  });
  expect(findRoute(config, 'settlementbus.margin.breached.v1')).toEqual({
    channel: prudential,
    topic: 'margin',
    maxMessageBytes: 8_192,
  });
  expect(findRoute(config, 'settlementbus.invoice.issued.v1')).toBeUndefined();
});

it('isIgnored compares with each pattern of ignore', () => {
  const ignoring = { ...config, ignore: ['settlementbus.invoice.*'] };
  expect(isIgnored(ignoring, 'settlementbus.invoice.issued.v1')).toBe(true);
  expect(isIgnored(ignoring, 'settlementbus.margin.warning.v1')).toBe(false);
});

it('a heartbeat has the route of its channel', () => {
  expect(findRoute(config, HEARTBEAT_TYPE)).toBeUndefined();
  expect(findHeartbeatRoute(config, prudential)).toEqual({
    channel: prudential,
    topic: 'bridge.heartbeat.v1',
    maxMessageBytes: 8_192,
  });
  expect(findHeartbeatRoute(config, 'other')).toBeUndefined();
  expect(listChannels(config)).toEqual([settlement, prudential]);
});

it('listTopics names the topics of all routes with their types, and those of the heartbeats', () => {
  expect(listTopics({ ...config, routes: config.routes.slice(1) })).toEqual([
    { channel: prudential, topic: 'margin', type: 'settlementbus.margin.warning.v1' },
    { channel: prudential, topic: 'margin', type: 'settlementbus.margin.breached.v1' },
    { channel: prudential, topic: 'margin', type: 'settlementbus.margin.restored.v1' },
    { channel: prudential, topic: 'margin', type: 'settlementbus.margin.breach-forecast.v1' },
    { channel: prudential, topic: 'margin', type: 'settlementbus.margin.forecast-cleared.v1' },
    { channel: prudential, topic: 'bridge.heartbeat.v1', type: HEARTBEAT_TYPE },
  ]);
});

it('findParticipant returns what the file has about a participant that it names', () => {
  expect(findParticipant(config, 'WPGENCO')?.margin?.breach).toBe('0.00');
  expect(findParticipant(config, 'OTHER')).toBeUndefined();
});

it('listReadChannels has the channels of routes and of senders, each once', () => {
  const former = { channel: 'former', gateways: [gateway], origins: [origin] };
  expect(listReadChannels({ ...config, senders: [...config.senders, former] })).toEqual([
    settlement,
    prudential,
    'former',
  ]);
});
