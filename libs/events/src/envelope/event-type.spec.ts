import { EVENT_TYPES, isEventType, TOPIC_BY_EVENT_TYPE } from './event-type.js';

it.each([
  ['settlementbus.statement.published.v1', 'statement.published.v1'],
  ['settlementbus.margin.breach-forecast.v1', 'margin.breach-forecast.v1'],
  ['settlementbus.bridge.heartbeat.v1', 'bridge.heartbeat.v1'],
] as const)('the default topic of %s is the type without its prefix', (type, topic) => {
  expect(TOPIC_BY_EVENT_TYPE[type]).toBe(topic);
});

it('each type has a topic of its own', () => {
  expect(new Set(Object.values(TOPIC_BY_EVENT_TYPE)).size).toBe(EVENT_TYPES.length);
  expect(EVENT_TYPES).toHaveLength(26);
});

it('isEventType accepts the types of the catalogue and nothing else', () => {
  const others = [
    'settlementbus.statement.published.v2',
    'statement.published.v1',
    'Settlementbus.statement.published.v1',
    ' settlementbus.statement.published.v1',
    '',
    'constructor',
    undefined,
    null,
    0,
    ['settlementbus.statement.published.v1'],
  ];
  expect([...EVENT_TYPES, ...others].filter(isEventType)).toEqual(EVENT_TYPES);
});
