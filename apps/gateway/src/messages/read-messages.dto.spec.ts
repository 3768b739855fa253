import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ReadMessagesDto } from './read-messages.dto.js';

describe('the query of GET message', () => {
  it.each([
    ['2026-11-20T01:02:03Z', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T01:02:03.123456789Z', '2026-11-20T01:02:03.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2026-11-20T01:02:03', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T09:02:03+08:00', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T09:02:03 08:00', '2026-11-20T01:02:03.000Z'],
  ])('converts %s to %s', (from, expected) => {
    const query = plainToInstance(ReadMessagesDto, { fqcn: 'a', from });
    expect([validateSync(query), { ...query }]).toEqual([[], { fqcn: 'a', from: expected }]);
  });

  it.each([
    ['no channel', {}],
    ['an empty channel', { fqcn: '' }],
    ['a repeated channel', { fqcn: ['a', 'b'] }],
    ['an amount of zero', { fqcn: 'a', amount: '0' }],
    ['a broken amount', { fqcn: 'a', amount: '1.5' }],
    ['a day alone', { fqcn: 'a', from: '2026-11-20' }],
    ['the 30th of February', { fqcn: 'a', from: '2026-02-30T00:00:00Z' }],
    ['a 29th of February in a common year', { fqcn: 'a', from: '2026-02-29T00:00:00Z' }],
    ['a day that does not exist', { fqcn: 'a', from: '2026-13-40T00:00:00Z' }],
    ['the reserved client id', { fqcn: 'a', clientId: 'websocket' }],
    ['seconds since 1970', { fqcn: 'a', from: '1700000000' }],
  ])('refuses %s', (_name, query) => {
    expect(validateSync(plainToInstance(ReadMessagesDto, query))).not.toEqual([]);
  });
});
