import { join } from 'node:path';
import { runToEnd } from '@ssb/testing';
import { REPOSITORY_ROOT } from '@ssb/tools';
import { apiOf, requestApi } from '../harness/archive-api.js';
import type { Fact } from '../harness/market.js';
import { running } from './shared-system.js';

/** The delivered event of a fact. */
async function deliveredEvent(fact: Fact) {
  await running.waitForDeliveries([fact]);
  const [event] = running.findDeliveredEvents(fact);
  if (event === undefined) throw new Error(`${fact.subject} was not delivered`);
  return event;
}

describe('what a revision changed', () => {
  it('reaches the webhook and the archive API with all 23 digits of a decimal(23,8)', async () => {
    const [fact, ofNextRun] = await running.market.publishStatements(2, '123456789012345.12345678');
    if (fact === undefined || ofNextRun === undefined) throw new RangeError('two facts are required');
    await running.waitForDeliveries([fact, ofNextRun]);
    const event = await deliveredEvent(
      await running.market.reviseStatement(fact, '-123456789012345.12345679'),
    );
    const amounts = {
      before: '123456789012345.12345678',
      after: '-123456789012345.12345679',
      difference: '-246913578024690.24691357',
    };
    const names = { variable: 'ENERGY', pOrC: 'P', gstApplicable: 'Y' };
    const { difference } = amounts;
    expect(event.data).toMatchObject({
      difference: { payment: difference, charge: '0' },
      changes: {
        count: 1,
        items: [{ ...names, ...amounts, share: '100.00' }],
        rest: { count: 0, payment: '0', charge: '0' },
      },
    });
    const path = `/v1/statements/${event.id}/differences`;
    const { body } = await requestApi<object>(running.system, path);
    expect(body).toMatchObject({
      count: 1,
      totals: { payment: amounts, net: amounts, charge: { before: '0', after: '0', difference: '0' } },
      items: [{ ...names, ...amounts, share: '100.00' }],
    });
    const [next] = running.findDeliveredEvents(ofNextRun);
    const ofRuns = await requestApi<object>(running.system, `/v1/statements/${next?.id}/differences`);
    expect(ofRuns.body).toMatchObject({
      before: { eventId: event.id, designation: 'INITIAL' },
      after: { eventId: next?.id, designation: 'ADJ1' },
      totals: { payment: { difference: '246913578024690.24691357' } },
    });
  });

  it('is complete in the archive API when the statement is larger than a message', async () => {
    const [fact] = await running.market.publishStatements(1, '0.01', 12_400);
    if (fact === undefined) throw new RangeError('a fact is required');
    await running.waitForDeliveries([fact]);
    const event = await deliveredEvent(await running.market.reviseStatement(fact, '0.02000001', 12_400));
    expect(event.data).toMatchObject({
      variablesSummary: { count: 12_400 },
      difference: { payment: '124.00012400' },
      changes: { count: 12_400, rest: { count: 12_300, payment: '123.00012300', charge: '0' } },
    });
    const { stdout, stderr } = await runToEnd(
      join(REPOSITORY_ROOT, 'bundles', 'cli.js'),
      ['statements', 'differences', event.id, '--limit', '20000', '-o', 'csv'],
      apiOf(running.system),
    );
    expect(stderr).toBe('');
    const [, ...rows] = stdout.trimEnd().split('\r\n');
    expect(rows).toHaveLength(12_400);
    expect(new Set(rows.map((row) => row.split(',').slice(2).join()))).toEqual(
      new Set(['P,Y,0.01,0.02000001,0.01000001,0.01']),
    );
    expect(new Set(rows.map((row) => row.split(',')[1])).size).toBe(12_400);
  });
});
