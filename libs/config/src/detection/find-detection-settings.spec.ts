import { MARKET_SERVICES } from '@ssb/market';
import type { OperatorConfig, ParticipantConfig } from '../schema.js';
import type { DetectionSettings } from './detection-settings.js';
import { findDetectionSettings, MissingDetectionSettingError } from './find-detection-settings.js';

const margin = { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' };

function configOf(change: Partial<OperatorConfig>): OperatorConfig {
  return {
    participants: [{ code: 'WPGENCO', margin }],
    routes: [],
    ignore: [],
    senders: [],
    alerts: { sinks: [], rules: [] },
    ...change,
  };
}

function find(change: Partial<OperatorConfig>): DetectionSettings {
  const settings = findDetectionSettings(configOf(change), 'WPGENCO');
  if (settings === undefined) throw new Error('the participant is not named');
  return settings;
}

const of = (own: Omit<ParticipantConfig, 'code'>, defaults: OperatorConfig['defaults'] = {}) =>
  find({
    participants: [{ code: 'WPGENCO', ...own }],
    defaults: { ...defaults, margin: { ...margin, ...defaults.margin } },
  });

it('a participant with nothing but thresholds has the defaults', () => {
  expect(find({})).toEqual({
    margin: {
      warning: { kind: 'amount', amount: '250000.00' },
      breach: { kind: 'amount', amount: '0.00' },
      hysteresis: { kind: 'amount', amount: '25000.00' },
      deepeningStep: { kind: 'amount', amount: '100000.00' },
      minDurationMs: 0,
      severity: { warning: 'warning', breached: 'critical', restored: 'info' },
    },
    forecast: { horizonDays: 3, trend: { method: 'linear', calculations: 10, minSpanMs: 21_600_000 } },
    position: { staleAfterMs: 93_600_000, days: [0, 1, 2, 3, 4, 5, 6] },
    settlement: { overdueGraceMs: 3_600_000, estimations: false, markets: MARKET_SERVICES },
    payments: { remindDaysBefore: [5, 1], dayKind: 'calendar', positiveAmount: 'pay' },
    disagreement: {},
    discrepancies: { gstPercent: '10', gstTolerance: '0.01' },
    market: { unreachableAfterMs: 600_000 },
    calendar: { businessDays: [1, 2, 3, 4, 5], holidays: new Set() },
  });
});

it('a key of the participant takes precedence over defaults, and this over the built-in default', () => {
  const { margin: merged, forecast } = of(
    { margin: { breach: '-5%', severity: { breached: 'warning' } }, forecast: { trend: { method: 'none' } } },
    {
      margin: { breach: '2.5%', hysteresis: '1%', severity: { breached: 'info', restored: 'warning' } },
      forecast: { horizonDays: 7, trend: { method: 'linear', calculations: 20, minSpan: '1h' } },
    },
  );
  expect(merged).toEqual({
    warning: { kind: 'amount', amount: '250000.00' },
    breach: { kind: 'share', percent: '-5' },
    hysteresis: { kind: 'share', percent: '1' },
    deepeningStep: { kind: 'amount', amount: '100000.00' },
    minDurationMs: 0,
    severity: { warning: 'warning', breached: 'warning', restored: 'warning' },
  });
  expect(forecast).toEqual({
    horizonDays: 7,
    trend: { method: 'none', calculations: 20, minSpanMs: 3_600_000 },
  });
});

it('a list replaces the list of defaults, and reminders are ordered', () => {
  const payments = { remindDaysBefore: [10], days: 'business' as const };
  expect(of({ payments: { remindDaysBefore: [1, 0, 7] } }, { payments }).payments).toEqual({
    remindDaysBefore: [7, 1, 0],
    dayKind: 'business',
    positiveAmount: 'pay',
  });
  expect(of({ payments: { remindDaysBefore: [] } }, { payments }).payments.remindDaysBefore).toEqual([]);

  const settlement = { markets: ['WEM' as const, 'STEM' as const] };
  expect(of({}, { settlement }).settlement.markets).toEqual(['WEM', 'STEM']);
  expect(of({ settlement: { markets: ['NSTEM'] } }, { settlement }).settlement.markets).toEqual(['NSTEM']);
});

it('windows to dispute a statement are merged by market and designation, with the reminders of the list or their own', () => {
  expect(
    of(
      { disagreement: { markets: { WEM: { ADJ1: { businessDays: 10, remind: [1, 3] } } } } },
      { disagreement: { remind: [1, 7], markets: { WEM: { INITIAL: { businessDays: 20 } } } } },
    ).disagreement,
  ).toEqual({
    WEM: { INITIAL: { businessDays: 20, remind: [7, 1] }, ADJ1: { businessDays: 10, remind: [3, 1] } },
  });
});

it('a profile takes precedence over defaults, and a key of the participant over the profile', () => {
  const { margin: merged, market } = find({
    defaults: { margin, market: { unreachableAfter: '5m' } },
    profiles: { large: { margin: { warning: '9.00', breach: '8.00' } } },
    participants: [{ code: 'WPGENCO', profile: 'large', margin: { breach: '7.00' } }],
  });
  expect(merged.warning).toEqual({ kind: 'amount', amount: '9.00' });
  expect(merged.breach).toEqual({ kind: 'amount', amount: '7.00' });
  expect(merged.hysteresis).toEqual({ kind: 'amount', amount: '25000.00' });
  expect(market.unreachableAfterMs).toBe(300_000);
});

describe('durations and days', () => {
  it.each([
    ['30s', 30_000],
    ['10m', 600_000],
    ['26h', 93_600_000],
    ['2d', 172_800_000],
  ])('%s is %i ms', (staleAfter, expected) => {
    expect(of({ position: { staleAfter } }).position.staleAfterMs).toBe(expected);
  });

  it.each([
    [['mon-fri'], [1, 2, 3, 4, 5]],
    [
      ['mon', 'tue', 'sat-sun'],
      [0, 1, 2, 6],
    ],
    [
      ['fri-mon', 'sat'],
      [0, 1, 5, 6],
    ],
    [['wed-wed'], [3]],
  ])('%j are the days %j', (days, expected) => {
    expect(of({ position: { days } }).position.days).toEqual(expected);
    expect(find({ businessDays: days }).calendar.businessDays).toEqual(expected);
  });
});

it('holidays are the same for all participants', () => {
  expect(find({ holidays: ['2026-12-25', '2026-12-28'] }).calendar.holidays).toEqual(
    new Set(['2026-12-25', '2026-12-28']),
  );
});

it('a participant that the file does not name has none', () => {
  expect(findDetectionSettings(configOf({}), 'OTHER')).toBeUndefined();
});

it('a value from an environment variable that is not set is refused', () => {
  expect(() => of({ market: { unreachableAfter: '\0${UNREACHABLE_AFTER}' } })).toThrow(
    new MissingDetectionSettingError('WPGENCO', 'market.unreachableAfter'),
  );
});
