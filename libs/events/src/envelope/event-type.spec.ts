import { EVENT_TYPES, isEventType, TOPIC_BY_EVENT_TYPE } from './event-type.js';

it('the default topic of a type is the type without its prefix', () => {
  expect(TOPIC_BY_EVENT_TYPE).toEqual({
    'settlementbus.statement.published.v1': 'statement.published.v1',
    'settlementbus.invoice.issued.v1': 'invoice.issued.v1',
    'settlementbus.margin.warning.v1': 'margin.warning.v1',
    'settlementbus.margin.breached.v1': 'margin.breached.v1',
    'settlementbus.margin.restored.v1': 'margin.restored.v1',
    'settlementbus.bridge.alert.raised.v1': 'bridge.alert.raised.v1',
    'settlementbus.bridge.alert.cleared.v1': 'bridge.alert.cleared.v1',
    'settlementbus.bridge.heartbeat.v1': 'bridge.heartbeat.v1',
  });
});

describe('isEventType', () => {
  it.each(EVENT_TYPES)('accepts %s', (type) => {
    expect(isEventType(type)).toBe(true);
  });

  it.each([
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
  ])('refuses %p', (value) => {
    expect(isEventType(value)).toBe(false);
  });
});
