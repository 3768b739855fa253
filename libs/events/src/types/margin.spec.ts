import { MARGIN_LEVELS, marginEventType, type MarginLevel } from './margin.js';

describe('marginEventType', () => {
  it.each<[MarginLevel, MarginLevel, string]>([
    ['OK', 'WARNING', 'settlementbus.margin.warning.v1'],
    ['OK', 'BREACHED', 'settlementbus.margin.breached.v1'],
    ['WARNING', 'BREACHED', 'settlementbus.margin.breached.v1'],
    ['BREACHED', 'BREACHED', 'settlementbus.margin.breached.v1'],
    ['WARNING', 'OK', 'settlementbus.margin.restored.v1'],
    ['BREACHED', 'WARNING', 'settlementbus.margin.restored.v1'],
    ['BREACHED', 'OK', 'settlementbus.margin.restored.v1'],
  ])('gives for %s to %s the type %s', (previous, level, expected) => {
    expect(marginEventType(previous, level)).toBe(expected);
  });

  it.each(MARGIN_LEVELS.filter((level) => level !== 'BREACHED'))(
    'throws when the level stays %s',
    (level) => {
      expect(() => marginEventType(level, level)).toThrow(RangeError);
    },
  );
});
