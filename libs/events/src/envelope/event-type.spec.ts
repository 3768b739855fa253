import { EVENT_TYPES, isEventType, TOPIC_OF } from './event-type.js';

it('has a topic for every type, the type without its first word', () => {
  expect(TOPIC_OF).toEqual({
    'settlementbus.statement.published.v1': 'statement.published.v1',
    'settlementbus.invoice.issued.v1': 'invoice.issued.v1',
    'settlementbus.margin.warning.v1': 'margin.warning.v1',
    'settlementbus.margin.breached.v1': 'margin.breached.v1',
    'settlementbus.margin.restored.v1': 'margin.restored.v1',
  });
});

describe('isEventType', () => {
  it.each(EVENT_TYPES)('%s is one', (type) => {
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
  ])('%p is none', (value) => {
    expect(isEventType(value)).toBe(false);
  });
});
