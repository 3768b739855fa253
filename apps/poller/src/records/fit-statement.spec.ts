import { createFactEvent, signEvent, validateEvent } from '@ssb/events';
import { generatePrivateKey } from '@ssb/identity';
import { parseDecimal, parseMarketDateTime, type SettlementStatementSummary } from '@ssb/market';
import { createHash } from 'node:crypto';
import { fitStatement, RESERVED_BYTES } from './fit-statement.js';

const PERIOD_FROM = parseMarketDateTime('2026-03-01T00:00:00');
const STATEMENT: SettlementStatementSummary = {
  runId: 7,
  publishedAt: parseMarketDateTime('2026-03-10T08:00:00'),
  marketService: 'WEM',
  designation: 'ADJ1',
  period: 'TW 01 Mar 2026 – Ärger',
  periodFrom: PERIOD_FROM,
  periodTo: parseMarketDateTime('2026-03-07T00:00:00'),
  participantCode: 'ALPHA',
  tradingDays: [
    {
      tradingDay: PERIOD_FROM,
      variables: [
        { variable: 'A', pOrC: 'P', gstApplicable: 'Y', value: parseDecimal('20.10') },
        { variable: 'B', pOrC: 'C', gstApplicable: 'N', value: parseDecimal('1E-8') },
        { variable: 'C', pOrC: 'P', gstApplicable: 'N', value: parseDecimal('-0') },
      ],
    },
  ],
};
const { participantCode: participant, tradingDays, ...figures } = STATEMENT;
const EVENT = createFactEvent(
  {
    type: 'settlementbus.statement.published.v1',
    data: {
      ...figures,
      tradingDays: 1,
      totals: { payment: '20.10', charge: '0.00000001' },
      variables: tradingDays.flatMap(({ tradingDay, variables }) =>
        variables.map((variable) => ({ tradingDay, ...variable })),
      ),
    },
  },
  participant,
  { detectedAt: new Date(), traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` },
);
const ROUTE = { channel: 'a.channels.b.apps.c.iam.d', topic: 'statement.published.v1' };
/** The size of the event without signing time and proof, as a JSON text. */
const UNSIGNED_BYTES = Buffer.byteLength(JSON.stringify(JSON.stringify({ ...EVENT, ...ROUTE })));

const fitInto = (maxMessageBytes: number) => fitStatement(EVENT, STATEMENT, { ...ROUTE, maxMessageBytes });

describe('fitStatement', () => {
  it('changes no statement that fits the limit of its route, or that has no route', () => {
    const complete = { kind: 'complete', event: EVENT };
    expect(fitInto(UNSIGNED_BYTES + RESERVED_BYTES)).toEqual(complete);
    expect(fitStatement(EVENT, STATEMENT, undefined)).toEqual(complete);
  });

  it('reserves enough for the signatures of the publisher and of the gateway', () => {
    const signed = signEvent(EVENT, { ...ROUTE, signedAt: new Date(), key: generatePrivateKey() });
    const sender = `did:ethr:volta:0x${'a'.repeat(40)}`;
    const stored = { payload: JSON.stringify(signed), signature: `0x${'0'.repeat(130)}`, sender };
    const addedBytes = Buffer.byteLength(JSON.stringify(stored)) - UNSIGNED_BYTES;
    expect(addedBytes).toBeGreaterThan(400);
    expect(addedBytes).toBeLessThan(RESERVED_BYTES - 100);
  });

  it('summarises a statement that is one byte too large, and changes nothing else', () => {
    // Written by hand: members sorted, decimals as strings in plain notation with the digits that were sent.
    const record =
      '{"designation":"ADJ1","marketService":"WEM","participantCode":"ALPHA","period":"TW 01 Mar 2026 – Ärger","periodFrom":"2026-03-01T00:00:00",' +
      '"periodTo":"2026-03-07T00:00:00","publishedAt":"2026-03-10T08:00:00","runId":7,"tradingDays":[{' +
      '"tradingDay":"2026-03-01T00:00:00","variables":[{"gstApplicable":"Y","pOrC":"P","value":"20.10","variable":"A"},' +
      '{"gstApplicable":"N","pOrC":"C","value":"0.00000001","variable":"B"},' +
      '{"gstApplicable":"N","pOrC":"P","value":"0","variable":"C"}]}]}';
    expect(fitInto(UNSIGNED_BYTES + RESERVED_BYTES - 1)).toEqual({
      kind: 'summarised',
      record,
      event: {
        ...EVENT,
        data: {
          ...EVENT.data,
          variables: undefined,
          variablesSummary: {
            count: 3,
            payments: 2,
            charges: 1,
            bytes: Buffer.byteLength(record),
            sha256: createHash('sha256').update(record).digest('hex'),
            source: { method: 'GET', path: '/api/v2/settlements/WEM/summary/2026-03-01/ADJ1' },
          },
        },
      },
    });
  });

  it.each([
    [960_000, 'summarised'],
    [800_000, 'complete'],
  ])('makes a message within 1 MiB of a statement of %i bytes: %s', (bytes, kind) => {
    const variable = EVENT.data.variables?.[0];
    if (variable === undefined) throw new Error('The event has no variables.');
    const variables = Array(Math.round(bytes / (JSON.stringify(variable).length + 1))).fill(variable);
    const event = { ...EVENT, data: { ...EVENT.data, variables } };
    expect(JSON.stringify(event).length).toBeLessThan(1_000_000);
    const fitted = fitStatement(event, STATEMENT, { ...ROUTE, maxMessageBytes: 1_048_576 });
    expect(fitted.kind).toBe(kind);
    const payload = JSON.stringify(fitted.event);
    expect(Buffer.byteLength(JSON.stringify({ payload }))).toBeLessThan(1_048_576);
  });

  it('makes a summary that its schema accepts', () => {
    const { event } = fitInto(0);
    const signed = signEvent(event, { ...ROUTE, signedAt: new Date(), key: generatePrivateKey() });
    expect(validateEvent(signed)).toEqual({ ok: true, event: signed });
  });
});
