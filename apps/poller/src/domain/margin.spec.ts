import type { MarginLevel } from '@ssb/events';
import { parseDecimal, parseMarketDateTime } from '@ssb/market';
import {
  decideMargin,
  decideMarginAgain,
  marginLevel,
  type MarginFigures,
  type MarginState,
} from './margin.js';

const THRESHOLDS = {
  warning: parseDecimal('250000.00'),
  breach: parseDecimal('100000.00'),
  hysteresis: parseDecimal('10000.00'),
};

describe('marginLevel', () => {
  it.each<[MarginLevel, string, MarginLevel]>([
    // From OK: the thresholds themselves, to the last digit.
    ['OK', '250000', 'OK'],
    ['OK', '249999.99999999', 'WARNING'],
    ['OK', '100000.00000000', 'WARNING'],
    ['OK', '99999.99999999', 'BREACHED'],
    ['OK', '-1', 'BREACHED'],
    // From WARNING: left upwards only at 260,000.
    ['WARNING', '250000', 'WARNING'],
    ['WARNING', '259999.99999999', 'WARNING'],
    ['WARNING', '260000', 'OK'],
    ['WARNING', '100000', 'WARNING'],
    ['WARNING', '99999.99', 'BREACHED'],
    // From BREACHED: WARNING from 110,000, OK only from 260,000.
    ['BREACHED', '100000', 'BREACHED'],
    ['BREACHED', '109999.99999999', 'BREACHED'],
    ['BREACHED', '110000', 'WARNING'],
    ['BREACHED', '249999.99', 'WARNING'],
    ['BREACHED', '250000', 'WARNING'],
    ['BREACHED', '259999.99999999', 'WARNING'],
    ['BREACHED', '260000', 'OK'],
  ])('from %s at %s is %s', (previous, margin, expected) => {
    expect(marginLevel(parseDecimal(margin), previous, THRESHOLDS)).toBe(expected);
  });

  it('distinguishes amounts that are equal as doubles', () => {
    // As doubles both are 123456789012345.67.
    const thresholds = {
      warning: parseDecimal('900000000000000'),
      breach: parseDecimal('123456789012345.67890123'),
      hysteresis: parseDecimal('0'),
    };
    expect(marginLevel(parseDecimal('123456789012345.67890122'), 'OK', thresholds)).toBe('BREACHED');
    expect(marginLevel(parseDecimal('123456789012345.67890123'), 'OK', thresholds)).toBe('WARNING');
  });
});

/** 12:00 market time. */
const NOON = new Date('2026-03-02T04:00:00Z');

describe('decideMargin', () => {
  const at = (time: string) => parseMarketDateTime(`2026-03-02T${time}`);
  const figures = (calculatedAt: string, margin: string): MarginFigures => ({
    tradingDay: parseMarketDateTime('2026-03-02T00:00:00'),
    calculatedAt: at(calculatedAt),
    tradingMargin: parseDecimal(margin),
  });
  const state = (level: MarginLevel, calculatedAt = '09:00:00'): MarginState => ({
    level,
    calculatedAt: at(calculatedAt),
  });

  it.each<[string, MarginState | undefined, MarginFigures, object]>([
    [
      'the same calculation with another margin',
      state('OK'),
      figures('09:00:00', '1'),
      { kind: 'not-newer' },
    ],
    ['an older calculation', state('OK'), figures('08:59:59', '1'), { kind: 'not-newer' }],
    [
      'a new calculation with the same level',
      state('OK'),
      figures('10:00:00', '300000'),
      { kind: 'unchanged', state: state('OK', '10:00:00') },
    ],
    [
      'OK straight to BREACHED',
      state('OK'),
      figures('10:00:00', '1'),
      { kind: 'changed', state: state('BREACHED', '10:00:00'), previousLevel: 'OK' },
    ],
    [
      'BREACHED to WARNING',
      state('BREACHED'),
      figures('10:00:00', '120000'),
      { kind: 'changed', state: state('WARNING', '10:00:00'), previousLevel: 'BREACHED' },
    ],
    [
      'BREACHED straight to OK',
      state('BREACHED'),
      figures('10:00:00', '300000'),
      { kind: 'changed', state: state('OK', '10:00:00'), previousLevel: 'BREACHED' },
    ],
    [
      'no saved state, below the breach',
      undefined,
      figures('10:00:00', '1'),
      { kind: 'changed', state: state('BREACHED', '10:00:00'), previousLevel: 'OK' },
    ],
    [
      'no saved state, above the warning',
      undefined,
      figures('10:00:00', '300000'),
      { kind: 'unchanged', state: state('OK', '10:00:00') },
    ],
  ])('%s', (_, previous, next, expected) => {
    expect(decideMargin(previous, next, THRESHOLDS, NOON)).toEqual(expected);
  });

  it.each([
    ['an hour ahead is saved as it is', '13:00:00', '13:00:00'],
    ['more than an hour ahead is saved with the current time', '13:00:01', '12:00:00'],
  ])('a calculation %s', (_, calculatedAt, saved) => {
    const decision = decideMargin(state('OK'), figures(calculatedAt, '1'), THRESHOLDS, NOON);
    expect(decision).toMatchObject({ kind: 'changed', state: state('BREACHED', saved) });
  });

  it('a calculation from the future does not hide the breach after it', () => {
    const future = {
      ...figures('10:00:00', '300000'),
      calculatedAt: parseMarketDateTime('9999-12-31T23:59:59'),
    };
    const first = decideMargin(state('OK'), future, THRESHOLDS, NOON);
    const saved = first.kind === 'not-newer' ? undefined : first.state;
    const next = decideMargin(saved, figures('12:00:01', '1'), THRESHOLDS, NOON);
    expect(next).toMatchObject({ kind: 'changed', state: { level: 'BREACHED' } });
  });

  it.each([
    ['creates the event of a level again, which may be lost', state('BREACHED', '10:00:00'), '1', 'changed'],
    ['creates the event of a recovery', state('BREACHED'), '300000', 'changed'],
    ['creates no event of a margin that stays OK', state('OK', '10:00:00'), '300000', 'unchanged'],
    ['detects a breach without knowledge', undefined, '1', 'changed'],
  ])('without trust in the saved state %s', (_, known, margin, kind) => {
    expect(decideMarginAgain(known, figures('10:00:00', margin), THRESHOLDS, NOON)).toMatchObject({ kind });
  });
});
