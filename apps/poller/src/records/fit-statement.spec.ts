import { createFactEvent, signEvent, validateEvent } from '@ssb/events';
import { generatePrivateKey } from '@ssb/identity';
import {
  parseDecimal,
  parseMarketDateTime,
  subtractDecimals,
  type SettlementStatementSummary,
} from '@ssb/market';
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

  describe('of a revision', () => {
    const item = (index: number) =>
      ({
        tradingDay: PERIOD_FROM,
        variable: `V${String(index).padStart(3, '0')}`,
        pOrC: 'P',
        gstApplicable: 'Y',
        before: '123456789012345.00000001',
        after: '123456789012345.00000000',
        difference: '-0.00000001',
        share: '1.00',
      }) as const;
    const revise = (items: number, variables = 3) => {
      const data = {
        ...EVENT.data,
        digest: 'a'.repeat(64),
        variables: Array(variables).fill(EVENT.data.variables?.[0]),
      };
      return createFactEvent(
        {
          type: 'settlementbus.statement.revised.v1',
          data: {
            ...data,
            previous: { runId: 6 },
            changes: {
              count: 250,
              items: Array.from({ length: items }, (_, index) => item(index)),
              rest: { count: 250 - items, payment: '7.00000002', charge: '-3' },
            },
          },
        },
        participant,
        { detectedAt: new Date(), traceparent: EVENT.traceparent },
      );
    };
    const fit = (event: ReturnType<typeof revise>, maxMessageBytes: number) => {
      const fitted = fitStatement(event, STATEMENT, { ...ROUTE, maxMessageBytes });
      const { changes } = (fitted.event as typeof event).data;
      return { ...fitted, changes, hasVariables: fitted.event.data.variables !== undefined };
    };
    const bytesOf = (event: object) =>
      Buffer.byteLength(JSON.stringify(JSON.stringify({ ...event, ...ROUTE }))) + RESERVED_BYTES;

    it('keeps the variables and drops the smallest changes, whose sums are in the rest', () => {
      const event = revise(100);
      expect(fit(event, bytesOf(event))).toMatchObject({ kind: 'complete', event });
      const limit = bytesOf(revise(60));
      const { kind, changes, hasVariables, event: fitted } = fit(event, limit);
      expect([kind, hasVariables]).toEqual(['complete', true]);
      const kept = changes?.items.length ?? 0;
      expect(changes).toEqual({
        count: 250,
        items: Array.from({ length: kept }, (_, index) => item(index)),
        rest: {
          count: 250 - kept,
          payment: subtractDecimals(parseDecimal('7.00000002'), parseDecimal(`${100 - kept}E-8`)),
          charge: '-3',
        },
      });
      expect(kept).toBeGreaterThan(55);
      expect(bytesOf(fitted)).toBeLessThanOrEqual(limit);
    });

    it('has no item, but their sums, when not one fits', () => {
      expect(fit(revise(2), bytesOf(revise(0)) + 8)).toMatchObject({
        kind: 'complete',
        changes: { count: 250, items: [], rest: { count: 250, payment: '7.00000000', charge: '-3' } },
      });
    });

    it('serialises many variables once, however many changes there are', () => {
      const event = revise(100);
      const [variable] = event.data.variables ?? [];
      const toJSON = jest.fn(() => variable);
      Object.assign(event.data, { variables: [{ ...variable, toJSON }] });
      expect(fit(event, 0).kind).toBe('summarised');
      expect(toJSON).toHaveBeenCalledTimes(1);
      expect(fit(event, bytesOf(revise(60, 1))).changes?.items.length).toBeGreaterThan(50);
      expect(toJSON).toHaveBeenCalledTimes(2);
    });

    it('has as many changes beside the summary as fit', () => {
      const event = revise(100, 2_000);
      const complete = fit(event, 60_000);
      expect([complete.kind, complete.hasVariables]).toEqual(['summarised', false]);
      expect(complete.changes?.items).toHaveLength(100);
      const shortened = fit(event, 16_384);
      const kept = shortened.changes?.items.length ?? 0;
      expect([shortened.kind, shortened.changes?.rest.count]).toEqual(['summarised', 250 - kept]);
      expect(kept).toBeGreaterThan(10);
      expect(bytesOf(shortened.event)).toBeLessThanOrEqual(16_384);
      expect(fit(event, 0).changes?.items).toEqual([]);
    });
  });

  it('makes a summary that its schema accepts', () => {
    const { event } = fitInto(0);
    const signed = signEvent(event, { ...ROUTE, signedAt: new Date(), key: generatePrivateKey() });
    expect(validateEvent(signed)).toEqual({ ok: true, event: signed });
  });
});
