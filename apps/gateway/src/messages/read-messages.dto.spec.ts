import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ReadMessagesDto } from './read-messages.dto.js';

describe('the query of GET message', () => {
  it('has a date-time', () => {
    const query = plainToInstance(ReadMessagesDto, { fqcn: 'a', from: '2026-11-20T01:02:03' });
    const from = new Date('2026-11-20T01:02:03Z');
    expect([validateSync(query), { ...query }]).toEqual([[], { fqcn: 'a', from }]);
  });

  it.each([
    ['no channel', {}],
    ['an empty channel', { fqcn: '' }],
    ['a repeated channel', { fqcn: ['a', 'b'] }],
    ['an amount of zero', { fqcn: 'a', amount: '0' }],
    ['a broken amount', { fqcn: 'a', amount: '1.5' }],
    ['a day alone', { fqcn: 'a', from: '2026-11-20' }],
    ['the reserved client id', { fqcn: 'a', clientId: 'websocket' }],
  ])('refuses %s', (_name, query) => {
    expect(validateSync(plainToInstance(ReadMessagesDto, query))).not.toEqual([]);
  });
});
