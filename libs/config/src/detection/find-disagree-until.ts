import type { Designation, MarketService } from '@ssb/market';
import type { MarketDate } from '@ssb/market/market-time';
import { addBusinessDays } from './business-days.js';
import type { DetectionSettings } from './detection-settings.js';

/** A later publication would have a window beyond the last year that a date can have. */
const LAST_PUBLICATION = '9900-01-01';

/** What decides how long a statement can be disputed. */
export interface DisputableStatement {
  readonly marketService: MarketService;
  readonly designation: Designation;
  readonly publishedOn: MarketDate;
}

/** The last day to dispute a statement; undefined without settings for its market and designation. */
export function findDisagreeUntil(
  { marketService, designation, publishedOn }: DisputableStatement,
  { disagreement, calendar }: Pick<DetectionSettings, 'disagreement' | 'calendar'>,
): MarketDate | undefined {
  const window = disagreement[marketService]?.[designation];
  if (window === undefined || publishedOn >= LAST_PUBLICATION) return undefined;
  return addBusinessDays(publishedOn, window.businessDays, calendar);
}
