import { toInstant } from '@ssb/market';
import { RUN, SETTINGS, STATEMENT, time } from '../../test/support/settlement.js';
import { PollBench, timelineOf } from '../../test/support/settlement-poll.js';

const STATEMENT_REQUEST = 'statement WEM 2026-03-01 INITIAL';

/** A poll at this time, with the timeline and perhaps the statement. */
function open(marketTime: string, statement?: object): PollBench {
  const bench = new PollBench(marketTime);
  bench.responses.set('timeline', timelineOf(RUN));
  if (statement !== undefined) bench.responses.set(STATEMENT_REQUEST, statement);
  return bench;
}

describe('the last day to dispute a statement', () => {
  const publishedAt = time('2026-03-12T10:00:00');
  const disagreement = { WEM: { INITIAL: { businessDays: 10, remind: [5, 1] } } };

  it('is reminded of once, and its end is announced, although the timeline lacks the run', async () => {
    const bench = open('2026-03-12T12:00:00', { ...STATEMENT, publishedAt });
    bench.settings = { ...SETTINGS, disagreement };
    await bench.runUntil('2026-03-12T12:01:00');
    bench.responses.set('timeline', timelineOf());
    await bench.runUntil('2026-03-30T00:00:00', 3_600);
    expect(bench.types().filter((type) => type.startsWith('statement.'))).toEqual([
      'statement.published',
      'statement.disagreement-due',
      'statement.disagreement-due',
      'statement.disagreement-lapsed',
    ]);
    const due = bench.events.filter(({ type }) => type.includes('disagreement'));
    expect(due.map(({ subject, time: at }) => `${subject.replace(/[0-9a-f]{64}$/, 'DIGEST')} ${at}`)).toEqual(
      ['19', '25', '27'].map(
        (day) =>
          `ALPHA/WEM/2026-03-01/INITIAL/disagreement/2026-03-12T10:00:00/DIGEST 2026-03-${day}T00:00:00+08:00`,
      ),
    );
  });

  it('is reminded of at once when the settings begin to have it, and not for markets of others', async () => {
    const bench = open('2026-03-19T12:00:00', { ...STATEMENT, publishedAt });
    await bench.runUntil('2026-03-19T12:01:00');
    const { settlement } = SETTINGS;
    bench.settings = { ...SETTINGS, disagreement, settlement: { ...settlement, markets: ['STEM'] } };
    await bench.run();
    expect(bench.types().at(-1)).toBe('statement.published');
    bench.settings = { ...SETTINGS, disagreement };
    await bench.run();
    expect(bench.types().at(-1)).toBe('statement.disagreement-due');
  });

  it('passes although its market is not one of the participant any more', async () => {
    const bench = open('2026-03-19T12:00:00', { ...STATEMENT, publishedAt });
    bench.settings = { ...SETTINGS, disagreement };
    await bench.run();
    const { settlement } = SETTINGS;
    bench.settings = { ...bench.settings, settlement: { ...settlement, markets: ['STEM'] } };
    bench.now = toInstant(time('2026-03-26T23:00:00'));
    await bench.run();
    expect(bench.types().at(-1)).toBe('statement.disagreement-due');
    bench.now = toInstant(time('2026-03-27T00:00:00'));
    await bench.run();
    expect(bench.types().at(-1)).toBe('statement.disagreement-lapsed');
  });

  it('keeps the state of an old statement until it has passed', async () => {
    const bench = open('2026-03-12T12:00:00');
    bench.settings = { ...SETTINGS, disagreement: { WEM: { ADJ3: { businessDays: 10, remind: [] } } } };
    const part = 'statement:WEM|2024-02-25|ADJ3';
    const totals = { payment: '1', charge: '1' };
    const figures = { publishedAt: '2026-03-06T10:00:00', totals, digest: '0'.repeat(64) };
    bench.parts.set(part, JSON.stringify({ version: 1, raised: [], current: { runId: 1, figures } }));
    await bench.run();
    bench.now = toInstant(time('2026-03-20T23:00:00'));
    await bench.run();
    expect(bench.parts.has(part)).toBe(true);
    bench.now = toInstant(time('2026-03-21T12:00:00'));
    await bench.run();
    expect(bench.parts.has(part)).toBe(false);
  });
});
