import { describeType, matchesType, shortType } from './event-type.js';

it('names types in plain words', () => {
  expect(describeType('settlementbus.margin.breached.v1')).toBe('Margin breached');
  expect(describeType('settlementbus.new.kind.v2')).toBe('new.kind');
  expect(shortType('settlementbus.bridge.alert.raised.v1')).toBe('bridge.alert.raised');
});

it.each([
  ['margin.breached', true],
  ['settlementbus.margin.breached.v1', true],
  ['margin.*', true],
  ['*', true],
  ['m*.b*d', true],
  ['margin', false],
  ['marginXbreached', false],
  ['margin.breach', false],
])('%s matches margin.breached: %s', (pattern, expected) => {
  expect(matchesType(pattern, 'settlementbus.margin.breached.v1')).toBe(expected);
});
