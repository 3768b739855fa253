import { parseMarketDate } from '@ssb/market';
import { expectation } from './expectation.js';
import { buildExpectations, listSubjects } from './expected-events.js';

const today = parseMarketDate('2026-03-15');
const build = (...expect: object[]) =>
  buildExpectations(
    { expect: expect.map((each) => expectation.parse(each)), calculations: 4 },
    ['A', 'B'],
    today,
  );

it('fills in each participant and day, in every text of the figures', () => {
  const data = {
    id: 'INV-{today-14}',
    count: 1,
    late: null,
    changes: [{ to: '{month-1}', of: '{participant}' }],
  };
  const { events, calculations } = build({ type: 'invoice.issued', subject: '{participant}/{today}', data });
  expect(events).toEqual(
    ['A', 'B'].map((participant) => ({
      participant,
      type: 'settlementbus.invoice.issued.v1',
      subject: `${participant}/2026-03-15`,
      data: {
        id: 'INV-2026-03-01',
        count: 1,
        late: null,
        changes: [{ to: '2026-02-01', of: participant }],
      },
      unordered: false,
    })),
  );
  expect(calculations).toEqual({ A: 4, B: 4 });
});

it('keeps the order of the list for each participant, and leaves out events of others', () => {
  const { events } = build(
    { type: 'margin.breached', subject: '{participant}/prudential', participant: 2 },
    { type: 'statement.published', subject: '{participant}/WEM', unordered: true },
    { type: 'margin.breached', subject: '{participant}/prudential', participant: 2 },
  );
  const [breached, published] = ['settlementbus.margin.breached.v1', 'settlementbus.statement.published.v1'];
  expect(events.map(({ type, subject, unordered }) => [type, subject, unordered])).toEqual([
    [published, 'A/WEM', true],
    [breached, 'B/prudential', false],
    [published, 'B/WEM', true],
    [breached, 'B/prudential', false],
  ]);
  expect(listSubjects(events)).toEqual([
    [published, 'A/WEM'],
    [breached, 'B/prudential'],
    [published, 'B/WEM'],
    [breached, 'B/prudential'],
  ]);
});
