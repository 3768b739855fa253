import { createFactEvent } from '../event.js';
import { findForeignAttribute } from '../stated-identity.js';
import { DETECTION, PARTICIPANT } from '../testing/sample-events.js';
import { MARGIN_LEVELS, marginEventType, type MarginData, type MarginLevel } from './margin.js';

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

describe('a margin of release 0.1, whose data have no digest', () => {
  const EARLIER: MarginData = {
    tradingDay: '2026-03-02T00:00:00',
    calculatedAt: '2026-03-02T10:15:30.250',
    level: 'WARNING',
    previousLevel: 'OK',
    tradingMargin: '249999.99999999',
    outstandingAmount: '750000.00000001',
    thresholds: { warning: '250000', breach: '100000', hysteresis: '10000' },
  };

  it.each<[MarginLevel, MarginLevel, string]>([
    ['OK', 'WARNING', '0e881d80-ec9d-424f-9c72-d500ffaebb40'],
    ['WARNING', 'BREACHED', 'd5f4ca38-2ddf-4ae9-987d-6a3d6ffb4999'],
    ['BREACHED', 'OK', '8ca6526c-122b-4af9-9e25-27575f9c6449'],
  ])('keeps its id for a change from %s to %s', (previousLevel, level, id) => {
    const data = { ...EARLIER, previousLevel, level };
    const event = createFactEvent(
      { type: marginEventType(previousLevel, level), data },
      PARTICIPANT,
      DETECTION,
    );
    expect(event).toMatchObject({ id, subject: 'ALPHA/prudential', time: '2026-03-02T10:15:30.250+08:00' });
    // Its sequence was the time in milliseconds.
    const queued = { ...event, sequence: '00000001772417730250' };
    expect(findForeignAttribute(queued)).toBeUndefined();
    expect(event.sequence > queued.sequence).toBe(true);
  });
});
