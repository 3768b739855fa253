import { EVENT_TYPES } from './envelope/event-type.js';
import { precedenceOf } from './precedence.js';

it('margin and credit come before faults, faults before other facts, heartbeats and backfilled facts last', () => {
  const typesOf = (precedence: number): string[] =>
    EVENT_TYPES.filter((type) => precedenceOf({ type }) === precedence).map((type) =>
      type.replace(/^settlementbus\.|\.v1$/g, ''),
    );
  expect(typesOf(0)).toEqual([
    'margin.warning',
    'margin.breached',
    'margin.restored',
    'margin.breach-forecast',
    'margin.forecast-cleared',
    'credit-support.short',
    'credit-support.restored',
  ]);
  expect(typesOf(1)).toEqual([
    'position.stale',
    'position.resumed',
    'market.unreachable',
    'market.recovered',
    'bridge.alert.raised',
    'bridge.alert.cleared',
  ]);
  expect(typesOf(3)).toEqual(['bridge.heartbeat']);
  expect(precedenceOf({ type: 'settlementbus.margin.breached.v1', backfilled: true })).toBe(3);
});
