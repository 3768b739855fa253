import { ApiPropertyOptional } from '@nestjs/swagger';
import { MARGIN_LEVELS, type MarginLevel } from '@ssb/events';
import { IsDateTime, IsIntBetween, IsOptionalField, ParseDigits } from '@ssb/platform/request-dto';
import { Decimal, Integer, MarketDate, Part, Parts, Text, Time } from '../http/fields.js';
import { IsParticipants } from '../http/market-fields.js';
import { PageQuery } from '../http/page.js';

const MIN_POINTS = 2;
const MAX_POINTS = 500;
const DEFAULT_POINTS = 100;
/** The longest series. */
export const MAX_RANGE_DAYS = 400;

/** Which part of the positions a request asks for. */
export class PositionsQuery extends PageQuery {
  @IsParticipants()
  readonly participant?: readonly string[];

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    description: `Calculations of this time or later; by default a day before \`until\`, at most ${MAX_RANGE_DAYS} days.`,
  })
  @IsOptionalField()
  @IsDateTime()
  readonly since?: Date;

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    description: 'Calculations before this time; by default now.',
  })
  @IsOptionalField()
  @IsDateTime()
  readonly until?: Date;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: MIN_POINTS,
    maximum: MAX_POINTS,
    default: DEFAULT_POINTS,
    description: 'Buckets of a series at most.',
  })
  @ParseDigits()
  @IsOptionalField()
  @IsIntBetween(MIN_POINTS, MAX_POINTS)
  readonly points: number = DEFAULT_POINTS;
}

/** The calculations of one part of a series. */
/** The times are texts of the database: a page has thousands, and formatting each took most of its time. */
export class MarginBucket {
  @Time({ description: 'Beginning of the bucket. Buckets without a calculation are absent.' })
  readonly from!: string;
  @Integer({ description: 'Number of calculations.' }) readonly calculations!: number;
  @Decimal({ description: 'First trading margin.' }) readonly first!: string;
  @Time({ description: 'When the first one was calculated.' }) readonly firstAt!: string;
  @Decimal({ description: 'Last trading margin.' }) readonly last!: string;
  @Time({ description: 'When the last one was calculated.' }) readonly lastAt!: string;
  @Decimal({ description: 'Lowest trading margin.' }) readonly minimum!: string;
  @Time({ description: 'When the lowest one was calculated.' }) readonly minimumAt!: string;
  @Decimal({ description: 'Highest trading margin.' }) readonly maximum!: string;
  @Time({ description: 'When the highest one was calculated.' }) readonly maximumAt!: string;
  @Decimal({ description: 'Outstanding amount of the first calculation.', optional: true })
  readonly firstOutstandingAmount?: string;
  @Decimal({ description: 'Outstanding amount of the last calculation.', optional: true })
  readonly lastOutstandingAmount?: string;
}

/** The newest forecast of one trading day. */
export class ForecastPosition {
  @MarketDate({ description: 'Trading day of the forecast.' }) readonly tradingDay!: string;
  @Time({ description: 'When it was calculated.' }) readonly calculatedAt!: Date;
  @Decimal({ description: 'Forecast trading margin.', optional: true }) readonly tradingMargin?: string;
  @Decimal({ description: 'Forecast outstanding amount.', optional: true })
  readonly outstandingAmount?: string;
}

/** The thresholds of the participant, and how far the margin is above them. */
export class MarginThresholds {
  @Text({
    description:
      'event: of the newest margin event. configuration: of CONFIG_FILE, because no margin event is archived.',
    values: ['event', 'configuration'],
  })
  readonly source!: 'event' | 'configuration';
  @Decimal({ description: 'Below this the margin is a warning.' }) readonly warning!: string;
  @Decimal({ description: 'Below this the margin is breached.' }) readonly breach!: string;
  @Decimal({
    description: 'Trading margin minus the warning threshold; negative below it.',
    optional: true,
  })
  readonly headroomToWarning?: string;
  @Decimal({
    description: 'Trading margin minus the breach threshold; negative below it.',
    optional: true,
  })
  readonly headroomToBreach?: string;
}

/** The newest calculation that is not a forecast. */
export class PresentPosition {
  @Text({ description: 'Id of its event.' }) readonly eventId!: string;
  @MarketDate({ description: 'Trading day of the calculation.' }) readonly tradingDay!: string;
  @Time({ description: 'When the operator calculated it.' }) readonly calculatedAt!: Date;
  @Decimal({ description: 'Prepayments held.', optional: true }) readonly prepayment?: string;
  @Decimal({ description: 'Owed for issued statements, not yet paid.', optional: true })
  readonly invoiceNotPaid?: string;
  @Decimal({ description: 'Cumulative estimated exposure.', optional: true })
  readonly cumulativeEstimatedExposure?: string;
  @Decimal({ description: 'Outstanding amount.', optional: true }) readonly outstandingAmount?: string;
  @Decimal({ description: 'Credit support held.', optional: true }) readonly creditSupport?: string;
  @Decimal({ description: 'Credit limit.', optional: true }) readonly creditLimit?: string;
  @Decimal({ description: 'Trading limit.', optional: true }) readonly tradingLimit?: string;
  @Decimal({ description: "The operator's trading margin.", optional: true })
  readonly tradingMargin?: string;
  @Text({
    description:
      'Level of the newest margin event. Without one, whether the margin is below the thresholds of CONFIG_FILE.',
    values: MARGIN_LEVELS,
    optional: true,
  })
  readonly level?: MarginLevel;
  @Part({ description: 'The thresholds of the margin.', of: () => MarginThresholds, optional: true })
  readonly thresholds?: MarginThresholds;
}

/** The position of one participant. */
export class ParticipantPosition {
  @Text({ description: 'Code of the participant.' }) readonly participant!: string;
  @Part({ description: 'The present position.', of: () => PresentPosition, optional: true })
  readonly latest?: PresentPosition;
  @Parts({
    description: 'The newest forecast of each trading day after that of the present position.',
    of: () => ForecastPosition,
  })
  readonly forecasts!: readonly ForecastPosition[];
  @Integer({ description: 'Length of a bucket, seconds.' }) readonly bucketSeconds!: number;
  @Time({ description: 'Beginning of the series: `since`, rounded down to a bucket.' }) readonly since!: Date;
  @Time({ description: 'End of the series: `until`, rounded up to a bucket.' }) readonly until!: Date;
  @Parts({ description: 'Series of the calculations that are not forecasts.', of: () => MarginBucket })
  readonly calculated!: readonly MarginBucket[];
  @Parts({
    description: 'Series of the forecasts, by the time of the calculation.',
    of: () => MarginBucket,
  })
  readonly forecast!: readonly MarginBucket[];
  @Integer({
    description: 'Archived calculations that cannot be read, and are left out.',
    optional: true,
  })
  readonly leftOut?: number;
}

const BUCKET_COLUMNS = [
  'from',
  'calculations',
  'first',
  'firstAt',
  'last',
  'lastAt',
  'minimum',
  'minimumAt',
  'maximum',
  'maximumAt',
  'firstOutstandingAmount',
  'lastOutstandingAmount',
];
export const SERIES_COLUMNS = ['participant', 'isForecast', ...BUCKET_COLUMNS];

/** A line of CSV for each bucket. */
export function toSeriesRows({ participant, calculated, forecast }: ParticipantPosition): readonly object[] {
  const rows = (isForecast: boolean, buckets: readonly MarginBucket[]): object[] =>
    buckets.map((bucket) => ({ participant, isForecast, ...bucket }));
  return [...rows(false, calculated), ...rows(true, forecast)];
}
