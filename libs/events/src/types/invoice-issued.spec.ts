import { DETECTION, INVOICE } from '../testing/sample-events.js';
import { createInvoiceIssuedEvent } from './invoice-issued.js';

describe('createInvoiceIssuedEvent', () => {
  it('puts the fact into its envelope', () => {
    const { participant, ...data } = INVOICE;
    expect(createInvoiceIssuedEvent(INVOICE, DETECTION)).toEqual({
      specversion: '1.0',
      id: 'de35ed64-1984-4fdb-9487-7501da8cd4f8',
      type: 'settlementbus.invoice.issued.v1',
      source: 'urn:settlement-bus-bridge:ALPHA',
      subject: 'ALPHA/WEM/2026-03-01/ADJ1/invoice/INV-0007',
      time: '2026-03-21T00:00:00+08:00',
      datacontenttype: 'application/json',
      dataschema: 'urn:settlement-bus-bridge:schema:settlementbus.invoice.issued.v1',
      participant,
      sequence: '00000000000020260321',
      traceparent: DETECTION.traceparent,
      detectedat: '2026-03-02T02:15:31.007Z',
      data,
    });
  });

  it('keeps only the date of a date-time', () => {
    const dated = { ...INVOICE, invoiceDate: '2026-03-21T00:00:00', dueDate: '2026-04-02T00:00:00' };
    expect(createInvoiceIssuedEvent(dated, DETECTION)).toEqual(createInvoiceIssuedEvent(INVOICE, DETECTION));
  });

  it.each([
    ['participant', { participant: 'BETA' }],
    ['market', { market: 'STEM' }],
    ['first day', { periodFrom: '2026-03-08T08:00:00' }],
    ['designation', { designation: 'ADJ2' }],
    ['invoice', { id: 'INV-0008' }],
    ['adjustment', { adjustment: 2 }],
  ])('gives another id for another %s', (_, change) => {
    const ids = [INVOICE, { ...INVOICE, ...change }].map(
      (fact) => createInvoiceIssuedEvent(fact, DETECTION).id,
    );
    expect(ids[0]).not.toBe(ids[1]);
  });

  it.each([
    ['due date', { dueDate: '2026-04-03' }],
    ['total', { total: '1' }],
    ['reversed invoice', { reversedId: 'INV-0001' }],
  ])('gives the same id for another %s', (_, change) => {
    const ids = [INVOICE, { ...INVOICE, ...change }].map(
      (fact) => createInvoiceIssuedEvent(fact, DETECTION).id,
    );
    expect(ids[0]).toBe(ids[1]);
  });

  it('has a sequence whose text order is the order of the invoice dates', () => {
    const dates = ['1999-12-31', '2025-12-31', '2026-01-01', '2026-01-10', '2026-02-01', '2100-01-01'];
    const sequences = dates.map(
      (invoiceDate) => createInvoiceIssuedEvent({ ...INVOICE, invoiceDate }, DETECTION).sequence,
    );
    expect(sequences.toReversed().sort()).toEqual(sequences);
    expect(sequences.every((sequence) => sequence.length === 20)).toBe(true);
  });
});
