import { cycle, invoiceLoad, prudentialLoad, statementLoad, timelineLoad } from './support/records.js';
import { runReporting, type RunningReporting } from './support/running-reporting.js';
import { details, output } from './support/ten-records.js';

const outputLoad = `{"participantCode":"WPGENCO","calculatedAt":"2026-03-02T06:00:00","output":${output('EXPOSURE')}}`;

const LOADS: [kind: string, load: string][] = [
  ['prudential', prudentialLoad('2026-03-12T10:00:00', '1')],
  ['prudential-details', outputLoad],
  ['prudential-estimations', outputLoad],
  ['statements', statementLoad(1)],
  ['statement-details', `{"details":${details('WEM')}}`],
  ['statement-estimations', `{"details":${details('NSTEM')}}`],
  ['invoices', invoiceLoad('INV-1', '2026-03-13')],
  ['timelines', timelineLoad(cycle('2026-03-01', ['2026-03-13']))],
];

/** JSON escapes: SQL text cannot hold a zero character, and UTF-8 cannot hold a lone surrogate. */
const UNSTORABLE = ['\\u0000', '\\ud800', '\\udfff'];

/** Copies of the load, each with the escape in the middle of another text. */
function withEscape(load: string, escape: string): string[] {
  return [...load.matchAll(/:"([^"]+)"/g)].map(
    ({ index }) => `${load.slice(0, index + 3)}${escape}${load.slice(index + 3)}`,
  );
}

describe('texts that a database cannot hold', () => {
  let reporting: RunningReporting;

  beforeAll(async () => {
    reporting = await runReporting();
  });
  afterAll(() => reporting.close());

  it.each(LOADS)('are refused or stored unchanged, in each text of %s', async (kind, load) => {
    const outcomes: number[] = [];
    for (const escape of UNSTORABLE) {
      for (const body of withEscape(load, escape)) {
        outcomes.push((await reporting.post(`/operator/v1/${kind}`, body)).status);
      }
    }
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.filter((status) => status !== 201 && status !== 409 && status !== 422)).toEqual([]);
    // The participant code is part of the key.
    const withParticipant = UNSTORABLE.map((escape) =>
      load.replace('"WPGENCO"', `"WP${escape}GENCO"`),
    ).filter((body) => body !== load);
    for (const body of withParticipant)
      expect((await reporting.post(`/operator/v1/${kind}`, body)).status).toBe(422);
  });
});
