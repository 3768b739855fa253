import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { InvalidRequestError } from '@ssb/platform';
import { IsIntBetween, IsOptionalField, IsTextThat, ParseDigits } from '@ssb/platform/request-dto';
import { Transform } from 'class-transformer';
import { ArrayMaxSize } from 'class-validator';
import { IsOptionalText, type TextSchema } from './texts.js';

export const MAX_PAGE_SIZE = 100;
const CURSOR_REQUIREMENT = 'must be `next` of a page';
/** What is wrong with a cursor that no page of the caller has. */
export const UNKNOWN_CURSOR = { path: 'cursor', message: `cursor ${CURSOR_REQUIREMENT}` };
const MAX_CURSOR_LENGTH = 512;
/** Values of one parameter that may be repeated. */
const MAX_REPETITIONS = 50;

/** Rows of a page at most. */
export function IsPageLimit(maximum = MAX_PAGE_SIZE): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 1,
      maximum,
      default: MAX_PAGE_SIZE,
      description: 'Rows of the page at most.',
    }),
    ParseDigits(),
    IsOptionalField(),
    IsIntBetween(1, maximum),
  );
}

/** Where a page begins. */
export function IsPageCursor(maxLength = MAX_CURSOR_LENGTH): PropertyDecorator {
  return IsOptionalText({
    maxLength,
    description: '`next` of the page before, with the same other parameters.',
    requirement: CURSOR_REQUIREMENT,
  });
}

/** The part of a listing that is requested. */
export class PageQuery {
  @IsPageLimit()
  readonly limit: number = MAX_PAGE_SIZE;

  @IsPageCursor()
  readonly cursor?: string;
}

/** One page of a listing. */
export interface Page<Row> {
  readonly items: readonly Row[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/**
 * Makes a page of the rows that a query found.
 * @param rows at most one more than `limit`, which shows that there is a next page
 * @param cursorOf names the last row of a page. It must not show anything of rows that the caller may not see
 */
export function toPage<Row>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => string): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last !== undefined ? { items, next: cursorOf(last) } : { items };
}

export function wrongCursor(): InvalidRequestError {
  return new InvalidRequestError([UNKNOWN_CURSOR]);
}

/** A parameter of a query that may be repeated. */
export function IsRepeatable(
  test: (text: string) => boolean,
  requirement: string,
  { description, items }: { readonly description: string; readonly items: TextSchema },
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      isArray: true,
      type: 'string',
      minItems: 1,
      maxItems: MAX_REPETITIONS,
      description: `${description} May be repeated.`,
      items,
    }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value)),
    IsOptionalField(),
    ArrayMaxSize(MAX_REPETITIONS),
    IsTextThat(test, requirement, { each: true }),
  );
}

/** A parameter that has some of these values. */
export function IsOneOf(values: readonly string[], description: string): PropertyDecorator {
  return IsRepeatable((text) => values.includes(text), `must be one of ${values.join(', ')}`, {
    description,
    items: { type: 'string', enum: [...values] },
  });
}
