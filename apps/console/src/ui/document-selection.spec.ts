import type { DocumentRow } from '../api/operations.js';
import { selectDocuments, toDocumentQuery, type InvoiceKey } from './document-selection.js';

const invoice = (more: Partial<InvoiceKey> = {}): InvoiceKey => ({
  number: '1',
  participant: 'ALPHA',
  market: 'WEM',
  periodFrom: '2026-09-06',
  designation: 'INITIAL',
  ...more,
});

it('requests the documents of one invoice by its number', () => {
  expect(toDocumentQuery([invoice(), invoice({ number: undefined, participant: 'BRAVO' })])).toEqual({
    participant: ['ALPHA'],
    market: ['WEM'],
    invoice: '1',
  });
});

it('requests the documents of several invoices at once, since their earliest period', () => {
  const invoices = [
    invoice({ participant: 'BRAVO', periodFrom: '2026-09-13' }),
    invoice({ number: '2', market: 'STEM' }),
  ];
  expect(toDocumentQuery(invoices)).toEqual({
    participant: ['ALPHA', 'BRAVO'],
    market: ['WEM', 'STEM'],
    since: '2026-09-06T00:00:00+08:00',
  });
});

it('requests nothing without a number, and all participants where they are many', () => {
  expect(toDocumentQuery([invoice({ number: undefined })])).toBeUndefined();
  const many = Array.from({ length: 51 }, (_, index) => invoice({ participant: `P${index}` }));
  expect(toDocumentQuery(many)).toEqual({ market: ['WEM'], invoice: '1' });
});

it('has the documents of an invoice, not those of another participant or run with its number', () => {
  const document = (id: string, more: Partial<DocumentRow> = {}): DocumentRow => ({
    id,
    participant: 'ALPHA',
    market: 'WEM',
    periodFrom: '2026-09-06',
    designation: 'INITIAL',
    invoice: '1',
    digest: '',
    mediaType: 'application/pdf',
    bytes: 1,
    sha256: '',
    storedAt: '2026-09-20T00:00:00Z',
    ...more,
  });
  const documents = [
    document('newest'),
    document('number', { invoice: '2' }),
    document('participant', { participant: 'BRAVO' }),
    document('market', { market: 'STEM' }),
    document('period', { periodFrom: '2026-09-13' }),
    document('designation', { designation: 'ADJ1' }),
    document('earlier'),
  ];
  expect(selectDocuments(documents, invoice()).map(({ id }) => id)).toEqual(['newest', 'earlier']);
});
