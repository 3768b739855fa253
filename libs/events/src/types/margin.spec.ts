import { DETECTION, MARGIN } from '../testing/sample-events.js';
import { MARGIN_LEVELS, createMarginEvent, marginEventType, type MarginLevel } from './margin.js';

describe('marginEventType', () => {
  it.each<[MarginLevel, MarginLevel, string]>([
    ['OK', 'WARNING', 'settlementbus.margin.warning.v1'],
    ['OK', 'BREACHED', 'settlementbus.margin.breached.v1'],
    ['WARNING', 'BREACHED', 'settlementbus.margin.breached.v1'],
    ['WARNING', 'OK', 'settlementbus.margin.restored.v1'],
    ['BREACHED', 'WARNING', 'settlementbus.margin.restored.v1'],
    ['BREACHED', 'OK', 'settlementbus.margin.restored.v1'],
  ])('gives for %s to %s the type %s', (previous, level, expected) => {
    expect(marginEventType(previous, level)).toBe(expected);
  });

  it.each(MARGIN_LEVELS)('throws when the level stays %s', (level) => {
    expect(() => marginEventType(level, level)).toThrow(RangeError);
  });
});

describe('createMarginEvent', () => {
  it('puts the fact into its envelope', () => {
    const { participant, ...data } = MARGIN;
    expect(createMarginEvent(MARGIN, DETECTION)).toEqual({
      specversion: '1.0',
      id: '0e881d80-ec9d-424f-9c72-d500ffaebb40',
      type: 'settlementbus.margin.warning.v1',
      source: 'urn:settlement-bus-bridge:ALPHA',
      subject: 'ALPHA/prudential',
      time: '2026-03-02T10:15:30.250+08:00',
      datacontenttype: 'application/json',
      dataschema: 'urn:settlement-bus-bridge:schema:settlementbus.margin.warning.v1',
      participant,
      // The milliseconds since 1970 of 02:15:30.250 UTC.
      sequence: '00000001772417730250',
      traceparent: DETECTION.traceparent,
      detectedat: '2026-03-02T02:15:31.007Z',
      data,
    });
  });

  it.each<[MarginLevel, MarginLevel, string]>([
    ['WARNING', 'BREACHED', 'd5f4ca38-2ddf-4ae9-987d-6a3d6ffb4999'],
    ['BREACHED', 'OK', '8ca6526c-122b-4af9-9e25-27575f9c6449'],
  ])('gives its own id for a change from %s to %s in the same calculation', (previousLevel, level, id) => {
    expect(createMarginEvent({ ...MARGIN, previousLevel, level }, DETECTION).id).toBe(id);
  });

  it.each([
    ['trading day', { tradingDay: '2026-03-03T00:00:00' }],
    ['calculation', { calculatedAt: '2026-03-02T10:15:30.251' }],
    ['participant', { participant: 'BETA' }],
  ])('gives another id for another %s', (_, change) => {
    const ids = [MARGIN, { ...MARGIN, ...change }].map((fact) => createMarginEvent(fact, DETECTION).id);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('has a sequence whose text order is the order of the calculation times', () => {
    const times = [
      '0001-01-01T00:00:00',
      '1999-12-31T23:59:59',
      '2001-09-09T01:46:39.999',
      '2001-09-09T01:46:40',
      '2026-03-02T10:15:30',
      '2026-03-02T10:15:30.001',
      '2026-03-03T00:00:00',
    ];
    const sequences = times.map(
      (calculatedAt) => createMarginEvent({ ...MARGIN, calculatedAt }, DETECTION).sequence,
    );
    expect(sequences.toReversed().sort()).toEqual(sequences);
    expect(sequences.every((sequence) => /^\d{20}$/.test(sequence))).toBe(true);
  });

  it('throws for an invalid calculation time', () => {
    expect(() => createMarginEvent({ ...MARGIN, calculatedAt: 'never' }, DETECTION)).toThrow(RangeError);
  });
});
