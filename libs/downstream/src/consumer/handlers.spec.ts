import { EVENT_TYPES, type EventDataByType } from '@ssb/events';
import { Handlers, UnknownEventNameError, type EventOf, type TypesOf } from './handlers.js';

const namesOf = (pattern: string): string[] => {
  const handlers = new Handlers<object>();
  handlers.add(pattern, () => undefined);
  return EVENT_TYPES.filter((type) => handlers.of(type).length === 1);
};

it.each([
  ['margin.breached', ['settlementbus.margin.breached.v1']],
  ['settlementbus.margin.breached.v1', ['settlementbus.margin.breached.v1']],
  ['margin.breach*', ['settlementbus.margin.breached.v1', 'settlementbus.margin.breach-forecast.v1']],
  [
    'settlementbus.bridge.alert.*',
    ['settlementbus.bridge.alert.raised.v1', 'settlementbus.bridge.alert.cleared.v1'],
  ],
  ['*.overdue', ['settlementbus.statement.overdue.v1', 'settlementbus.invoice.overdue.v1']],
  ['*', [...EVENT_TYPES]],
])('%s selects its types', (pattern, types) => {
  expect(namesOf(pattern)).toEqual(types);
});

it.each(['margin.breachd', 'margin', '', 'settlementbus.margin.breached', 'nothing.*', 'constructor'])(
  'refuses %p, which selects no type',
  (pattern) => {
    expect(() => namesOf(pattern)).toThrow(UnknownEventNameError);
  },
);

it('keeps the order in which handlers were added', () => {
  const handlers = new Handlers<object>();
  const [first, second] = [() => undefined, () => undefined];
  handlers.add('margin.*', first);
  handlers.add('margin.breached', second);
  expect(handlers.of('settlementbus.margin.breached.v1')).toEqual([first, second]);
  expect(handlers.of('settlementbus.margin.restored.v1')).toEqual([first]);
});

it('has the types of its events', () => {
  type Same<A, B> = [A, B] extends [B, A] ? true : false;
  const checks: [
    Same<TypesOf<'margin.breached'>, 'settlementbus.margin.breached.v1'>,
    Same<
      TypesOf<'bridge.alert.*'>,
      'settlementbus.bridge.alert.raised.v1' | 'settlementbus.bridge.alert.cleared.v1'
    >,
    Same<EventOf<'settlementbus.payment.due.v1'>['data'], EventDataByType['settlementbus.payment.due.v1']>,
  ] = [true, true, true];
  expect(checks).toHaveLength(3);
});
