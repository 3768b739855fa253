import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { toMarketTime } from '@ssb/events';
import { IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { IsRepeatable } from './page.js';
import { invalid } from './problems.js';

const PARTICIPANT_CODE = /^[!-~]{1,200}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Codes of participants, as a parameter. */
export const IsParticipants = (): PropertyDecorator =>
  IsRepeatable((text) => PARTICIPANT_CODE.test(text), 'must be the code of a participant', {
    description: 'Code of the participant.',
    items: { type: 'string', pattern: PARTICIPANT_CODE.source },
  });

/** A day of the market, as a parameter. */
export const IsMarketDate = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'string', format: 'date', description }),
    IsOptionalField(),
    IsTextThat(isExistingDate, 'must be a market date, such as 2026-03-19'),
  );

/** Whether the text is a day, as `2026-03-19`. */
export function isExistingDate(text: string): boolean {
  if (!DATE.test(text) || text < '0001') return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Days that nothing can match. @throws InvalidRequestError */
export function refuseEmptyRange(first: string, since: string, end: string, until: string | undefined): void {
  if (until === undefined || since < until) return;
  const message = `${first} (${since}) must be before ${end} (${until}), which is not in the listing`;
  throw invalid(first, message);
}

/** The day of the market, UTC+8. */
export function marketDayOf(instant: Date): string {
  return toMarketTime(instant).slice(0, 10);
}
