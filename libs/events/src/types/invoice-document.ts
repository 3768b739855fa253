import { toMarketTime } from '../envelope/market-time.js';
import type { FactDefinition } from '../definition.js';
import { INVOICE_RUN_KEY, INVOICE_RUN_SUBJECT, invoiceProperties } from './invoices.js';
import {
  constant,
  described,
  instant,
  integer,
  label,
  MAX_INT32,
  object,
  sha256,
  type ValueOf,
} from './json-schema.js';
import { digest, periodFrom } from './run-properties.js';

const documentStoredData = object({
  invoiceId: described(label(20), "The operator's invoice identifier.", 'operation 9, id'),
  market: invoiceProperties.market,
  designation: invoiceProperties.designation,
  periodFrom,
  digest,
  sha256: described(sha256, 'SHA-256 of the bytes of the document, in hexadecimal.', 'operation 8'),
  bytes: described(integer(1, MAX_INT32), 'Size of the document.', 'operation 8'),
  mediaType: described(constant('application/pdf'), 'Media type of the document.'),
  storedAt: described(instant, 'When the bridge stored the document, UTC.'),
});

export type InvoiceDocumentStoredData = ValueOf<typeof documentStoredData>;

export const invoiceDocumentStored: FactDefinition<InvoiceDocumentStoredData> = {
  schema: documentStoredData,
  identity: {
    key: `${INVOICE_RUN_KEY}|{invoiceId}`,
    // A version of an invoice has one document. Two versions may have the same bytes.
    version: '{digest}|{sha256}',
    subject: `${INVOICE_RUN_SUBJECT}/invoice/{invoiceId}/document`,
  },
  order: ({ storedAt }) => {
    const at = new Date(storedAt);
    return { sequence: BigInt(at.getTime()), marketTime: toMarketTime(at) };
  },
  guide: {
    when: 'The bridge has stored the PDF of a version of an invoice. `digest` is that of the event of the invoice. It comes after that event, as the requests for documents are the least urgent ones.',
    response:
      'Fetch the document from the archive API (`GET /v1/documents/{id of this event}/content`) or with `busbridge documents get`, and compare its bytes with `sha256`.',
    notRecovered:
      'The document of an invoice that the operator has replaced. A document that the store still has is announced again with the same id.',
  },
};
