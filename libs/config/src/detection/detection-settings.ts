import type { Severity } from '@ssb/events';
import type { Designation, MarketService, Weekday } from '@ssb/market';
import type { Decimal } from '@ssb/market/decimal';

/** A threshold: an amount in AUD, or a share of the trading limit in per cent. */
export type Threshold =
  | { readonly kind: 'amount'; readonly amount: Decimal }
  | { readonly kind: 'share'; readonly percent: Decimal };

export interface MarginSettings {
  /** Below this the margin is a warning. */
  readonly warning: Threshold;
  /** Below this the margin is breached. */
  readonly breach: Threshold;
  /** How far above a threshold the margin must rise to leave its level. */
  readonly hysteresis: Threshold;
  /** A breach is announced again when the margin fell by so much since it was last announced. 0: never. */
  readonly deepeningStep: Threshold;
  /** How long a worse level must last before it is announced. */
  readonly minDurationMs: number;
  readonly severity: {
    readonly warning: Severity;
    readonly breached: Severity;
    readonly restored: Severity;
  };
}

export interface ForecastSettings {
  /** How many days ahead forecast calculations are read, and a trend counts. */
  readonly horizonDays: number;
  readonly trend: {
    /** `linear`: straight line by least squares; `none`: no trend. */
    readonly method: 'linear' | 'none';
    /** Number of latest calculations in the window; more when they do not cover `minSpanMs`. */
    readonly calculations: number;
    /** Time between the first and the last of them, at least. A shorter window does not show a trend. */
    readonly minSpanMs: number;
  };
}

/** How long the statements of a market and designation may be disputed. */
export interface DisagreementWindow {
  /** Business days after the day of the publication. */
  readonly businessDays: number;
  /** Reminders, business days before the last day, the largest first. */
  readonly remind: readonly number[];
}

/** How the facts of one participant are detected. Every value comes from CONFIG_FILE or has a default. */
export interface DetectionSettings {
  readonly margin: MarginSettings;
  readonly forecast: ForecastSettings;
  readonly position: {
    /** The position is stale after this time without a new calculation. */
    readonly staleAfterMs: number;
    /** Days on which calculations are expected. Other days do not count. */
    readonly days: readonly Weekday[];
  };
  readonly settlement: {
    /** A statement or invoice is overdue this long after the end of its market day. */
    readonly overdueGraceMs: number;
    /** Whether NSTEM estimation statements are requested (operation 7). */
    readonly estimations: boolean;
    /** Markets in which the participant has business, at least one. Runs of the others concern other participants. */
    readonly markets: readonly MarketService[];
  };
  readonly payments: {
    /** Reminders, days before the due date, the largest first. */
    readonly remindDaysBefore: readonly number[];
    readonly dayKind: 'calendar' | 'business';
    /** Whether a positive `payableAmount` is paid or received by the participant. */
    readonly positiveAmount: 'pay' | 'receive';
  };
  /** By market and designation. Without an entry the last day is unknown. */
  readonly disagreement: Readonly<
    Partial<Record<MarketService, Readonly<Partial<Record<Designation, DisagreementWindow>>>>>
  >;
  readonly discrepancies: {
    /** Rate of the goods and services tax in per cent. */
    readonly gstPercent: Decimal;
    /** Allowed difference of GST for each line, AUD. */
    readonly gstTolerance: Decimal;
  };
  readonly market: {
    /** How long an interface may fail before it is announced as unreachable. */
    readonly unreachableAfterMs: number;
  };
  readonly calendar: {
    readonly businessDays: readonly Weekday[];
    /** Market dates, `yyyy-MM-dd`. */
    readonly holidays: ReadonlySet<string>;
  };
}
