import { EVENT_TYPES, isEventType, matchesPattern, TOPIC_BY_EVENT_TYPE } from './event-type.js';

it('each type has a topic of its own: the type without its prefix', () => {
  expect(TOPIC_BY_EVENT_TYPE['settlementbus.margin.breach-forecast.v1']).toBe('margin.breach-forecast.v1');
  expect(new Set(Object.values(TOPIC_BY_EVENT_TYPE)).size).toBe(EVENT_TYPES.length);
  expect(EVENT_TYPES).toHaveLength(29);
});

it('isEventType accepts the types of the catalogue and nothing else', () => {
  const type = EVENT_TYPES[0];
  const others = [
    type.replace('v1', 'v2'),
    type.slice(14),
    ` ${type}`,
    '',
    'constructor',
    undefined,
    0,
    [type],
  ];
  expect([...EVENT_TYPES, ...others].filter(isEventType)).toEqual(EVENT_TYPES);
});

describe('matchesPattern', () => {
  it.each([
    ['a.b.v1', 'a.b.v1', true],
    ['a.b.v1', 'a.b.v2', false],
    ['a.*', 'a.b.v1', true],
    ['a.*', 'ab.v1', false],
    ['*.v1', 'a.b.v1', true],
    ['a.*.v1', 'a.b.c.v1', true],
    ['a.*.v1', 'a.v1', false],
    ['*', 'anything', true],
    ['a.*.b.*.c', 'a.x.b.y.c', true],
    ['a*a', 'a', false],
  ])('%s against %s is %s', (pattern, type, expected) => {
    expect(matchesPattern(pattern, type)).toBe(expected);
  });
});
