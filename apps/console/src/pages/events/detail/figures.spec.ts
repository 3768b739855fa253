import { readFigures } from './figures.js';

const folder = new URL('../../../../../../libs/events/examples/', import.meta.url);

async function readExample(type: string) {
  const url = new URL(`settlementbus.${type}.v1.json`, folder).href;
  const { default: event } = (await import(url, { with: { type: 'json' } })) as {
    readonly default: { readonly type: string; readonly data: unknown };
  };
  return readFigures(event.type, event.data);
}

it('a breach begins with the margin and its threshold', async () => {
  const { main, others, technical } = await readExample('margin.breached');
  expect(main).toEqual([
    { name: 'Trading margin', value: expect.stringMatching(/^-?\d/) as string, kind: 'amount' },
    { name: 'Breach below', value: expect.any(String) as string, kind: 'amount' },
  ]);
  expect(others).toContainEqual({ name: 'Trading day', value: '2026-03-02', kind: 'day' });
  expect(technical.map(({ name }) => name)).toContain('Digest');
});

it('a statement begins with its totals, and its variables are a table', async () => {
  const { main, others, tables } = await readExample('statement.published');
  expect(main).toEqual([
    { name: 'Payments in total', value: '18250.397825', kind: 'amount' },
    { name: 'Charges in total', value: '412.06', kind: 'amount' },
  ]);
  expect(others).toContainEqual({ name: 'Run', value: '4711', kind: 'text' });
  expect(others).toContainEqual({
    name: 'Published at',
    value: '2026-03-20T17:00:05+08:00',
    kind: 'time',
  });
  expect(tables).toMatchObject([
    {
      title: 'Variables',
      columns: ['Trading day', 'Variable', 'Payment or charge', 'GST applies', 'Value'],
      rows: { length: 3 },
    },
  ]);
  expect(tables[0]?.rows[2]?.slice(2, 4)).toMatchObject([{ value: 'charge' }, { value: 'no' }]);
  expect(tables[0]?.rows[0]?.[4]).toEqual({ name: 'Value', value: '12034.517825', kind: 'amount' });
});

it.each([
  [
    'an amount with every digit',
    { due: '-987654321098765.876543210' },
    '-987654321098765.876543210',
    'amount',
  ],
  ['an id of digits', { invoiceId: '0001234' }, '0001234', 'text'],
  ['a time of the market', { calculatedAt: '2026-03-02T00:00:00' }, '2026-03-02T00:00:00+08:00', 'time'],
  ['a day', { periodFrom: '2026-03-02T00:00:00' }, '2026-03-02', 'day'],
  ['an instant', { storedAt: '2026-03-02T00:00:00.000Z' }, '2026-03-02T00:00:00.000Z', 'time'],
  ['a duration', { seconds: 3_660 }, '1 h 1 min (3660 s)', 'text'],
  ['a flag', { late: true }, 'yes', 'text'],
  ['a list of texts', { names: ['a', 'b'] }, 'a, b', 'text'],
  ['an empty list', { changes: [] }, '', 'text'],
  ['null', { what: null }, 'null', 'text'],
])('reads %s', (_, data, value, kind) => {
  expect(readFigures('new.type', data).others).toMatchObject([{ value, kind }]);
});

it('data of another form have no figures', () => {
  expect(readFigures('new.type', 'text')).toEqual({ main: [], others: [], technical: [], tables: [] });
});
