import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';
import { RunningApi } from './support/running-api.js';

let api: RunningApi;

interface Totals {
  readonly payable: string;
  readonly receivable: string;
  readonly net: string;
  readonly invoices: number;
  readonly withoutDirection: number;
}
interface Page {
  readonly items: readonly (Totals & {
    readonly dueDate: string;
    readonly markets: readonly (Totals & { readonly market: string })[];
  })[];
  readonly next?: string;
  readonly total: Totals;
}

const read = async (query: string, token = api.viewer): Promise<Page> =>
  (await api.get(`/v1/payments?dueSince=2026-04-01&${query}`, { token })).json<Page>();
/** Payable, receivable, net, invoices and those without a direction. */
const show = ({ payable, receivable, net, invoices, withoutDirection }: Totals): string =>
  [payable, receivable, net, invoices, withoutDirection].join(' ');

type Data = Readonly<Record<string, unknown>>;

/** Each invoice is that of a run of its own. */
async function issue(participant: string, id: string, dueDate: string, data: Data): Promise<void> {
  const periodFrom = '2026-03-08T00:00:00';
  await archiveEvent(api.tables.admin, 'invoice.issued', {
    event: { id: uuidOf(id), participant, subject: `${participant}/${id}` },
    data: { id, dueDate, periodFrom, designation: id, ...data },
  });
}

const NO_DIRECTION = { direction: undefined };

beforeAll(async () => {
  api = await RunningApi.start();
  const thursday = '2026-04-02';
  await issue('ALPHA', 'A1', thursday, { payableAmount: '123456789012345.12345678', direction: 'pay' });
  await issue('ALPHA', 'A2', thursday, { payableAmount: '-0.00000001', direction: 'receive' });
  await issue('WPGENCO', 'W1', thursday, { payableAmount: '-999999999999999.99999999', direction: 'pay' });
  await issue('WPGENCO', 'W2', thursday, {
    payableAmount: '-20.50',
    direction: 'receive',
    market: 'NSTEM',
  });
  // Events of an earlier release: CONFIG_FILE names WPGENCO only.
  await issue('WPGENCO', 'W3', thursday, { ...NO_DIRECTION, payableAmount: '7.00', market: 'NSTEM' });
  await issue('WPGENCO', 'W4', '2026-04-09', { ...NO_DIRECTION, payableAmount: '-3.00' });
  await issue('ALPHA', 'A3', '2026-04-09', { ...NO_DIRECTION, payableAmount: '5.00' });
  await issue('ALPHA', 'A4', '2026-04-09', { ...NO_DIRECTION, payableAmount: undefined });
  // None of these is a payment.
  await issue('ALPHA', 'A5', thursday, { payableAmount: '0.00', direction: undefined });
  await issue('ALPHA', 'A6', thursday, {
    payableAmount: '8.00',
    direction: 'pay',
    settlementRequired: false,
  });
  await issue('ALPHA', 'A7', '2026-03-31', { payableAmount: '9.00', direction: 'pay' });
  // The operator replaced an invoice while the bridge did not see it: both are issued.
  for (const [id, amount, at] of [
    ['Y1', '11.00', '2026-03-20'],
    ['Y2', '12.00', '2026-03-21'],
  ] as const)
    await archiveEvent(api.tables.admin, 'invoice.issued', {
      event: {
        ...{ id: uuidOf(id), participant: 'ALPHA', subject: `ALPHA/${id}` },
        detectedat: `${at}T00:00:00.000Z`,
      },
      data: {
        ...{ id, dueDate: '2026-04-18', periodFrom: '2026-03-08T00:00:00', designation: 'Y' },
        ...{ payableAmount: amount, direction: 'pay' },
      },
    });
  // A reversed invoice, and one that replaces it.
  await issue('ALPHA', 'A8', '2026-04-16', { payableAmount: '70.00', direction: 'pay' });
  await archiveEvent(api.tables.admin, 'invoice.reversed', {
    event: { id: uuidOf('A9'), participant: 'ALPHA', subject: 'ALPHA/A8' },
    data: {
      ...{ id: 'A9', dueDate: '2026-04-17', periodFrom: '2026-03-08T00:00:00', designation: 'A8' },
      ...{ payableAmount: '-60.00', direction: 'receive' },
      reversed: { id: 'A8', dueDate: '2026-04-16', payableAmount: '70.00', direction: 'pay' },
    },
  });
});
afterAll(() => api.close());

it('has the sums of each day and market, with every digit, and those of all days', async () => {
  const { items, total, next } = await read('');
  expect(items.map((day) => `${day.dueDate} ${show(day)}`)).toEqual([
    '2026-04-02 1123456789012352.12345677 20.50000001 -1123456789012331.62345676 5 0',
    '2026-04-09 0 3.00 3.00 1 2',
    '2026-04-17 0 60.00 60.00 1 0',
    '2026-04-18 12.00 0 -12.00 1 0',
  ]);
  expect(items[0]?.markets).toEqual([
    {
      market: 'NSTEM',
      currency: 'AUD',
      payable: '7.00',
      receivable: '20.50',
      net: '13.50',
      invoices: 2,
      withoutDirection: 0,
    },
    expect.objectContaining({ market: 'WEM', payable: '1123456789012345.12345677', invoices: 3 }),
  ]);
  expect(show(total)).toBe('1123456789012364.12345677 83.50000001 -1123456789012280.62345676 8 2');
  expect(next).toBeUndefined();
});

it.each([
  ['participant=WPGENCO', ['2026-04-02', '2026-04-09'], '1000000000000006.99999999 23.50'],
  ['market=NSTEM', ['2026-04-02'], '7.00 20.50'],
  ['dueUntil=2026-04-09', ['2026-04-02'], '1123456789012352.12345677 20.50000001'],
  ['dueUntil=2026-04-02', [], '0 0'],
])('%s', async (query, days, sums) => {
  const { items, total } = await read(query);
  expect(items.map(({ dueDate }) => dueDate)).toEqual(days);
  expect(`${total.payable} ${total.receivable}`).toBe(sums);
});

it('begins today without a first day', async () => {
  await issue('ALPHA', 'A10', '9999-12-30', { payableAmount: '1.00', direction: 'pay' });
  const { items } = (await api.get('/v1/payments')).json<Page>();
  expect(items.map(({ dueDate }) => dueDate)).toEqual(['9999-12-30']);
  await api.tables.admin.query('DELETE FROM archive WHERE event_id = $1', [uuidOf('A10')]);
});

it('a page has some of the days, and the sum of all', async () => {
  const first = await read('limit=2');
  expect(first.items).toHaveLength(2);
  const second = await read(`limit=2&cursor=${first.next}`);
  expect(second.items.map(({ dueDate }) => dueDate)).toEqual(['2026-04-17', '2026-04-18']);
  expect(second.total).toEqual(first.total);
});

it('has only the participants that the caller may see', async () => {
  const { total, items } = await read('', api.limited);
  expect(total).toEqual((await read('participant=WPGENCO')).total);
  expect(items).toHaveLength(2);
  expect((await read('participant=ALPHA', api.limited)).items).toEqual([]);
});

it('a newer reminder decides who pays: the meaning of the sign was corrected', async () => {
  const remind = (detectedat: string) =>
    archiveEvent(api.tables.admin, 'payment.due', {
      event: { id: uuidOf(detectedat), participant: 'ALPHA', detectedat },
      data: {
        ...{ invoiceId: 'B1', designation: 'B1', periodFrom: '2026-03-08T00:00:00', dueDate: '2026-05-01' },
        ...{ payableAmount: '4.00', direction: 'receive', digest: 'b'.repeat(64) },
      },
    });
  const receivable = async () => (await read('dueUntil=2026-05-02')).items.at(-1)?.receivable;
  await archiveEvent(api.tables.admin, 'invoice.issued', {
    event: { id: uuidOf('B1'), participant: 'ALPHA', detectedat: '2026-03-20T00:00:00.000Z' },
    data: {
      ...{ id: 'B1', designation: 'B1', periodFrom: '2026-03-08T00:00:00', dueDate: '2026-05-01' },
      ...{ payableAmount: '4.00', direction: 'pay', digest: 'b'.repeat(64) },
    },
  });
  await remind('2026-03-19T00:00:00.000Z');
  expect(await receivable()).toBe('0');
  await remind('2026-03-21T00:00:00.000Z');
  expect(await receivable()).toBe('4.00');
  await api.tables.admin.query('DELETE FROM archive WHERE event_id = $1', [uuidOf('B1')]);
});

it('CSV has a row for each market, with the sums of its day', async () => {
  const { body } = await api.get('/v1/payments?dueSince=2026-04-01&dueUntil=2026-04-03', {
    headers: { accept: 'text/csv' },
  });
  expect(body.split('\r\n')).toEqual([
    'dueDate,market,currency,payable,receivable,net,invoices,withoutDirection,dayPayable,dayReceivable,dayNet,dayInvoices,dayWithoutDirection',
    '2026-04-02,NSTEM,AUD,7.00,20.50,13.50,2,0,1123456789012352.12345677,20.50000001,-1123456789012331.62345676,5,0',
    '2026-04-02,WEM,AUD,1123456789012345.12345677,0.00000001,-1123456789012345.12345676,3,0,1123456789012352.12345677,20.50000001,-1123456789012331.62345676,5,0',
    '',
  ]);
});

it.each([
  ['dueSince=2026-02-30', 'dueSince must be a market date'],
  ['dueUntil=tomorrow', 'dueUntil must be a market date'],
  ['dueUntil=2026-01-01', 'must be before dueUntil (2026-01-01), which is not in the listing'],
  ['market=GAS', 'must be one of WEM, NSTEM, STEM'],
  ['cursor=2026-02-30', 'cursor must be'],
  ['cursor=x', 'cursor must be'],
  ['limit=0', 'limit must be'],
])('%s is refused', async (query, expected) => {
  const response = await api.get(`/v1/payments?${query}`);
  expect([response.status, response.body]).toEqual([422, expect.stringContaining(expected)]);
});
