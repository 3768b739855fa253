import { RecordReader } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { createHash } from 'node:crypto';
import { FROM, STATEMENT, statementWithVariables, TIMELINE, timeline } from './support/market-responses.js';
import {
  drain,
  lines,
  market,
  metric,
  prefix,
  redis,
  setUpPollerTests,
  start,
  facts,
} from './support/running-poller.js';

setUpPollerTests();

const COUNT = 400;
/** The statement does not fit into the messages of its channel. */
const SMALL = { maxMessageBytes: 16_384 };

describe('a statement that is larger than a message', () => {
  /** Publishes it. @returns the RFC 8785 form of its full record, written without the code under test */
  function publish(): string {
    market.responses.set(TIMELINE, timeline());
    const { json, canonical } = statementWithVariables(COUNT);
    market.responses.set(STATEMENT, json);
    return canonical;
  }

  it('is queued with totals, counts and the hash of the full record, which is stored', async () => {
    const canonical = publish();
    const sha256 = createHash('sha256').update(canonical).digest('hex');
    const { url } = await start({}, SMALL);
    await waitFor('the event', () => facts().length === 1);
    const [event] = await drain();
    expect(JSON.stringify(event).length).toBeLessThan(2_000);
    expect(event).toMatchObject({ id: facts()[0]?.['eventId'], sequence: '00000000000000000007' });
    expect(event?.data).toMatchObject({
      runId: 7,
      tradingDays: 2,
      totals: { payment: '30000.00000300', charge: '10000.00000100' },
      variablesSummary: {
        count: COUNT,
        payments: 300,
        charges: 100,
        bytes: Buffer.byteLength(canonical),
        sha256,
        source: { method: 'GET', path: `/api/v2/settlements/WEM/summary/${FROM}/INITIAL` },
      },
    });
    expect(event?.data).not.toHaveProperty('variables');
    expect(await metric(url, 'settlement_bridge_poller_events_summarised_total')).toBe(
      'settlement_bridge_poller_events_summarised_total 1',
    );
    expect(await metric(url, 'settlement_bridge_poller_records')).toBe('settlement_bridge_poller_records 1');
    expect(lines.filter(({ msg }) => msg === 'event summarised')).toMatchObject([{ count: COUNT, sha256 }]);

    expect(await new RecordReader({ redis, prefix }).get(sha256)).toBe(canonical);
  });

  it('is queued also when the record store is too small for its record, which is reported', async () => {
    publish();
    const { url } = await start({ RECORD_STORE_MAX_BYTES: '1024' }, SMALL);
    await waitFor('the event', () => facts().length === 1);
    expect((await drain())[0]?.data).toHaveProperty('variablesSummary');
    expect(await metric(url, 'settlement_bridge_poller_records_refused_total')).toBe(
      'settlement_bridge_poller_records_refused_total 1',
    );
    expect(lines.some(({ msg }) => msg === 'full record too large for the record store')).toBe(true);
    // The next response of the operator, which has nothing new, ends the fault.
    const report = await waitFor('the fault', () => lines.find(({ msg }) => msg === 'fault reported'));
    expect(report).toMatchObject({
      reason: 'facts-left-out',
      detail: expect.stringMatching(
        /: \d{4,} bytes of the full record left out, 0 kept \(it is larger than /,
      ),
    });
  });
});
