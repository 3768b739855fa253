import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import { FROM, STATEMENT, statement, TIMELINE, timeline } from './support/market-responses.js';
import {
  drain,
  facts,
  market,
  participant,
  prefix,
  redis,
  requestCount,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

const PUBLISHED = 'settlementbus.statement.published.v1';
const REVISED = 'settlementbus.statement.revised.v1';

/** The statement under another run id, with 4.90 more of charges. */
const revisedStatement = (): string =>
  statement().replace('"runId":7', '"runId":8').replace('20.10', '25.00');

beforeEach(() => void market.answers.set(TIMELINE, timeline()));

describe('a statement with a new run id', () => {
  it('is a revision, also when the poller was restarted in between', async () => {
    market.answers.set(STATEMENT, statement());
    const first = await start();
    await waitFor('the statement', () => facts().length === 1);
    await first.close();
    market.answers.set(STATEMENT, revisedStatement());
    await start();
    await waitFor('the revision', () => facts().length === 2);
    const before = requestCount(STATEMENT);
    await waitFor('the re-checks', () => requestCount(STATEMENT) > before + 3);
    const events = await drain();
    expect(events.map(({ type }) => type)).toEqual([PUBLISHED, REVISED]);
    expect(events[1]).toMatchObject({
      subject: `${participant}/WEM/${FROM}/INITIAL`,
      data: {
        runId: 8,
        totals: { charge: '25.00' },
        previous: { runId: 7, totals: { charge: '20.10' } },
        difference: { payment: '0.00000000', charge: '4.90' },
      },
    });
  });
});

describe('a statement that is there at the first request', () => {
  it('is restated: a predecessor may have been replaced', async () => {
    market.answers.set(STATEMENT, statement());
    await start();
    await waitFor('the statement', () => facts().length === 1);
    expect(await drain()).toMatchObject([{ type: PUBLISHED, data: { restated: true } }]);
  });

  it('is not restated when an earlier leader saw that it was missing', async () => {
    const first = await start();
    const { state } = pollerKeys(prefix, participant);
    await waitFor('the missing statement', () => redis.hget(state, `statement:WEM|${FROM}|INITIAL`));
    await first.close();
    market.answers.set(STATEMENT, statement());
    await start();
    await waitFor('the statement', () => facts().length === 1);
    const [published] = await drain();
    expect(published?.type).toBe(PUBLISHED);
    expect(published?.data).not.toHaveProperty('restated');
  });
});
