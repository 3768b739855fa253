import { archiveEvent, exampleEvent, uuidOf } from '@ssb/testing/archived-events';
import { RunningApi } from './support/running-api.js';

let api: RunningApi;

interface Row {
  id: string;
  [name: string]: unknown;
}

const OVERDUE = uuidOf('overdue');
const exampleId = (type: string): string => String(exampleEvent(type)['id']);

const list = async (path: string, token = api.viewer): Promise<Row[]> =>
  (await api.get(path, { token })).json<{ items: Row[] }>().items;
const calendar = (query: string, token = api.viewer): Promise<Row[]> =>
  list(`/v1/settlement-calendar?since=2026-01-01&${query}`, token);
const invoices = (query: string, token = api.viewer): Promise<Row[]> =>
  list(`/v1/invoices?dueSince=2026-01-01&${query}`, token);

beforeAll(async () => {
  api = await RunningApi.start();
  for (const type of [
    'statement.overdue',
    'statement.revised',
    'statement.published',
    'invoice.overdue',
    'invoice.issued',
    'invoice.discrepancy',
    'invoice.reversed',
    'invoice.adjusted',
    'payment.due',
  ])
    await archiveEvent(api.tables.admin, type);
  const subject = 'WPGENCO/WEM/2026-03-08/INITIAL';
  const period = { periodFrom: '2026-03-08T00:00:00', periodTo: '2026-03-14T00:00:00' };
  await archiveEvent(api.tables.admin, 'statement.overdue', {
    event: { id: OVERDUE, participant: 'WPGENCO', subject: `${subject}/overdue` },
    data: { ...period, statementDate: '2026-03-26', overdueSince: '2026-03-27T01:00:00' },
  });
  await archiveEvent(api.tables.admin, 'invoice.issued', {
    event: { id: uuidOf('receivable'), participant: 'WPGENCO', subject: `${subject}/invoice/INV-0099` },
    // As events of earlier releases, without a direction: CONFIG_FILE decides.
    data: {
      ...{ ...period, id: 'INV-0099', dueDate: '9999-12-31', direction: undefined },
      payableAmount: '-12345678901234567890.10',
    },
  });
});
afterAll(() => api.close());

it('a run has the dates and figures of its newest statement and of its valid invoice', async () => {
  const [run] = await calendar('participant=ALPHA&market=WEM&until=2026-05-01');
  expect(run).toEqual({
    id: expect.any(String),
    participant: 'ALPHA',
    market: 'WEM',
    periodFrom: '2026-03-01',
    designation: 'INITIAL',
    status: 'invoiced',
    date: '2026-03-19',
    period: 'TW 01 Mar 2026',
    periodTo: '2026-03-07',
    statementDueDate: '2026-03-19',
    publishedAt: '2026-03-20T09:00:05.000Z',
    disagreeUntil: '2026-04-20',
    revisions: 1,
    revisedAt: '2026-03-23T03:30:00.000Z',
    payment: '18135.717825',
    charge: '412.06',
    invoiceDueDate: '2026-03-25',
    invoiceId: expect.any(String),
    invoiceNumber: 'INV-0009',
    invoiceDate: '2026-03-26',
    invoiceTotal: '-19496.02',
    paymentDueDate: '2026-04-02',
    payableAmount: '-19496.02',
    direction: 'receive',
    discrepancies: 0,
    currency: 'AUD',
  });
});

it('each date sorts and limits the calendar', async () => {
  const days = async (query: string) =>
    (await calendar(query)).map(({ participant, date }) => `${String(participant)} ${String(date)}`);
  expect(await days('by=published')).toEqual(['ALPHA 2026-03-23']);
  expect(await days('by=payment&until=2026-06-12')).toEqual(['ALPHA 2026-04-02', 'ALPHA 2026-06-11']);
  expect(await days('by=invoice')).toEqual(['WPGENCO 2026-03-25', 'ALPHA 2026-03-26', 'ALPHA 2026-06-03']);
  const first = (await api.get('/v1/settlement-calendar?since=2026-01-01&limit=1')).json<{
    items: Row[];
    next: string;
  }>();
  expect(await days(`cursor=${first.next}&limit=1`)).toEqual(['WPGENCO 2026-03-26']);
});

it('the newest publication can be first, page by page', async () => {
  await archiveEvent(api.tables.admin, 'statement.published', {
    event: { id: uuidOf('newer'), participant: 'WPGENCO', subject: 'WPGENCO/WEM/2026-03-22/INITIAL' },
    data: { periodFrom: '2026-03-22T00:00:00', publishedAt: '2026-03-30T17:00:05', runId: 9001 },
  });
  const read = async (path: string) => {
    const first = (await api.get(`${path}&limit=1`)).json<{ items: Row[]; next: string }>();
    const rest = await list(`${path}&cursor=${first.next}`);
    return [...first.items, ...rest];
  };
  const runs = await read('/v1/settlement-calendar?since=2026-01-01&order=published');
  expect(runs.map(({ publishedAt, revisedAt }) => revisedAt ?? publishedAt)).toEqual([
    '2026-03-30T09:00:05.000Z',
    '2026-03-23T03:30:00.000Z',
  ]);
  const published = await read('/v1/invoices?dueSince=2026-01-01&order=published&participant=ALPHA');
  expect(published.map(({ number, invoiceDate }) => `${String(number)} ${String(invoiceDate)}`)).toEqual([
    'INV-0031 2026-06-03',
    'INV-0009 2026-03-26',
    'INV-0007 2026-03-25',
  ]);
  await api.tables.admin.query('DELETE FROM archive WHERE event_id = $1', [uuidOf('newer')]);
});

it('a statement that is missing after its day is overdue, although the run has an invoice', async () => {
  expect(await calendar('status=overdue')).toMatchObject([
    {
      participant: 'WPGENCO',
      statementDueDate: '2026-03-26',
      statementOverdueSince: '2026-03-26T17:00:00.000Z',
      payableAmount: '-12345678901234567890.10',
      direction: 'receive',
    },
  ]);
});

it('a statement has its versions with what changed, its variables and its invoices', async () => {
  const [run] = await calendar('participant=ALPHA&until=2026-05-01');
  const statement = (await api.get(`/v1/statements/${run?.id}`)).json<Record<string, unknown[]>>();
  expect(statement['versions']).toEqual([
    {
      eventId: exampleId('statement.revised'),
      kind: 'revised',
      runId: 4803,
      publishedAt: '2026-03-23T03:30:00.000Z',
      disagreeUntil: '2026-04-20',
      payment: '18135.717825',
      charge: '412.06',
      previousRunId: 4711,
      previousPayment: '18250.397825',
      previousCharge: '412.06',
      paymentDifference: '-114.68',
      chargeDifference: '0',
    },
    expect.objectContaining({ kind: 'published', disagreeUntil: '2026-04-17', lateSeconds: 61205 }),
  ]);
  expect(statement['variables']).toContainEqual({
    tradingDay: '2026-03-02',
    variable: 'Energy trading – balancing',
    pOrC: 'P',
    gstApplicable: 'Y',
    value: '6101.2',
  });
  expect(statement['invoices']).toHaveLength(2);
  const ofEvent = await api.get(`/v1/statements/${exampleId('invoice.issued')}`);
  expect(ofEvent.json()['id']).toBe(run?.id);
});

it('a reversed invoice names the one that replaced it, and discrepancies are those of its version', async () => {
  const rows = await invoices('participant=ALPHA&dueUntil=2026-05-01');
  const of = (number: string) => rows.find((row) => row['number'] === number);
  expect(of('INV-0007')).toMatchObject({
    status: 'reversed',
    replacedBy: 'INV-0009',
    payableAmount: '-19622.17',
    discrepancies: 1,
  });
  expect(of('INV-0009')).toMatchObject({
    ...{ status: 'issued', invoiceDate: '2026-03-26', discrepancies: 0 },
    ...{ gstExclusive: '-17723.66', gst: '-1772.36', total: '-19496.02' },
  });
});

it('invoices say what is paid or received, by due date', async () => {
  const rows = await invoices('status=issued&status=adjusted&status=due');
  expect(
    rows.map(({ number, dueDate, payableAmount, direction }) => [number, dueDate, payableAmount, direction]),
  ).toEqual([
    ['INV-0009', '2026-04-02', '-19496.02', 'receive'],
    ['INV-0031', '2026-06-11', '126.15', 'pay'],
    ['INV-0099', '9999-12-31', '-12345678901234567890.10', 'receive'],
  ]);
});

it('an invoice is due while a reminder has its figures, and overdue while it is missing', async () => {
  const period = { periodFrom: '2026-03-15T00:00:00' };
  await archiveEvent(api.tables.admin, 'payment.due', {
    event: { id: uuidOf('reminder'), participant: 'WPGENCO' },
    data: {
      ...{ invoiceId: 'INV-0099', designation: 'INITIAL', periodFrom: '2026-03-08T00:00:00' },
      ...{ direction: 'pay', digest: String((exampleEvent('invoice.issued')['data'] as Row)['digest']) },
    },
  });
  expect(await invoices('status=due')).toMatchObject([{ number: 'INV-0099', direction: 'pay' }]);
  const missing = await archiveEvent(api.tables.admin, 'invoice.overdue', {
    event: { id: uuidOf('missing'), participant: 'WPGENCO' },
    data: period,
  });
  expect(await invoices('status=overdue')).toMatchObject([
    { periodFrom: '2026-03-15', invoiceDate: '2026-03-25', overdueSince: '2026-03-25T17:00:00.000Z' },
  ]);
  await api.tables.admin.query('DELETE FROM archive WHERE event_id = $1', [missing]);
  expect(await invoices('status=overdue')).toEqual([]);
});

describe('an event of a run that another transaction changes', () => {
  const issue = (name: string, designation: string) =>
    api.tables.admin.transaction(async (session) => {
      await session.query(`SET LOCAL lock_timeout = '10ms'`);
      return archiveEvent(session, 'invoice.issued', {
        event: { id: uuidOf(name), participant: 'WPGENCO' },
        data: { id: name, designation, dueDate: '2026-12-01' },
      });
    });

  it('is archived later, and events of other runs are archived meanwhile', async () => {
    await api.tables.admin.transaction(async (session) => {
      await archiveEvent(session, 'invoice.issued', {
        event: { id: uuidOf('INV-0201'), participant: 'WPGENCO' },
        data: { id: 'INV-0201', designation: 'ADJUSTMENT1', dueDate: '2026-12-01' },
      });
      await expect(issue('INV-0202', 'ADJUSTMENT1')).rejects.toMatchObject({ code: '55P03' });
      await issue('INV-0203', 'ADJUSTMENT2');
    });
    await issue('INV-0202', 'ADJUSTMENT1');
    const rows = await list('/v1/invoices?dueSince=2026-12-01&dueUntil=2026-12-02');
    expect(rows.map(({ number }) => number).sort()).toEqual(['INV-0201', 'INV-0202', 'INV-0203']);
    await api.tables.admin.query('DELETE FROM archive WHERE event_id = ANY ($1)', [
      ['INV-0201', 'INV-0202', 'INV-0203'].map(uuidOf),
    ]);
  });
});

it('an event that cannot be read is counted, and derived again once it can be read', async () => {
  const unread = async () =>
    (await api.get('/v1/status')).json<{ archive: { unreadEvents: number } }>().archive.unreadEvents;
  const id = await archiveEvent(api.tables.admin, 'invoice.issued', {
    event: { id: uuidOf('unread'), participant: 'WPGENCO' },
    data: { id: 'INV-0300', dueDate: '2026-02-30' },
  });
  expect(await unread()).toBe(1);
  await api.tables.admin.query(
    `UPDATE archive SET event = replace(event::text, '2026-02-30', '2026-02-28')::json WHERE event_id = $1`,
    [id],
  );
  expect(await api.tables.admin.query('SELECT derive_unread_events() AS unread')).toEqual([{ unread: 0 }]);
  expect(await list('/v1/invoices?dueSince=2026-02-28&dueUntil=2026-03-01')).toMatchObject([
    { number: 'INV-0300' },
  ]);
  await api.tables.admin.query('DELETE FROM archive WHERE event_id = $1', [id]);
});

it('invoices of one due date are sorted by market, participant and number, page by page', async () => {
  const ids = [];
  for (const [number, market] of [
    ['INV-2', 'WEM'],
    ['INV-1', 'WEM'],
    ['INV-3', 'NSTEM'],
  ] as const) {
    const id = uuidOf(`sorted-${number}`);
    ids.push(id);
    await archiveEvent(api.tables.admin, 'invoice.issued', {
      event: {
        id,
        participant: 'WPGENCO',
        subject: `WPGENCO/${market}/2026-01-04/INITIAL/invoice/${number}`,
      },
      data: { id: number, market, periodFrom: '2026-01-04T00:00:00', dueDate: '2026-01-20' },
    });
  }
  const path = '/v1/invoices?dueSince=2026-01-20&dueUntil=2026-01-21&limit=1';
  const numbers: unknown[] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const { body } = await api.get(next === '' ? path : `${path}&cursor=${next}`);
    const page = JSON.parse(body) as { items: Row[]; next?: string };
    numbers.push(...page.items.map(({ number }) => number));
    next = page.next;
  }
  expect(numbers).toEqual(['INV-3', 'INV-1', 'INV-2']);
  await api.tables.admin.query('DELETE FROM archive WHERE event_id = ANY ($1)', [ids]);
});

it('a statement is found by the event that says how long it can be disputed', async () => {
  const id = await archiveEvent(api.tables.admin, 'statement.disagreement-due');
  const { body } = await api.get(`/v1/statements/${id}`);
  expect(JSON.parse(body)).toMatchObject({ participant: 'ALPHA', designation: 'INITIAL', revisions: 1 });
});

it('CSV keeps every digit', async () => {
  const { body } = await api.get('/v1/invoices?dueSince=9999-01-01', { headers: { accept: 'text/csv' } });
  expect(body).toContain(',-12345678901234567890.10,');
});

it('what belongs to another participant is as what does not exist', async () => {
  const [alpha] = await calendar('participant=ALPHA');
  const [invoice] = await invoices('participant=ALPHA');
  const nobody = '00000000-0000-0000-0000-000000000000';
  const respond = async (path: string) => {
    const { status, body } = await api.get(path, { token: api.limited });
    return [status, body];
  };
  for (const [path, foreign] of [
    ['/v1/statements/', alpha?.id],
    ['/v1/statements/', exampleId('statement.published')],
    ['/v1/settlement-calendar?cursor=', alpha?.id],
    ['/v1/invoices?cursor=', invoice?.id],
  ] as const)
    expect(await respond(path + String(foreign))).toEqual(await respond(path + nobody));
  expect(await calendar('participant=ALPHA', api.limited)).toEqual([]);
  expect((await invoices('', api.limited)).map(({ number }) => number)).toEqual(['INV-0099']);
});

it.each([
  ['/v1/settlement-calendar?since=2026-02-30', 'since must be a market date'],
  ['/v1/settlement-calendar?by=due', 'by must be one of statement, published, invoice, payment'],
  [
    '/v1/settlement-calendar?since=2026-03-02&until=2026-03-02',
    'since (2026-03-02) must be before until (2026-03-02)',
  ],
  ['/v1/invoices?dueSince=2026-03-02&dueUntil=2026-03-01', 'dueSince (2026-03-02) must be before dueUntil'],
  ['/v1/invoices?order=newest', 'order must be one of due, published'],
  ['/v1/settlement-calendar?order=due', 'order must be one of date, published'],
  ['/v1/invoices?status=paid', 'must be one of issued, adjusted, reversed, due, overdue'],
  ['/v1/invoices?cursor=1', 'cursor must be'],
])('%s is refused', async (path, expected) => {
  const response = await api.get(path);
  expect([response.status, response.body]).toEqual([422, expect.stringContaining(expected)]);
});

it('the last day to dispute a statement follows from the present settings of its participant', async () => {
  const period = { periodFrom: '2026-03-15T00:00:00', periodTo: '2026-03-21T00:00:00' };
  const event = { participant: 'WPGENCO', subject: 'WPGENCO/WEM/2026-03-15/INITIAL' };
  const publish = (type: string, publishedAt: string, disagreeUntil?: string) =>
    archiveEvent(api.tables.admin, type, {
      event: { ...event, id: uuidOf(type) },
      data: { ...period, publishedAt, disagreeUntil },
    });
  // Monday in the market, and still Sunday in UTC.
  await publish('statement.published', '2026-03-30T01:00:00');
  await publish('statement.revised', '2026-03-31T10:00:00', '2026-04-30');
  const [run] = await calendar('participant=WPGENCO&by=published');
  expect(run).toMatchObject({ periodFrom: '2026-03-15', disagreeUntil: '2026-04-28' });
  const { versions } = (await api.get(`/v1/statements/${run?.id}`)).json<{ versions: Row[] }>();
  expect(versions.map((version) => version['disagreeUntil'])).toEqual(['2026-04-28', '2026-04-27']);
});
