import { parseDecimal } from '@ssb/market/decimal';
import { tryParseDuration } from '../duration.js';
import { findParticipant, findProfile } from '../lookup.js';
import { isUnknown } from '../placeholders.js';
import type { OperatorConfig } from '../schema.js';
import { DEFAULT_BUSINESS_DAYS, DETECTION_DEFAULTS, type DetectionOptions } from './detection-schema.js';
import type { DetectionSettings } from './detection-settings.js';
import { parseThreshold } from './threshold.js';
import { parseDays } from './weekdays.js';

/** A setting of detection has no value. A file without errors never causes this. */
export class MissingDetectionSettingError extends Error {
  override readonly name = 'MissingDetectionSettingError';
  constructor(
    readonly participant: string,
    /** Place in the settings of the participant. */
    readonly key: string,
  ) {
    super(
      `the participant ${participant} has no ${key}; set it in CONFIG_FILE, with every environment variable in it`,
    );
  }
}

/** How the facts of a participant are detected; undefined when the file does not name it. @throws MissingDetectionSettingError */
export function findDetectionSettings(
  config: OperatorConfig,
  participant: string,
): DetectionSettings | undefined {
  const own = findParticipant(config, participant);
  if (own === undefined) return undefined;
  const layers = [config.defaults ?? {}, findProfile(config, own.profile), own];
  const merged = mergeOptions(DETECTION_DEFAULTS, ...layers);
  const { margin, forecast, position, settlement, payments, discrepancies, market } = merged;
  const read =
    <T>(parse: (text: string) => T | undefined) =>
    (key: string, text: string | undefined): T => {
      const value = text === undefined || isUnknown(text) ? undefined : parse(text);
      if (value === undefined) throw new MissingDetectionSettingError(participant, key);
      return value;
    };
  const [threshold, duration, decimal] = [read(parseThreshold), read(tryParseDuration), read(parseDecimal)];
  return {
    margin: {
      warning: threshold('margin.warning', margin.warning),
      breach: threshold('margin.breach', margin.breach),
      hysteresis: threshold('margin.hysteresis', margin.hysteresis),
      deepeningStep: threshold('margin.deepeningStep', margin.deepeningStep),
      minDurationMs: duration('margin.minDuration', margin.minDuration),
      severity: margin.severity,
    },
    forecast: {
      horizonDays: forecast.horizonDays,
      trend: {
        method: forecast.trend.method,
        calculations: forecast.trend.calculations,
        minSpanMs: duration('forecast.trend.minSpan', forecast.trend.minSpan),
      },
    },
    position: {
      staleAfterMs: duration('position.staleAfter', position.staleAfter),
      days: parseDays(position.days),
    },
    settlement: {
      overdueGraceMs: duration('settlement.overdueGrace', settlement.overdueGrace),
      estimations: settlement.estimations,
      markets: settlement.markets,
    },
    payments: {
      remindDaysBefore: [...payments.remindDaysBefore].sort((a, b) => b - a),
      dayKind: payments.days,
      positiveAmount: payments.positiveAmount,
    },
    disagreement: findDisagreementWindows(...layers),
    discrepancies: {
      gstPercent: decimal('discrepancies.gstPercent', discrepancies.gstPercent),
      gstTolerance: decimal('discrepancies.gstTolerance', discrepancies.gstTolerance),
    },
    market: { unreachableAfterMs: duration('market.unreachableAfter', market.unreachableAfter) },
    calendar: {
      businessDays: parseDays(config.businessDays ?? DEFAULT_BUSINESS_DAYS),
      holidays: new Set(config.holidays),
    },
  };
}

/** The windows of these layers, each with its reminders. */
export function findDisagreementWindows(
  ...layers: readonly DetectionOptions[]
): DetectionSettings['disagreement'] {
  const { remind, markets } = mergeOptions(DETECTION_DEFAULTS, ...layers).disagreement;
  return mapValues(markets, (designations) =>
    mapValues(designations, (window) => ({
      businessDays: window.businessDays,
      remind: [...(window.remind ?? remind)].sort((a, b) => b - a),
    })),
  );
}

function mapValues<Key extends string, Value, Mapped>(
  values: Readonly<Partial<Record<Key, Value>>>,
  map: (value: Value) => Mapped,
): Partial<Record<Key, Mapped>> {
  const entries = Object.entries<Value | undefined>(values).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, map(value)] as const],
  );
  return Object.fromEntries(entries) as Partial<Record<Key, Mapped>>;
}

type Complete<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]-?: Complete<NonNullable<T[Key]>> }
    : T;

type Options = Readonly<Record<string, unknown>>;

/** Merges groups key by key. A later value takes precedence, and a list replaces a list. */
function mergeOptions(...layers: readonly DetectionOptions[]): Complete<DetectionOptions> {
  return layers.reduce<Options>(mergeGroups, {}) as Complete<DetectionOptions>;
}

function mergeGroups(base: Options, over: Options): Options {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const before = merged[key];
    merged[key] = isGroup(value) ? mergeGroups(isGroup(before) ? before : {}, value) : value;
  }
  return merged;
}

function isGroup(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
