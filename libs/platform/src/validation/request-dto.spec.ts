import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IsDateTime } from './request-dto.js';

class QueryDto {
  @IsDateTime()
  readonly from!: Date;
}

const parse = (from: unknown) => {
  const query = plainToInstance(QueryDto, { from });
  return validateSync(query).length === 0 ? query.from.toISOString() : undefined;
};

describe('a date-time of a query', () => {
  it.each([
    ['2026-11-20T01:02:03Z', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T01:02Z', '2026-11-20T01:02:00.000Z'],
    ['2026-11-20T01:02:03.5Z', '2026-11-20T01:02:03.500Z'],
    ['2026-11-20T01:02:03.123456789Z', '2026-11-20T01:02:03.123Z'],
    ['2026-11-20T01:02:03.999999999999Z', '2026-11-20T01:02:03.999Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2026-11-20T09:02:03+08:00', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T09:02:03 08:00', '2026-11-20T01:02:03.000Z'],
    ['2026-11-19T20:02:03-05:00', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T01:02:03', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T01:02:03.25', '2026-11-20T01:02:03.250Z'],
  ])('%s is %s', (text, expected) => {
    expect(parse(text)).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '2026-11-20',
    '2026-11-20 01:02:03Z',
    '2026-11-20T01:02:03.Z',
    '2026-11-20T01:02:03+0800',
    '2026-11-20T25:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00',
    '2026-13-40T00:00:00Z',
    '2026-11-20T01:02:03+08:00+08:00',
    '1700000000',
    ['2026-11-20T01:02:03Z', '2026-11-20T01:02:03Z'],
    {},
  ])('cannot be %j', (value) => {
    expect(parse(value)).toBeUndefined();
  });
});
